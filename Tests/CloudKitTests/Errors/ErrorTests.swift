import CloudKit
import Testing

@Suite("Errors")
struct ErrorTests {
    private func fail(_ code: CKError.Code, _ userInfo: [String: Any] = [:]) throws {
        throw CKError(code, userInfo: userInfo)
    }

    @Test("A thrown error is caught by its code in every spelling")
    func catching() throws {
        var caught: [String] = []
        do { try fail(.unknownItem) } catch CKError.unknownItem { caught.append("pattern") }
        do {
            try fail(.zoneNotFound)
        } catch let error as CKError where error.code == .zoneNotFound {
            caught.append("cast with condition")
        }
        do {
            try fail(.networkFailure)
        } catch CKError.unknownItem {
            caught.append("the wrong one")
        } catch CKError.networkFailure, CKError.networkUnavailable {
            caught.append("one of two")
        }
        do { try fail(.quotaExceeded) } catch {
            if let error = error as? CKError, error.code == CKError.quotaExceeded { caught.append("optional cast") }
            if (error as NSError).domain == CKErrorDomain { caught.append("domain") }
            #expect((error as NSError).code == CKError.Code.quotaExceeded.rawValue)
        }
        #expect(caught == ["pattern", "cast with condition", "one of two", "optional cast", "domain"])
    }

    @Test("Errors are equal when code and user info are")
    func equality() {
        #expect(CKError(.zoneNotFound) == CKError(.zoneNotFound))
        #expect(CKError(.zoneNotFound) != CKError(.unknownItem))
        #expect(CKError(.zoneNotFound, userInfo: ["a": 1]) != CKError(.zoneNotFound))
        #expect(CKError(.zoneNotFound, userInfo: ["a": 1]) == CKError(.zoneNotFound, userInfo: ["a": 1]))
        #expect(Set([CKError(.zoneNotFound), CKError(.zoneNotFound)]).count == 1)
    }

    @Test("A conflict carries the three records")
    func conflict() {
        let records = (0..<3).map { CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "\($0)")) }
        let error = CKError(
            .serverRecordChanged,
            userInfo: [
                CKRecordChangedErrorAncestorRecordKey: records[0], CKRecordChangedErrorServerRecordKey: records[1],
                CKRecordChangedErrorClientRecordKey: records[2],
            ])
        #expect(error.ancestorRecord === records[0])
        #expect(error.serverRecord === records[1])
        #expect(error.clientRecord === records[2])
        #expect(CKError(.serverRecordChanged).serverRecord == nil)
    }

    @Test("The errors of a partial failure are read in every spelling")
    func partialErrors() {
        let recordID = CKRecord.ID(recordName: "n")
        let errors: [AnyHashable: any Error] = [recordID: CKError(.unknownItem)]
        let error = CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: errors])
        #expect((error.partialErrorsByItemID?[recordID] as? CKError)?.code == .unknownItem)
        #expect((error.userInfo[CKPartialErrorsByItemIDKey] as? [CKRecord.ID: any Error])?.count == 1)
        let cast = error.userInfo[CKPartialErrorsByItemIDKey] as? [NSObject: CKError]
        #expect(cast?[recordID]?.code == .unknownItem)
        #expect(CKError(.partialFailure).partialErrorsByItemID == nil)
    }

    @Test("How long to wait is told in seconds")
    func retry() {
        let error = CKError(.requestRateLimited, reason: "Slow down", retryAfter: 2.5)
        #expect(error.retryAfterSeconds == 2.5)
        #expect(error.userInfo[CKErrorRetryAfterKey] as? NSNumber == 2.5)
        #expect(error.localizedDescription == "Slow down")
        #expect(CKError(.zoneBusy).retryAfterSeconds == nil)
    }

    @Test("Every code has Apple's number, a name of its own, and words for a person")
    func codes() {
        let codes = (1...37).compactMap { CKError.Code(rawValue: $0) }
        #expect(codes.count == 37)
        #expect(CKError.Code(rawValue: 0) == nil && CKError.Code(rawValue: 38) == nil)
        #expect(Set(codes.map(\.text)).count == 37)
        #expect(CKError.Code.serverRecordChanged.rawValue == 14)
        #expect(CKError.Code.changeTokenExpired.rawValue == 21)
        #expect(CKError.Code.limitExceeded.rawValue == 27)
        #expect(CKError.Code.accountTemporarilyUnavailable.rawValue == 36)
        let anyError: any Error = CKError(.unknownItem)
        #expect(anyError.localizedDescription == "The item does not exist.")
        #expect("\(anyError)".hasSuffix("\"Unknown Item\" (11); \"The item does not exist.\">"))
    }

    @Test("A partial failure's description names the items and their errors, not all of a thousand")
    func partialDescription() {
        let errors = (100..<120).map { number in
            (
                AnyHashable(CKRecord.ID(recordName: "record \(number)")),
                CKError(.zoneNotFound, reason: "No zone") as any Error
            )
        }
        let error = CKError(
            .partialFailure,
            userInfo: [CKPartialErrorsByItemIDKey: Dictionary(uniqueKeysWithValues: errors)])
        #expect(error.description.contains("record 100: \"Zone Not Found\" (26); \"No zone\""))
        #expect(error.description.contains("and 10 more"))
        #expect(!error.description.contains("record 115"))
    }
}
