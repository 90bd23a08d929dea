import Foundation

/// The record that queries look for: a category, a whole number, a text of eight words, three tags and a place.
struct QueryRecord {
    /// How many there are, in zones or out of them.
    static let count = 20_000
    static let zones = 10

    let category: String
    let count: Int
    let words: String
    let tags: [String]
    let latitude: Double
    let longitude: Double

    init(_ number: Int) {
        category = Self.category(number)
        count = number
        words = (0..<8).map { Self.word(Self.mixed(number * 8 + $0)) }.joined(separator: " ")
        tags = (0..<3).map { Self.tag(Self.mixed(number * 3 + $0 + 1_000_000)) }
        (latitude, longitude) = Self.place(number)
    }

    /// What is asked for: fifty records have a category or a tag, and eighty a word.
    static func category(_ number: Int) -> String { "c\(number % 400)" }
    static func word(_ number: Int) -> String { "word\(number % 2000)" }
    static func tag(_ number: Int) -> String { "t\(number % 1200)" }

    /// Somewhere in Europe, so that fifty are within fifty kilometres of any place.
    static func place(_ number: Int) -> (latitude: Double, longitude: Double) {
        let (first, second) = (mixed(number + 2_000_000), mixed(number + 3_000_000))
        return (40 + Double(first % 15_000) / 1000, -5 + Double(second % 25_000) / 1000)
    }

    /// The same for everybody, and without an order.
    private static func mixed(_ number: Int) -> Int {
        var word = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return Int((word ^ (word >> 31)) >> 34)
    }

    /// The fields in CloudKit Web Services' JSON.
    var cloudKitFields: String {
        let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"category":{"value":"\(category)","type":"STRING"},"count":{"value":\(count),"type":"INT64"},\
            "words":{"value":"\(words)","type":"STRING"},"tags":{"value":[\(list)],"type":"STRING_LIST"},\
            "place":{"value":{"latitude":\(latitude),"longitude":\(longitude)},"type":"LOCATION"}}
            """
    }

    /// The same as PocketBase has it; tags are names of a field that holds several.
    var flatJSON: String {
        let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"category":"\(category)","count":\(count),"words":"\(words)","tags":[\(list)],\
            "place":{"lat":\(latitude),"lon":\(longitude)}}
            """
    }
}
