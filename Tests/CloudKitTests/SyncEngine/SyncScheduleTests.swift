import Testing

@testable import CloudKit

@Suite("The sync engine's schedule") struct SyncScheduleTests {
    @Test("Changes made in a row wait for one another")
    func coalescing() {
        var schedule = SyncSchedule(seed: 1)
        #expect(schedule.delay(now: 10) == nil)
        schedule.askForSend(now: 10)
        schedule.askForSend(now: 10.05)
        #expect(abs((schedule.delay(now: 10.05) ?? 0) - 0.05) < 0.0001)
    }

    @Test("The pause grows with each failure and never ends before the server's time")
    func pause() {
        var schedule = SyncSchedule(seed: 1)
        var delays: [Double] = []
        for _ in 0..<20 {
            schedule.askForSend(now: 0)
            _ = schedule.begin(now: 1_000_000)
            schedule.sendEnded(CKError(.networkFailure), now: 0)
            #expect(schedule.wantsSend)
            delays.append(schedule.delay(now: 0) ?? 0)
        }
        #expect(delays[0] <= 1)
        #expect(delays[19] >= 300 && delays[19] <= 600)
        schedule.sendEnded(CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 9000.0]), now: 0)
        #expect((schedule.delay(now: 0) ?? 0) >= 300)
        var patient = SyncSchedule(seed: 2)
        patient.sendEnded(CKError(.requestRateLimited, reason: nil, retryAfter: 9000), now: 0)
        #expect((patient.delay(now: 0) ?? 0) >= 9000)
    }

    @Test("A conflict is sent again at once, but not for ever without a pause")
    func conflicts() {
        var schedule = SyncSchedule(seed: 1)
        let conflict = CKError(
            .partialFailure, userInfo: [CKPartialErrorsByItemIDKey: [AnyHashable("a"): CKError(.serverRecordChanged)]])
        schedule.sendEnded(conflict, now: 0)
        schedule.askForSend(now: 0)
        #expect((schedule.delay(now: 0) ?? 9) <= SyncSchedule.coalescing)
        for _ in 0..<5 { schedule.sendEnded(conflict, now: 0) }
        #expect((schedule.delay(now: 0) ?? 0) > 5)
    }

    @Test("What the app dropped is not asked for again")
    func noRetry() {
        var schedule = SyncSchedule(seed: 1)
        schedule.sendEnded(CKError(.permissionFailure), now: 0)
        #expect(schedule.delay(now: 0) == nil)
    }
}
