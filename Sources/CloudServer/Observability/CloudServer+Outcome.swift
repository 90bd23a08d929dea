import CloudStore
import WebServices

extension CloudServer {
    /// Counts and logs how a request ended.
    ///
    /// - Parameters:
    ///   - requestBytes: of the body as it came over HTTP; 0 for a call in this process.
    ///   - responseBytes: of the answer's body.
    func note(_ request: RequestInProgress, _ reply: Reply, requestBytes: Int = 0, responseBytes: Int = 0) {
        // A poll that ends without news says nothing but that somebody waits, which is a gauge.
        if case .success(.courierPoll(nil)) = reply.result { return }
        let call = request.call
        let microseconds = Int64(clamping: (clock.ticks() &- request.started) / 1000)
        var row = RequestLogRow(
            // Whatever a stranger wrote in the path gets no log of its own.
            time: request.now, container: Self.isContainerIdentifier(call.container) ? call.container : "",
            environment: call.environment.rawValue,
            operation: "\(call.database.rawValue)/\(call.operation.path)",
            user: request.caller?.user?.recordName ?? "", status: 200, microseconds: microseconds,
            requestBytes: Int64(requestBytes), responseBytes: Int64(responseBytes))
        switch reply.result {
        case .success(let answer):
            row.detail = answer.failedItems
        case .failure(let error):
            row.status = Int64(error.code.status)
            row.errorCode = error.code.name
            row.requestID = error.uuid ?? ""
            // A reason may quote what was sent, however long.
            row.detail = String(decoding: error.reason.utf8.prefix(500), as: UTF8.self)
        }
        metrics.count(call.operation.path, status: Int(row.status), microseconds: microseconds)
        requestLog.append(row)
    }
}

extension CloudServer {
    /// Counts and logs a file that was sent or fetched, or why not.
    func noteAsset(
        _ action: String, _ path: AssetPath, user: String, started: UInt64, requestBytes: Int64 = 0,
        responseBytes: Int64 = 0, status: Int = 200, error: ServerError? = nil
    ) {
        let microseconds = Int64(clamping: (clock.ticks() &- started) / 1000)
        var row = RequestLogRow(
            time: clock.now(), container: Self.isContainerIdentifier(path.container) ? path.container : "",
            environment: path.environment.rawValue, operation: "assets/\(action)", user: user, status: Int64(status),
            microseconds: microseconds, requestBytes: requestBytes, responseBytes: responseBytes)
        if let error {
            row.errorCode = error.code.name
            row.requestID = error.uuid ?? ""
            row.detail = String(decoding: error.reason.utf8.prefix(500), as: UTF8.self)
        }
        metrics.count("assets/\(action)", status: status, microseconds: microseconds)
        requestLog.append(row)
    }
}

extension Answer {
    /// Which errors stand in place of records, as in `2 of 5: CONFLICT, ATOMIC_ERROR`; empty if none.
    fileprivate var failedItems: String {
        let results: [RecordResult]
        switch self {
        case .recordsModify(let response), .recordsLookup(let response): results = response.records
        default: return ""
        }
        var codes: [String] = []
        var count = 0
        for case .failure(_, let error, _) in results {
            count += 1
            if !codes.contains(error.code.name) { codes.append(error.code.name) }
        }
        return count == 0 ? "" : "\(count) of \(results.count): \(codes.joined(separator: ", "))"
    }
}
