import Foundation
import WebServices

@testable import CloudKit

/// A device with an app and a sync engine's machine, driven effect by effect. What the app does is in EngineDevice+App.
final class EngineDevice {
    /// What survives a crash: the app's data and the engine's state, stored together.
    struct Disk {
        var values: [CKRecord.ID: Int64] = [:]
        /// Records as the server last showed them.
        var known: [CKRecord.ID: CKRecord] = [:]
        var erased: Set<CKRecord.ID> = []
        /// What a zone that is read from its beginning has not shown yet.
        var unconfirmed: [CKRecordZone.ID: Set<CKRecord.ID>] = [:]
        /// Zones of whose first reading a part has come: the next part will not show that again.
        var begun: Set<CKRecordZone.ID> = []
        /// Zones that were read to their end.
        var read: Set<CKRecordZone.ID> = []
        /// Zones that the engine has told of, and not that they are gone.
        var told: Set<CKRecordZone.ID> = []
        /// So many of a zone's removals are over for the app: it heard of them, or has read a zone that came after them.
        var heardRemovals: [CKRecordZone.ID: Int] = [:]
        /// So many will be over when the zone, whose token ran out, has been read again.
        var owedRemovals: [CKRecordZone.ID: Int] = [:]
        var state = StateContents()
    }

    enum Request {
        case fetch, send
    }

    let index: Int
    let isAtomic: Bool
    private let pageSize: Int
    let network: EngineNetwork

    var now = Disk()
    private(set) var disk = Disk()
    private var machine = SyncMachine()
    private var effects: [SyncMachine.Effect] = []
    private var recordGeneration: UInt64 = 0
    private var zoneGeneration: UInt64 = 0

    /// Who is signed in on the device, whatever the engine knows of it.
    private(set) var user: String?
    private(set) var schedule = SyncSchedule(seed: 0)
    private var launches: UInt64 = 0
    /// What the schedule began and has not ended yet, the one going on first.
    private var scheduled: [Request] = []
    private var isScheduled = false
    private var subscriptionFailure: CKError?
    /// Who is taking over what was written without an account, until that is on the disk.
    var adopter: String?
    /// Whose subscription is known to be there.
    var subscribedUser: String?
    /// How often each zone had been removed when the engine's list of zones was made.
    private(set) var removalsOfList: [CKRecordZone.ID: Int] = [:]
    /// And when a zone's last page was made.
    private(set) var removalsOfPage: [CKRecordZone.ID: Int] = [:]
    var courier = EngineCourier()

    init(index: Int, _ device: EngineScript.Device, network: EngineNetwork) {
        self.index = index
        isAtomic = device.isAtomic
        pageSize = device.pageSize
        self.network = network
        user = device.user.rawValue
        launch()
    }

    var name: String { "device-\(index)" }
    /// Whose data the engine takes the present ones for.
    var owner: String? { machine.progress.userRecordName }
    /// The app has heard of another account and not stored that yet. It takes no edits meanwhile: after a crash it would take
    /// them for the account's before.
    var isChangingAccount: Bool { disk.state.progress.userRecordName.map { $0 != owner } ?? false }
    var isIdle: Bool { effects.isEmpty }
    var hasPending: Bool { !now.state.records.isEmpty || !now.state.zones.isEmpty }
    var time: Double { network.time }

    /// An edit is on the disk at once. What the engine is in the middle of is not: it hands its state out when the app has
    /// handled what belongs to it.
    func edit(_ change: (inout Disk) -> Void) {
        change(&now)
        change(&disk)
        isToSend()
    }

    /// Something is pending that was not.
    func isToSend() {
        schedule.askForSend(now: time)
    }

    // MARK: Life

    /// Killed between two effects, and started again with what is on the disk.
    func crash() {
        now = disk
        now.state = Self.reread(disk.state)
        disk = now
        effects = []
        adopter = nil
        scheduled = []
        isScheduled = false
        courier = EngineCourier()
        subscribedUser = nil
        launch()
    }

    private func launch() {
        machine = SyncMachine(progress: now.state.progress)
        launches += 1
        schedule = SyncSchedule(seed: UInt64(index) << 32 | launches)
        schedule.askForFetch(now: time)
        if hasPending { schedule.askForSend(now: time) }
    }

