import Behaviours
import CloudStore
import Foundation
import Synchronization
import Testing
import WebServices

@testable import CloudServer

@Suite("Files count to their container's share of the server")
struct AssetLoadTests {
    private static let second: UInt64 = 1_000_000_000
    private static let tenant = Tenant(container: TestCloud.container, environment: "development")

    /// A cloud where every look at the clock finds it a hundredth of a second later.
    private func slowCloud() throws -> TestCloud {
        let ticks = Mutex<UInt64>(0)
        return try TestCloud(
            time: ServerClock(
                now: { 1_800_000_000_000 },
                ticks: {
                    ticks.withLock {
                        $0 += Self.second / 100
                        return $0
                    }
                }))
    }

    /// The seconds that are counted to the container for what a body does.
    private func cost(_ cloud: TestCloud, _ body: () throws -> Void) throws -> Double {
        cloud.server.load.withLock { $0 = TenantLoad(processors: 2, waitingWrites: 10) }
        try body()
        return cloud.server.load.withLock { $0.seconds(of: Self.tenant, now: 0) }
    }

    @Test("Taking a file is counted, part by part, and so is keeping it")
    func upload() throws {
        let cloud = try slowCloud()
        let device = try cloud.device()
        let (small, large) = (try device.uploadAddress(), try device.uploadAddress())
        let forOnePart = try cost(cloud) { _ = try device.send([1], to: small) }
        #expect(forOnePart > 0.015)
        let forMany = try cost(cloud) {
            _ = try device.send([UInt8](repeating: 2, count: 2 << 20), to: large)
        }
        #expect(forMany > forOnePart + 0.05)
    }

    @Test("Sending a file is counted, by its size")
    func download() throws {
        let cloud = try slowCloud()
        let device = try cloud.device()
        let names = ["small", "large"]
        for (name, size) in zip(names, [10, 40 << 20]) {
            let asset = try device.upload([UInt8](repeating: 3, count: size))
            try device.save(.create, .note(name, [("x", .asset(asset))]))
        }
        let costs = try device.lookup(names).map { result in
            let address = try #require(result.record?.downloadURL())
            return try cost(cloud) { _ = try device.fetch(address) }
        }
        #expect(costs[0] > 0)
        // Forty megabytes are forty milliseconds of the kernel's.
        #expect(costs[1] > costs[0] + 0.03)
    }

    @Test(
        "A container that is too busy neither sends nor fetches files; another does, and afterwards so does this one",
        .behaviour("error.busy"))
    func refused() throws {
        let cloud = try TestCloud { $0.processors = 1 }
        let device = try cloud.device()
        let bytes: [UInt8] = [1, 2, 3]
        let address = try device.uploadAddress()
        let saved = try device.save(.create, .note("a", [("x", .asset(try device.upload(bytes)))]))
        let file = try #require(saved.downloadURL())
        let other = "iCloud.example.other"
        let elsewhere = try device.uploadAddress(container: other)
        let now = cloud.server.clock.ticks()
        for (container, quarters) in [(TestCloud.container, 4), (other, 1)] as [(String, UInt64)] {
            let tenant = Tenant(container: container, environment: "development")
            cloud.server.load.withLock { $0.spent(quarters * Self.second / 4, tenant, now: now) }
        }
        for attempt in [{ _ = try device.send(bytes, to: address) }, { _ = try device.fetch(file) }] {
            let error = #expect(throws: ServerError.self) { try attempt() }
            #expect(error?.code == .tryAgainLater)
            #expect(error?.retryAfter ?? 0 >= 1)
        }
        let path = try #require(address.range(of: "/stratus/")).lowerBound
        let answer = try Router(server: cloud.server).send("PUT", String(address[path...]), "abc")
        #expect(answer.status == 503)
        #expect(answer.header("Retry-After").flatMap { Int($0) } ?? 0 >= 1)
        #expect(try device.send(bytes, to: elsewhere).size == 3)
        cloud.clock.advance(milliseconds: 5000)
        #expect(try device.send(bytes, to: address).size == 3)
        #expect(try device.fetch(file) == bytes)
    }

    @Test(
        "A person sends so many files at once and no more; others do not notice, and one that ends makes room",
        .behaviour("asset.uploads-at-once"))
    func places() throws {
        let cloud = try TestCloud { $0.assets.uploadsPerUser = 2 }
        let (anna, ben) = (try cloud.device(), try cloud.device(of: "ben"))
        func begin(_ device: TestDevice) throws -> AssetUpload {
            let url = try device.uploadAddress()
            let components = url.split(separator: "/").map(String.init)
            let start = try #require(components.firstIndex(of: "stratus"))
            return try cloud.server.beginUpload(try #require(AssetPath(Array(components[start...]))))
        }
        let first = try begin(anna)
        var second: AssetUpload? = try begin(anna)
        let error = #expect(throws: ServerError.self) { try begin(anna) }
        #expect(error?.code == .tryAgainLater && error?.retryAfter == 1)
        _ = try begin(ben)
        second = nil
        _ = try begin(anna)
        #expect(second == nil)
        #expect(first.write(UnsafeRawBufferPointer(start: nil, count: 0)))
        #expect(try cloud.server.finish(first).size == 0)
    }
}
