import CloudStore
import Foundation
import WebServices

/// What an operator's own programs ask for.
extension Router {
    /// `GET /stratus/health`: 200 while the store can be read.
    func health() -> HTTPResponse {
        do {
            let containers = try server.store.containers().count
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("status", "ok")
            writer.member("containers", containers)
            writer.endObject()
            return .json(writer.finish(), headers: [("Cache-Control", "no-store")])
        } catch {
            return failure(server.serverError(error, "health"), status: 503)
        }
    }

    /// `GET /stratus/metrics`, in Prometheus' text format.
    func metrics() -> HTTPResponse {
        let containers = (try? server.store.containers().count) ?? 0
        let text = server.metrics.prometheus(gauges: [
            ("stratus_containers", "Environments of containers in the store.", Int64(containers)),
            ("stratus_resident_memory_bytes", "Memory of the process.", Self.residentMemory),
            ("stratus_push_polls", "Long polls that wait for a push.", Int64(server.push.pollCount)),
        ])
        return HTTPResponse(
            headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: Array(text.utf8))
    }

    /// Bytes of memory that the process has in use, as Linux counts them; 0 elsewhere.
    private static var residentMemory: Int64 {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int64($0) })
        else { return 0 }
        return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
