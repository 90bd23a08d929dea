import Foundation

// Apps ask at their launch which long-lived operations of the last one go on. None do here: operations end with their
// process, whatever `isLongLived` says.
extension CKContainer {
    @discardableResult
    public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { [] }

    public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.allLongLivedOperationIDs() }, completionHandler)
    }

    @discardableResult
    public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? { nil }

    public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID,
        completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.longLivedOperation(for: operationID) }) {
            (result: Result<CKOperation?, any Error>) in
            completionHandler(try? result.get(), result.failure)
        }
    }
}
