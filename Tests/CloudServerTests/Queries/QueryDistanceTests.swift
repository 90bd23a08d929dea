import Testing
import WebServices

@testable import CloudServer

@Suite("Queries by distance")
struct QueryDistanceTests {
    private static func place(_ latitude: Double, _ longitude: Double) -> Location {
        let turned = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
        return Location(latitude: min(max(latitude, -90), 90), longitude: turned)
    }

    private static func randomPlace(_ random: inout SeededGenerator) -> Location {
        // Also at the poles and along the 180th meridian, where rectangles go wrong.
        let longitude =
            Bool.random(using: &random)
            ? Double.random(in: -180...180, using: &random) : Double.random(in: 179...181, using: &random) - 360
        let latitude =
            Int.random(in: 0..<4, using: &random) == 0
            ? Double.random(in: 89...90, using: &random) : Double.random(in: -90...90, using: &random)
        return place(latitude, longitude)
    }

    @Test(
        "Every place within a distance lies in one of the intervals, which are few", arguments: 0..<20 as Range<UInt64>)
    func intervals(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let center = Self.randomPlace(&random)
            let distance = [0, 1, 50, 1000, 30_000, 500_000, 9_000_000, 30_000_000].randomElement(using: &random) ?? 0
            let intervals = PlaceCode.intervals(around: center, within: Double(distance))
            #expect(intervals.count <= 2 * PlaceCode.maximumIntervals)
            for (left, right) in zip(intervals, intervals.dropFirst()) { #expect(left.upperBound < right.lowerBound) }
            for _ in 0..<40 {
                // Mostly near: what is far proves nothing.
                let reach = Double(distance) / 50_000
                let other = Self.place(
                    center.latitude + Double.random(in: -reach...reach, using: &random),
                    center.longitude + Double.random(in: -reach...reach, using: &random) * 2)
                guard other.distance(to: center) <= Double(distance) else { continue }
                let code = PlaceCode.code(other)
                #expect(intervals.contains { $0.contains(code) }, "\(other) from \(center) within \(distance)")
            }
        }
    }

    @Test("Distances are what they are on a globe")
    func distances() {
        let (paris, london) = (Self.place(48.8566, 2.3522), Self.place(51.5074, -0.1278))
        #expect(abs(paris.distance(to: london) - 343_556) < 500)
        #expect(Self.place(0, 179.5).distance(to: Self.place(0, -179.5)) < 112_000)
        #expect(Self.place(90, 0).distance(to: Self.place(90, 120)) < 1)
        #expect(abs(Self.place(0, 0).distance(to: Self.place(0, 180)) - Location.greatestDistance) < 1)
    }

