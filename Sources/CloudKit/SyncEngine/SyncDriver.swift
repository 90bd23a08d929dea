import Foundation
import Synchronization

/// Carries out what the machine decides: asks the server and the delegate, one thing after the other.
final class SyncDriver: Sendable {
    private struct Control {
        var running: [UInt64: (operation: SyncOperation, task: Task<CKError?, Never>)] = [:]
        var last: Task<CKError?, Never>?
        var nextNumber: UInt64 = 0
        var schedule: SyncSchedule
        var timer: Task<Void, Never>?
        var isFiring = false
        var isFlushPlanned = false
        /// Planned ones and those that the delegate is at.
        var flushCount = 0
        var isStopped = false
        /// Whose subscription is known to be there.
        var subscribedUser: String?
        var isRegistered = false
        /// Of pushes, of the account and the network, and by tests.
        var observations: [Observation] = []
    }

    private struct Machinery {
        var machine: SyncMachine
        /// The queues' generations when what is on its way was taken from them.
        var recordGeneration: UInt64 = 0
        var zoneGeneration: UInt64 = 0
        var untrackedRevision: UInt64 = 0
        var lastFlush = -Double.infinity
        var flushDuration = 0.0
    }

    /// Weak in a box, since the app's object owns its engine.
    private struct Delegate {
        weak var object: (any CKSyncEngineDelegate)?
    }

    private let requests: SyncRequests
    private let state: CKSyncEngine.State
    private let surroundings: SyncSurroundings
    private let isAutomatic: Bool
    private let subscription: SyncSubscription
    private let activities: Activities?
    private let delegate: Mutex<Delegate>
    private let control: Mutex<Control>
    /// Only whoever has the turn uses it; the lock is for the compiler.
    private let machinery: Mutex<Machinery>
    /// Whoever talks to the delegate has it; an operation gives it back while it waits for the server, so that the state
    /// can be handed out meanwhile.
    private let turn = SyncTurn()

    init(_ configuration: CKSyncEngine.Configuration, state: CKSyncEngine.State, surroundings: SyncSurroundings) {
        requests = SyncRequests(database: configuration.database)
        self.state = state
        self.surroundings = surroundings
        isAutomatic = configuration.automaticallySync
        subscription = SyncSubscription(configuration)
        activities = subscription.activities
        delegate = Mutex(Delegate(object: configuration.delegate))
        control = Mutex(Control(schedule: SyncSchedule(seed: surroundings.seed)))
        machinery = Mutex(Machinery(machine: SyncMachine(progress: state.read { $0.contents.progress })))
    }

    // MARK: Operations, one after the other