    /// What a state is after it has been written and read.
    private static func reread(_ state: StateContents) -> StateContents {
        guard let data = try? JSONEncoder().encode(CKSyncEngine.State.Serialization(state)),
            let read = try? JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
        else { return StateContents() }
        return read.contents
    }

    func signIn(_ user: String?) {
        guard self.user != user else { return }
        self.user = user
        courier = EngineCourier()
        schedule.forgetFailures()
        schedule.askForFetch(now: time)
        schedule.askForSend(now: time)
    }

    /// A push came, or may have been missed.
    func serverMayHaveChanges() {
        schedule.askForFetch(now: time)
    }

    // MARK: Operations

    func begin(_ request: Request) {
        guard isIdle, scheduled.isEmpty else { return }
        start(request, .manual)
    }

    /// Begins what the schedule says is due.
    func wake() {
        guard isIdle, scheduled.isEmpty else { return }
        let wishes = schedule.begin(now: time)
        if wishes.fetches { scheduled.append(.fetch) }
        if wishes.sends { scheduled.append(.send) }
        startScheduled()
    }

    private func startScheduled() {
        guard let request = scheduled.first else { return }
        isScheduled = true
        if request == .fetch { subscriptionFailure = network.subscribe(self) }
        start(request, .scheduled)
    }

    private func start(_ request: Request, _ reason: CKSyncEngine.SyncReason) {
        switch request {
        case .fetch: effects = machine.advance(.fetch(.init(reason: reason, options: .init())))
        case .send: effects = machine.advance(.send(.init(reason: reason, options: .init())))
        }
    }

    private func ended(_ error: CKError?) {
        guard isScheduled, !scheduled.isEmpty else { return }
        isScheduled = false
        switch scheduled.removeFirst() {
        case .fetch: schedule.fetchEnded(error ?? subscriptionFailure, now: time)
        case .send: schedule.sendEnded(error, now: time)
        }
        startScheduled()
    }

    /// Carries out one effect. A crash may come before any of them.
    func step() {
        guard !effects.isEmpty else { return }
        let effect = effects.removeFirst()
        if case .finished(let error) = effect { return ended(error) }
        if let input = carryOut(effect) { effects = machine.advance(input) }
    }

    private func carryOut(_ effect: SyncMachine.Effect) -> SyncMachine.Input? {
        switch effect {
        case .checkAccount: return .account(network.account(of: self))
        case .deliver(let event):
            handle(event)
            return .handled
        case .askForFetchOptions(let context): return .fetchOptions(context.options)
        case .askForRecordBatch(let context):
            recordGeneration = now.state.records.generation
            return .recordBatch(batch(context))
        case .takePendingDatabaseChanges(let scope, let failed, let limit):
            zoneGeneration = now.state.zones.generation
            let changes = now.state.zones.changes.filter {
                scope.contains(zone: $0.zoneID) && !failed.contains($0.zoneID)
            }
            return .pendingDatabaseChanges(Array(changes.prefix(limit)))
        case .settleDatabaseChanges(let changes):
            for change in changes { now.state.zones.settle(change, upTo: zoneGeneration) }
        case .settleRecordChanges(let changes, let postponed):
            for change in changes { now.state.records.settle(change, upTo: recordGeneration) }
            for change in postponed { now.state.records.postpone(change) }
        case .forgetPendingChanges:
            now.state.records.removeAll()
            now.state.zones.removeAll()
        case .progressChanged:
            now.state.progress = machine.progress
            disk = now
            if let adopter { network.ledger.adopts(index, adopter) }
            adopter = nil
        case .nothingUntracked, .finished: break
        case .fetchDatabaseChanges:
            let input = network.answer(effect, for: self, pageSize: pageSize)
            removalsOfList = network.ledger.removalCounts(of: owner)
            return input
        case .fetchZoneChanges(let zoneID, _):
            let input = network.answer(effect, for: self, pageSize: pageSize)
            removalsOfPage[zoneID] = network.ledger.removalCounts(of: owner)[zoneID]
            return input
        default: return network.answer(effect, for: self, pageSize: pageSize)
        }
        return nil
    }

    func drain() {
        for _ in 0..<100_000 where !isIdle { step() }
    }
}
