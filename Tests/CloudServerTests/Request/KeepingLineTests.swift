import Dispatch
import Synchronization
import Testing

@testable import CloudServer

@Suite("Files are kept beside each other, and those of each tenant in turn")
struct KeepingLineTests {
    private let one = Tenant(container: "iCloud.one", environment: "production")
    private let other = Tenant(container: "iCloud.other", environment: "production")

    @Test("Nobody waits behind all files of another", .timeLimit(.minutes(1)))
    func turns() {
        let line = KeepingLine(width: 1)
        let (open, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let kept = Mutex<[String]>([])
        func add(_ name: String, _ tenant: Tenant) {
            line.add(tenant) {
                if name == "a0" { open.wait() }
                kept.withLock { $0.append(name) }
                ended.signal()
            }
        }
        for number in 0..<4 { add("a\(number)", one) }
        for number in 0..<2 { add("b\(number)", other) }
        open.signal()
        for _ in 0..<6 { ended.wait() }
        #expect(kept.withLock { $0 } == ["a0", "a1", "b0", "a2", "b1", "a3"])
    }

    @Test("So many wait for the disk at once, however few processors there are", .timeLimit(.minutes(1)))
    func together() {
        let line = KeepingLine(width: 8)
        let (begun, open) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let under = Atomic(0)
        for _ in 0..<9 {
            line.add(one) {
                under.add(1, ordering: .relaxed)
                begun.signal()
                open.wait()
            }
        }
        for _ in 0..<8 { begun.wait() }
        #expect(under.load(ordering: .relaxed) == 8)
        for _ in 0..<9 { open.signal() }
        begun.wait()
    }
}
