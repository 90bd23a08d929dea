import Dispatch
import Synchronization

/// A connection's other end.
final class HTTPPeer: Sendable {
    /// What the server has of it.
    private enum Phase: UInt8, AtomicRepresentable {
        /// Nothing, or a part of a request line.
        case idle
        /// The beginning of a request.
        case sending
        /// A long body that a sink takes.
        case uploading
        /// A whole request, and it is the server that takes its time.
        case waiting
        /// An answer is on its way to it.
        case taking
        /// A file is.
        case downloading
    }

    let socket: Int32
    let address: HTTPAddress?
    private let phase = Atomic(Phase.idle)
    /// When the phase began, in milliseconds of the monotonic clock.
    private let began = Atomic<UInt64>(HTTPPeer.now)
    /// The memory of the answer that is on its way.
    private let answerBytes = Atomic(0)

    init(socket: Int32, address: HTTPAddress?) {
        self.socket = socket
        self.address = address
    }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }

    func beginsRequest() { enter(.sending) }
    func beginsUpload() { enter(.uploading) }
    func hasSentRequest() { enter(.waiting) }
    func isIdle() { enter(.idle) }

    /// - Parameter memory: bytes that the answer holds until it is sent; none for a file.
    func takesAnswer(memory: Int, isFile: Bool) {
        answerBytes.store(memory, ordering: .relaxed)
        enter(isFile ? .downloading : .taking)
    }

    /// The memory of its answer, which only the first to ask may count as given back.
    func giveAnswerMemory() -> Int { answerBytes.exchange(0, ordering: .relaxed) }

    /// For how many milliseconds it has been taking an answer that holds memory; nil when it is not.
    func answerAge(at now: UInt64) -> UInt64? {
        guard phase.load(ordering: .relaxed) == .taking, answerBytes.load(ordering: .relaxed) > 0 else { return nil }
        let began = began.load(ordering: .relaxed)
        return now > began ? now - began : 0
    }

    private func enter(_ next: Phase) {
        began.store(Self.now, ordering: .relaxed)
        phase.store(next, ordering: .relaxed)
    }

    func isLate(at now: UInt64, _ patience: HTTPPatience, isCrowded: Bool) -> Bool {
        let times = isCrowded ? patience.crowded : patience.normal
        let began = began.load(ordering: .relaxed)
        return switch phase.load(ordering: .relaxed) {
        case .idle: now > began &+ times.idle
        case .sending: now > began &+ times.request
        case .uploading: now > began &+ patience.upload
        case .waiting: false
        case .taking: now > began &+ times.answer
        case .downloading: now > began &+ times.download
        }
    }
}
