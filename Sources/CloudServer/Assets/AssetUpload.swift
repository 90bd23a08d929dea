import CloudStore
import Cryptography
import Synchronization
import WebServices

/// A file on its way from a client to a container's folder.
final class AssetUpload: HTTPBodySink {
    let permit: UploadPermit
    let realm: PushRealm
    let container: ContainerStore
    let file: StagedFile
    /// For the request log.
    let started: UInt64
    let meter: Meter
    private let place: UploadPlaces.Place

    /// Tells what work cost, in nanoseconds of a thread.
    struct Meter: Sendable {
        let ticks: @Sendable () -> UInt64
        let spent: @Sendable (UInt64) -> Void

        func measure<Value>(_ body: () throws -> Value) rethrows -> Value {
            let began = ticks()
            defer { spent(ticks() &- began) }
            return try body()
        }
    }

    // A struct that cannot be copied has to be moved out of the lock's value, so it lies in an object.
    private final class State {
        var hash = SHA256()
        var multipart: MultipartBody?
        var failure: StoreError?
        var isFinished = false
    }
    // Unchecked: the state is only touched inside the lock.
    private struct Guarded: @unchecked Sendable { let state = State() }
    private let guarded = Mutex(Guarded())

    init(
        _ permit: UploadPermit, _ realm: PushRealm, _ container: ContainerStore, contentType: String?, started: UInt64,
        _ place: UploadPlaces.Place, meter: Meter
    ) throws(StoreError) {
        self.permit = permit
        self.realm = realm
        self.container = container
        self.started = started
        self.place = place
        self.meter = meter
        file = try container.assets.stage()
        let multipart = MultipartBody(contentType: contentType)
        guarded.withLock { $0.state.multipart = multipart }
    }

    func write(_ part: UnsafeRawBufferPointer) -> Bool {
        meter.measure { take(part) }
    }

    private func take(_ part: UnsafeRawBufferPointer) -> Bool {
        guarded.withLock { guarded in
            let state = guarded.state
            guard state.failure == nil else { return false }
            if var multipart = state.multipart {
                let content = multipart.content(of: part)
                state.multipart = multipart
                return content.withUnsafeBytes { append($0, state) }
            }
            return append(part, state)
        }
    }

    private func append(_ part: UnsafeRawBufferPointer, _ state: State) -> Bool {
        do throws(StoreError) {
            try file.append(part)
        } catch {
            state.failure = error
            return false
        }
        state.hash.update(part)
        return true
    }

    /// SHA-256 of what came, when all has come.
    ///
    /// - Throws: why it could not be taken.
    func digest() throws -> [UInt8] {
        try guarded.withLock { guarded in
            let state = guarded.state
            if let failure = state.failure { throw failure }
            if let multipart = state.multipart, !multipart.isComplete {
                throw ServerError.badRequest("The multipart body has no part that ends")
            }
            var hash = SHA256()
            swap(&hash, &state.hash)
            return hash.finish()
        }
    }
}

/// Unwraps the first part of `multipart/form-data`, in which one client wraps files. [RFC 7578]
struct MultipartBody: Sendable {
    private enum Phase { case preamble, headers, content, done }

    private let delimiter: [UInt8]
    private var phase = Phase.preamble
    private var waiting: [UInt8] = []

    /// nil for other content.
    init?(contentType: String?) {
        guard let contentType, contentType.lowercased().hasPrefix("multipart/"),
            let parameter = contentType.split(separator: ";").dropFirst().first(where: {
                $0.drop { $0 == " " }.lowercased().hasPrefix("boundary=")
            })
        else { return nil }
        let boundary = parameter.drop { $0 != "=" }.dropFirst().filter { $0 != "\"" }
        guard (1...70).contains(boundary.utf8.count) else { return nil }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first one may begin the body.
        waiting = Array("\r\n".utf8)
    }

    var isComplete: Bool { phase == .done }

    /// The bytes of the file in the next piece of the body.
    mutating func content(of part: UnsafeRawBufferPointer) -> [UInt8] {
        guard phase != .done else { return [] }
        waiting.append(contentsOf: part)
        if phase == .preamble, skip(through: delimiter) { phase = .headers }
        if phase == .headers, skip(through: Array("\r\n\r\n".utf8)) { phase = .content }
        guard phase == .content else { return [] }
        if let end = position(of: delimiter) {
            phase = .done
            defer { waiting = [] }
            return Array(waiting[..<end])
        }
        // What could be the beginning of the end waits for more.
        let count = max(0, waiting.count - delimiter.count)
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    private mutating func skip(through mark: [UInt8]) -> Bool {
        guard let start = position(of: mark) else {
            waiting.removeFirst(max(0, waiting.count - mark.count))
            return false
        }
        waiting.removeFirst(start + mark.count)
        return true
    }

    private func position(of mark: [UInt8]) -> Int? {
        guard waiting.count >= mark.count else { return nil }
        var position = 0
        while let next = waiting[position...].firstIndex(of: mark[0]), next + mark.count <= waiting.count {
            if waiting[next..<next + mark.count].elementsEqual(mark) { return next }
            position = next + 1
        }
        return nil
    }
}