    /// A device with places around the globe, a few without one, and what is where.
    private func filled(
        _ seed: UInt64, count: Int = 220, _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> (TestDevice, [String: Location]) {
        let device = try TestCloud(store: nil, configure).device()
        var random = SeededGenerator(seed: seed)
        var places: [String: Location] = [:]
        for index in 0..<count {
            let name = "n\(index)"
            let isClose = Bool.random(using: &random)
            let place =
                isClose
                ? Self.place(
                    Double.random(in: 47...49, using: &random), Double.random(in: 178...182, using: &random))
                : Self.randomPlace(&random)
            let hasPlace = index % 20 != 7
            if hasPlace { places[name] = place }
            try device.save(
                .create,
                .note(
                    name, [("place", hasPlace ? .location(place) : nil), ("kind", .int64(Int64(index % 3)))]))
        }
        return (device, places)
    }

    @Test("NEAR finds what is within the distance, and nothing else", arguments: 0..<4 as Range<UInt64>, [10_000, 60])
    func near(seed: UInt64, rows: Int) throws {
        let (device, places) = try filled(seed) {
            $0.webLimits.queryRows = rows
            $0.webLimits.queryGathered = 20
        }
        var random = SeededGenerator(seed: seed + 100)
        for distance in [0, 20_000, 100_000, 2_000_000, 25_000_000] {
            let center =
                places.values.sorted { $0.latitude < $1.latitude }.randomElement(using: &random) ?? Self.place(0, 0)
            let filter = RecordsQuery.Filter(
                .near, .user("place"), .typed(.location(center)), distance: Double(distance))
            let found = try device.query([filter], limit: 30)
            let expected = places.filter { $0.value.distance(to: center) <= Double(distance) }.map(\.key)
            #expect(Set(found) == Set(expected))
            #expect(found.count == expected.count)
        }
    }

    @Test(
        "Records are sorted by distance over all pages, those without a place last", arguments: 0..<4 as Range<UInt64>)
    func sorting(seed: UInt64) throws {
        let (device, places) = try filled(seed)
        let center = Self.place(48, 180)
        let sort = RecordsQuery.Sort(.user("place"), relativeLocation: center)
        let expected = places.sorted { $0.value.distance(to: center) < $1.value.distance(to: center) }.map(\.key)
        for limit in [7, 200] {
            let found = try device.query([], sort: [sort], limit: limit)
            #expect(found.prefix(expected.count) == expected[...])
            #expect(found.count == 220 && Set(found).count == 220)
        }
        let down = RecordsQuery.Sort(.user("place"), ascending: false, relativeLocation: center)
        #expect(try device.query([], sort: [down], limit: 50).prefix(expected.count) == expected.reversed()[...])
        let kind = RecordsQuery.Sort(.user("kind"))
        let byKind = try device.query([], sort: [kind, sort], limit: 40)
        #expect(byKind.count == 220)
        let near = RecordsQuery.Filter(.near, .user("place"), .typed(.location(center)), distance: 300_000)
        let nearest = try device.query([near], sort: [sort], limit: 9)
        #expect(nearest == expected.filter { (places[$0]?.distance(to: center) ?? .infinity) <= 300_000 })
    }

    @Test("Circles grow until a page is full, though only few records may be looked at")
    func circles() throws {
        let (device, places) = try filled(3, count: 200) {
            $0.webLimits.queryRows = 150
            $0.webLimits.queryGathered = 5
        }
        let center = Self.place(48, 180)
        let sort = RecordsQuery.Sort(.user("place"), relativeLocation: center)
        let expected = places.sorted { $0.value.distance(to: center) < $1.value.distance(to: center) }.map(\.key)
        var found: [String] = []
        var marker: String?
        for _ in 0..<6 {
            let page = try device.queryPage(
                .init(recordType: "Note", sortBy: [sort]), limit: 10, marker: marker)
            found += page.records.compactMap(\.record?.recordName)
            marker = page.continuationMarker
            if marker == nil { break }
        }
        #expect(found.count >= 30)
        #expect(found == Array(expected.prefix(found.count)))
    }

    @Test("What is no distance is refused")
    func refusals() throws {
        let (device, _) = try filled(1, count: 3)
        func error(_ filter: RecordsQuery.Filter, _ sort: [RecordsQuery.Sort] = []) throws -> String? {
            try device.error(
                .recordsQuery(.init(query: .init(recordType: "Note", filterBy: [filter], sortBy: sort))))?.reason
        }
        let center = RecordsQuery.Operand.typed(.location(Self.place(0, 0)))
        #expect(
            try error(.init(.near, .user("place"), center)) == "BadRequestException: missing required field 'distance'")
        #expect(try error(.init(.near, .user("place"), center, distance: -1)) != nil)
        #expect(try error(.init(.near, .user("kind"), center, distance: 1))?.contains("NEAR") == true)
        #expect(try error(.init(.near, .user("place"), .typed(.int64(1)), distance: 1)) != nil)
        let any = RecordsQuery.Filter("kind", .equals, .int64(1))
        #expect(try error(any, [.init(.user("kind"), relativeLocation: Self.place(0, 0))]) != nil)
        #expect(try error(any, [.init(.user("place"))]) == "Field 'place' is not marked sortable")
    }
}