    func perform(_ input: SyncMachine.Input, _ engine: CKSyncEngine) async throws(CKError) {
        let (operation, task) = enqueue(input, engine)
        let error = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            operation.cancel()
        }
        if let error { throw error }
    }

    private func enqueue(
        _ input: SyncMachine.Input, _ engine: CKSyncEngine
    ) -> (SyncOperation, Task<CKError?, Never>) {
        let operation = SyncOperation()
        let task = control.withLock { control in
            let number = control.nextNumber
            control.nextNumber += 1
            let before = control.last
            let task = Task<CKError?, Never> {
                _ = await before?.value
                let error = await self.run(input, operation, engine)
                self.control.withLock { control in
                    control.running[number] = nil
                    if control.running.isEmpty { control.last = nil }
                }
                self.activities?.changed()
                return error
            }
            control.running[number] = (operation, task)
            control.last = task
            return task
        }
        activities?.changed()
        return (operation, task)
    }

    func cancel() async {
        let running = control.withLock { Array($0.running.values) }
        for (operation, _) in running { operation.cancel() }
        for (_, task) in running { _ = await task.value }
    }

    private func run(
        _ input: SyncMachine.Input, _ operation: SyncOperation, _ engine: CKSyncEngine
    ) async -> CKError? {
        await turn.take()
        defer {
            operation.readAhead.cancel()
            turn.giveBack()
        }
        if let progress = state.read({ $0.isShared ? $0.contents.progress : nil }) {
            // As far as another engine of the same state has come.
            machinery.withLock { $0.machine.progress = progress }
        }
        var effects = machinery.withLock { $0.machine.advance(input) }
        while true {
            var next: SyncMachine.Input?
            for effect in effects {
                if case .finished(let error) = effect {
                    await flush(engine, always: true)
                    return error
                }
                guard !(await carryOut(effect, engine)) else { continue }
                guard let delegate = delegate.withLock({ $0.object }) else {
                    machinery.withLock { $0.machine.abandon() }
                    return CKError(.operationCancelled, reason: "The sync engine's delegate is gone")
                }
                next = await answer(effect, operation, delegate, engine)
            }
            guard let input = next else {
                machinery.withLock { $0.machine.abandon() }
                return SyncMachine.unexpected
            }
            effects = machinery.withLock { $0.machine.advance(input) }
        }
    }

    /// Does what needs no answer.
    ///
    /// - Returns: false for what does.
    private func carryOut(_ effect: SyncMachine.Effect, _ engine: CKSyncEngine) async -> Bool {
        switch effect {
        case .settleDatabaseChanges(let changes):
            let generation = machinery.withLock { $0.zoneGeneration }
            state.update { stored in
                for change in changes { stored.contents.zones.settle(change, upTo: generation) }
            }
        case .settleRecordChanges(let changes, let postponed):
            let generation = machinery.withLock { $0.recordGeneration }
            state.update { stored in
                for change in changes { stored.contents.records.settle(change, upTo: generation) }
                for change in postponed { stored.contents.records.postpone(change) }
            }
        case .forgetPendingChanges:
            state.update { stored in
                stored.contents.records.removeAll()
                stored.contents.zones.removeAll()
                stored.contents.hasUntrackedChanges = false
            }
        case .nothingUntracked:
            let revision = machinery.withLock { $0.untrackedRevision }
            state.update { stored in
                if stored.untrackedRevision == revision { stored.contents.hasUntrackedChanges = false }
            }
        case .progressChanged:
            let progress = machinery.withLock { $0.machine.progress }
            if state.read({ $0.contents.progress != progress }) { state.update { $0.contents.progress = progress } }
            await flush(engine, always: false)
        default:
            return false
        }
        return true
    }

    private func answer(
        _ effect: SyncMachine.Effect, _ operation: SyncOperation, _ delegate: any CKSyncEngineDelegate,
        _ engine: CKSyncEngine
    ) async -> SyncMachine.Input? {
        let requests = requests
        switch effect {
        case .checkAccount:
            return .account(await waiting(operation) { await requests.bindAccount() })
        case .deliver(let event):
            await delegate.handleEvent(event, syncEngine: engine)
            return .handled
        case .askForFetchOptions(let context):
            return .fetchOptions(await delegate.nextFetchChangesOptions(context, syncEngine: engine))
        case .fetchDatabaseChanges(let token):
            let zoneTokens = machinery.withLock { $0.machine.progress.zoneTokens }
            return .databaseChanges(
                await waiting(operation) {
                    await requests.databaseChanges(since: token, zoneTokens: zoneTokens) { zoneID, token, page in
                        operation.readAhead.begin(zoneID, since: token) { page }
                    }
                })
        case .fetchZoneChanges(let zoneID, let token):
            return .zoneChanges(await zoneChanges(in: zoneID, since: token, operation))
        case .takePendingDatabaseChanges(let scope, let failed, let limit):
            let (changes, generation) = state.read { stored in
                let changes = stored.contents.zones.changes.lazy
                    .filter { scope.contains(zone: $0.zoneID) && !failed.contains($0.zoneID) }
                return (Array(changes.prefix(limit)), stored.contents.zones.generation)
            }
            machinery.withLock { $0.zoneGeneration = generation }
            return .pendingDatabaseChanges(changes)
        case .askForRecordBatch(let context):
            // Taken before the delegate reads its records: what is added from now on may not be in them.
            let (generation, revision) = state.read { ($0.contents.records.generation, $0.untrackedRevision) }
            machinery.withLock {
                $0.recordGeneration = generation
                $0.untrackedRevision = revision
            }
            return .recordBatch(await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine))
        case .modifyZones(let saving, let deleting):
            return .zonesModified(
                await waiting(operation) { await requests.modifyZones(saving: saving, deleting: deleting) })
        case .modifyRecords(let request):
            return .recordsModified(await waiting(operation) { await requests.modifyRecords(request) })
        default:
            return nil
        }
    }

    /// A page of a zone. The one after it is asked for as soon as its token is known, while records are made of this one
    /// and the delegate handles them.
    private func zoneChanges(
        in zoneID: CKRecordZone.ID, since token: String?, _ operation: SyncOperation
    ) async -> Result<SyncMachine.ZonePage, CKError> {
        let result = await waiting(operation) {
            if let page = await operation.readAhead.page(of: zoneID, since: token) { return page }
            return await self.requestZoneChanges(in: zoneID, since: token, operation)
        }
        if case .success(let page) = result, page.moreComing, page.token != token {
            readAhead(zoneID, since: page.token, operation)
        }
        return result
    }

    private func requestZoneChanges(
        in zoneID: CKRecordZone.ID, since token: String?, _ operation: SyncOperation
    ) async -> Result<SyncMachine.ZonePage, CKError> {
        await requests.zoneChanges(in: zoneID, since: token) { next in
            self.readAhead(zoneID, since: next, operation)
        }
    }

    private func readAhead(_ zoneID: CKRecordZone.ID, since token: String, _ operation: SyncOperation) {
        operation.readAhead.begin(zoneID, since: token) {
            await self.requestZoneChanges(in: zoneID, since: token, operation)
        }
    }

    private func waiting<Value: Sendable>(
        _ operation: SyncOperation, _ request: @escaping @Sendable () async -> Result<Value, CKError>
    ) async -> Result<Value, CKError> {
        turn.giveBack()
        let result = await operation.answer(request)
        await turn.take()
        return result
    }

    // MARK: Handing out the state

    /// Tells the delegate the state, if it changed. Only with the turn.
    ///
    /// - Parameter always: Else not again within a tenth of a second, and so that storing takes at most a fifth of the
    ///   time: of a hundred thousand pending changes each batch leaves nearly all.
    private func flush(_ engine: CKSyncEngine, always: Bool) async {
        let began = surroundings.now()
        let isDue = machinery.withLock { began - $0.lastFlush >= max(0.1, 4 * $0.flushDuration) }
        guard always || isDue, let delegate = delegate.withLock({ $0.object }),
            let serialization = state.nextSerialization()
        else { return }
        await delegate.handleEvent(.stateUpdate(.init(stateSerialization: serialization)), syncEngine: engine)
        let ended = surroundings.now()
        machinery.withLock {
            $0.lastFlush = ended
            $0.flushDuration = ended - began
        }
    }

    /// Changes that the app makes are handed out a moment later, so that many make one update.
    private func planFlush(_ engine: CKSyncEngine) {
        let isFirst = control.withLock { control in
            guard !control.isFlushPlanned, !control.isStopped else { return false }
            control.isFlushPlanned = true
            control.flushCount += 1
            return true
        }
        guard isFirst else { return }
        activities?.changed()
        Task { [weak engine] in
            try? await self.surroundings.sleep(SyncSchedule.coalescing / 2)
            await self.turn.take()
            self.control.withLock { $0.isFlushPlanned = false }
            if let engine { await self.flush(engine, always: true) }
            self.turn.giveBack()
            self.control.withLock { $0.flushCount -= 1 }
            self.activities?.changed()
        }
    }

    // MARK: Syncing by itself

    func start(_ engine: CKSyncEngine) {
        if let activities {
            let observation = activities.begin { [weak self] in self?.activity }
            control.withLock { $0.observations.append(observation) }
        }
        guard isAutomatic else { return }
        let hasPending = state.read {
            !$0.contents.records.isEmpty || !$0.contents.zones.isEmpty || $0.contents.hasUntrackedChanges
        }
        let conditions = subscription.observeConditions { [weak self, weak engine] in
            guard let self, let engine else { return }
            self.plan(engine) { schedule, now in
                schedule.forgetFailures()
                schedule.askForFetch(now: now)
                schedule.askForSend(now: now)
            }
        }
        let pushes = subscription.observe { [weak self, weak engine] news in
            guard let self, let engine else { return }
            if news == .registered { self.registered() }
            self.plan(engine) { schedule, now in
                schedule.networkIsBack()
                switch news {
                case .changed: schedule.askForFetchAtOnce(now: now)
                case .registered: schedule.askForFetch(now: now)
                case .reachedAgain: break
                }
            }
        }
        control.withLock { $0.observations += [conditions, pushes] }
        plan(engine) { schedule, now in
            schedule.askForFetch(now: now)
            if hasPending { schedule.askForSend(now: now) }
        }
    }

    func stop() {
        let (timer, observations) = control.withLock { control in
            control.isStopped = true
            defer { control.observations = [] }
            return (control.timer, control.observations)
        }
        timer?.cancel()
        for observation in observations { observation.cancel() }
    }

    func stateChanged(sends: Bool, _ engine: CKSyncEngine) {
        planFlush(engine)
        if isAutomatic && sends { plan(engine) { $0.askForSend(now: $1) } }
    }

    func serverMayHaveChanges(_ engine: CKSyncEngine) {
        if isAutomatic { plan(engine) { $0.askForFetch(now: $1) } }
    }

    /// What the engine is at, or is about to do by itself; nil also while it waits for network, account or room.
    var activity: String? {
        let now = surroundings.now()
        return control.withLock { control in
            guard !control.isStopped || !control.running.isEmpty else { return nil }
            if !control.running.isEmpty || control.isFiring { return "a sync engine fetches or sends" }
            if control.flushCount > 0 { return "a sync engine hands out its state" }
            return control.schedule.canGoOn(now: now) ? "a sync engine is about to fetch or send" : nil
        }
    }

    /// Takes a wish and sets the timer accordingly.
    private func plan(_ engine: CKSyncEngine, _ wish: (inout SyncSchedule, Double) -> Void = { _, _ in }) {
        let now = surroundings.now()
        control.withLock { control in
            wish(&control.schedule, now)
            guard !control.isFiring, !control.isStopped, let delay = control.schedule.delay(now: now) else { return }
            control.timer?.cancel()
            control.timer = Task { [weak engine] in
                do { try await self.surroundings.sleep(delay) } catch { return }
                guard !Task.isCancelled, let engine else { return }
                await self.fire(engine)
            }
        }
        activities?.changed()
    }

    /// Before the first fetch, so that what changes after it is told.
    ///
    /// - Returns: What kept it from being saved. The engine syncs without a subscription too, only later.
    private func subscribe() async -> CKError? {
        guard case .success(let account?) = await requests.account(),
            control.withLock({ $0.subscribedUser }) != account.userRecordName
        else { return nil }
        if let error = await subscription.save(for: account) { return error }
        control.withLock { $0.subscribedUser = account.userRecordName }
        return nil
    }

    /// The server knows this device, or knows it again: one that had forgotten it may have forgotten the subscription too.
    private func registered() {
        control.withLock { control in
            if control.isRegistered { control.subscribedUser = nil }
            control.isRegistered = true
        }
    }

    private func fire(_ engine: CKSyncEngine) async {
        let now = surroundings.now()
        let (fetches, sends) = control.withLock { control in
            guard !control.isFiring, !control.isStopped else { return (false, false) }
            let wishes = control.schedule.begin(now: now)
            control.isFiring = wishes.fetches || wishes.sends
            return wishes
        }
        if fetches {
            let unsubscribed = await subscribe()
            let context = CKSyncEngine.FetchChangesContext(reason: .scheduled, options: .init())
            let error = await enqueue(.fetch(context), engine).1.value
            control.withLock { $0.schedule.fetchEnded(error ?? unsubscribed, now: surroundings.now()) }
        }
        if sends {
            let context = CKSyncEngine.SendChangesContext(reason: .scheduled, options: .init())
            let error = await enqueue(.send(context), engine).1.value
            control.withLock { $0.schedule.sendEnded(error, now: surroundings.now()) }
        }
        if fetches || sends { control.withLock { $0.isFiring = false } }
        plan(engine)
    }
}
