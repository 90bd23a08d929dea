// CloudServer: accounts, databases, zones, records, queries and changes behind CloudKit Web Services.
//
// A request goes from the top of this file downwards: `handle` proves who calls (Identity/), opens the container,
// finds the operation's endpoint (CloudServer+Routing.swift) and runs it on a snapshot or on the store's writer. An
// endpoint is a synchronous value under Records/, Zones/, Changes/ or Queries/. HTTP/ is one way to get here, a call in
// the same process the other. This module knows no client framework.

import CloudStore
import Synchronization
import WebServices

/// A cloud: all containers of one store.
package final class CloudServer: Sendable {
    package let store: CloudStore
    package let configuration: ServerConfiguration
    package let clock: ServerClock
    package let random: RandomSource
    package let log: ServerLog
    package let secret: ServerSecret
    package let identity: Identity
    /// Where passwords are checked, each of which takes tens of milliseconds and 19 MiB on purpose.
    package let passwords: WaitingLine
    /// Where account pages are put together and their forms carried out, over every container.
    let accountPages = WaitingLine("account", capacity: 64)
    package let schemas = SchemaCaches()
    package let metrics = Metrics()
    package let requestLog: RequestLog
    package let push: PushHub
    /// What wraps the keys of zones; nil where encrypted fields cannot be saved.
    package let encryptionKeys: EncryptionKeys?
    let maintenance = Maintenance()
    let load: Mutex<TenantLoad>
    let uploads: UploadPlaces
    let keeping: KeepingLine
    let registeredContainers = ExpiringCache<String, Bool>(life: 5000)

    /// Throws where the control store cannot be read or written.
    package init(
        store: CloudStore, configuration: ServerConfiguration = ServerConfiguration(), clock: ServerClock = .system,
        random: RandomSource = .system, log: ServerLog = .standardError, encryptionKeys: EncryptionKeys? = nil
    ) throws {
        self.store = store
        self.configuration = configuration
        self.clock = clock
        self.random = random
        self.log = log
        self.encryptionKeys = encryptionKeys
        secret = try ServerSecret(store.control, random: random)
        identity = Identity(
            control: store.control, secret: secret, configuration: configuration, clock: clock, random: random)
        try identity.restoreThrottle()
        passwords = WaitingLine("passwords", capacity: configuration.waitingPasswordChecks)
        requestLog = RequestLog(store: store.requests)
        uploads = UploadPlaces(limit: configuration.assets.uploadsPerUser)
        keeping = KeepingLine(width: configuration.assets.keptAtOnce)
        push = PushHub(configuration.push, random: random)
        load = Mutex(
            TenantLoad(processors: configuration.processors, waitingWrites: configuration.waitingWritesPerContainer))
    }

    /// Answers one call; a `CallHandler`. Reads run on the calling thread, writes on the store's.
    package func handle(_ call: Call, respond: @escaping @Sendable (Reply) -> Void) {
        // A poll may wait for longer than the server is there.
        answer(call) { [weak self] request, reply in
            self?.note(request, reply)
            respond(reply)
        }
    }

    /// Answers one call and leaves noting its outcome to the caller, who may know more of it.
    func answer(_ call: Call, _ respond: @escaping @Sendable (RequestInProgress, Reply) -> Void) {
        var arriving = RequestInProgress(call, now: clock.now(), started: clock.ticks())
        if case .courierPoll(let request) = call.operation { return poll(request, arriving, respond) }
        do {
            let proof = try identity.authenticate(call, now: arriving.now)
            arriving.freshToken = proof.freshToken
            arriving.caller = proof.caller
            try checkLoad(arriving)
            let container = try openContainer(call)
            let request = arriving
            run(Self.endpoint(for: call.operation), context(request, proof.caller, container), container) { result in
                respond(request, self.reply(to: request, result))
            }
        } catch {
            respond(arriving, reply(to: arriving, .failure(error)))
        }
    }

    private func context(_ request: RequestInProgress, _ caller: Caller, _ container: ContainerStore) -> RequestContext
    {
        let call = request.call
        return RequestContext(
            caller: caller, container: call.container, environment: call.environment, database: call.database,
            client: call.client, now: request.now, limits: configuration.limits(for: call.client),
            configuration: configuration, random: random, schemas: schemas.cache(of: container), secret: secret,
            people: UserDirectory(control: store.control, secret: secret, container: call.container),
            zoneKeys: ZoneKeyring(encryptionKeys, random), wantsSyncToken: call.wantsSyncToken,
            root: configuration.publicURL ?? call.root ?? "", afterCommit: CommitEffects())
    }

    private func run(
        _ endpoint: RoutedEndpoint, _ context: RequestContext, _ container: ContainerStore,
        _ done: @escaping @Sendable (Result<Answer, any Error>) -> Void
    ) {
        switch endpoint {
        case .stateless(let endpoint):
            done(Result { try endpoint.run(context) })
        case .reads(let endpoint):
            let began = clock.ticks()
            do {
                done(.success(try container.read { reader in try endpoint.run(context, reader) }))
            } catch let turned as NeedsWriter {
                return run(.writes(turned.endpoint), context, container, done)
            } catch {
                done(.failure(error))
            }
            // The answer was encoded meanwhile, on this thread.
            spent(clock.ticks() &- began, context.tenant)
        case .writes(let endpoint):
            write(endpoint, context, container, done)
        }
    }

    private func write(
        _ endpoint: any WritingEndpoint, _ context: RequestContext, _ container: ContainerStore,
        _ done: @escaping @Sendable (Result<Answer, any Error>) -> Void
    ) {
        let clock = clock
        writeWaits(context.tenant)
        container.write({ writer in
            let began = clock.ticks()
            defer { context.afterCommit.writerTime.add(clock.ticks() &- began, ordering: .relaxed) }
            context.afterCommit.reset()
            context.zoneKeys.reset()
            return try endpoint.run(context, writer)
        }) { [self] result in
            writeEnded(context.tenant, after: context.afterCommit.writerTime.load(ordering: .relaxed))
            if case .success = result { context.afterCommit.carryOut(context, push) }
            done(result)
        }
    }

    func reply(to request: RequestInProgress, _ result: Result<Answer, any Error>) -> Reply {
        Reply(result.mapError { serverError($0, request.call.operation.path) }, webAuthToken: request.freshToken)
    }

    /// The error as the protocol says it. What is nobody's doing but the server's is logged under the same uuid.
    func serverError(_ error: any Error, _ what: String) -> ServerError {
        if var known = error as? ServerError {
            known.uuid = known.uuid ?? random.uuid()
            return known
        }
        let uuid = random.uuid()
        log.write(.error, "\(what) failed: \(error) [\(uuid)]")
        if let failure = error as? StoreError { return ServerError(failure, uuid: uuid) }
        return ServerError(.internalError, "An internal error occurred.", uuid: uuid)
    }
}
