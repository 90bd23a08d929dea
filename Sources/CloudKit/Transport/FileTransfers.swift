import Foundation
import Synchronization
import WebServices

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends and fetches files over HTTP, from disk to disk: none ever lies in memory.
// Unchecked: NSObject is not checked; what changes lies behind the lock.
final class FileTransfers: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
    struct Answer: Sendable {
        var status: Int
        /// Of an upload, or of a download that was refused.
        var body: [UInt8]
        var byteCount: Int64
    }

    private struct Transfer {
        var continuation: CheckedContinuation<Result<Answer, TransportError>, Never>?
        var target: URL?
        var progress: @Sendable (Int64) -> Void
        var body: [UInt8] = []
        var byteCount: Int64 = 0
        var failure: String?
        var lastMove = ContinuousClock.now
        var timeout: Double
        var isOverdue = false
    }

    /// More than an answer or an error dictionary ever has.
    private static let bodyLimit = 1 << 20

    private let transfers = Mutex<[Int: Transfer]>([:])

    func send(
        _ file: URL, _ request: URLRequest, on session: URLSession, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Answer {
        try await run(session.uploadTask(with: request, fromFile: file), request, target: nil, progress)
    }

    func fetch(
        _ request: URLRequest, to target: URL, on session: URLSession, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Answer {
        try await run(session.downloadTask(with: request), request, target: target, progress)
    }

    private func run(
        _ task: URLSessionTask, _ request: URLRequest, target: URL?, _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Answer {
        let number = task.taskIdentifier
        let result: Result<Answer, TransportError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfers.withLock {
                    $0[number] = Transfer(
                        continuation: continuation, target: target, progress: progress,
                        timeout: request.timeoutInterval)
                }
                watch(task, after: request.timeoutInterval)
                task.resume()
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Ends a transfer that has not moved for as long as a request may wait.
    private func watch(_ task: URLSessionTask, after seconds: Double) {
        let number = task.taskIdentifier
        _ = RequestDeadlines.shared.add(after: seconds) { [weak self, weak task] in
            guard let self, let task else { return }
            let rest: Double? = transfers.withLock { transfers in
                guard let transfer = transfers[number] else { return nil }
                let still = (ContinuousClock.now - transfer.lastMove) / .seconds(1)
                if still < transfer.timeout { return transfer.timeout - still }
                transfers[number]?.isOverdue = true
                return 0
            }
            guard let rest else { return }
            if rest > 0 { watch(task, after: rest) } else { task.cancel() }
        }
    }

    private func moved(_ task: URLSessionTask, _ byteCount: Int64) {
        let progress = transfers.withLock { transfers in
            transfers[task.taskIdentifier]?.lastMove = .now
            transfers[task.taskIdentifier]?.byteCount = byteCount
            return transfers[task.taskIdentifier]?.progress
        }
        progress?(byteCount)
    }

    // MARK: URLSession

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        moved(task, totalBytesSent)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfers.withLock { transfers in
            guard let count = transfers[dataTask.taskIdentifier]?.body.count, count < Self.bodyLimit else { return }
            transfers[dataTask.taskIdentifier]?.body += data.prefix(Self.bodyLimit - count)
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        // Foundation tells of the response later than of its first bytes, so that those of a refusal count too.
        moved(downloadTask, totalBytesWritten)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let number = downloadTask.taskIdentifier
        guard let target = transfers.withLock({ $0[number]?.target }) else { return }
        do {
            if (downloadTask.response as? HTTPURLResponse)?.statusCode == 200 {
                try FileManager.default.moveItem(at: location, to: target)
                let size = try FileManager.default.attributesOfItem(atPath: target.path)[.size] as? Int64 ?? 0
                transfers.withLock { $0[number]?.byteCount = size }
            } else {
                let handle = try FileHandle(forReadingFrom: location)
                let body = [UInt8](try handle.read(upToCount: Self.bodyLimit) ?? Data())
                try handle.close()
                transfers.withLock { $0[number]?.body = body }
            }
        } catch {
            transfers.withLock { $0[number]?.failure = "\(error)" }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        let result: Result<Answer, TransportError>
        if let error {
            result = .failure(transfer.isOverdue ? .timedOut : HTTPTransport.transportError(error))
        } else if let failure = transfer.failure {
            result = .failure(.answerLost(failure))
        } else if let response = task.response as? HTTPURLResponse {
            result = .success(
                Answer(status: response.statusCode, body: transfer.body, byteCount: transfer.byteCount))
        } else {
            result = .failure(.notUnderstood(status: nil, "The answer is not HTTP"))
        }
        transfer.continuation?.resume(returning: result)
    }
}
