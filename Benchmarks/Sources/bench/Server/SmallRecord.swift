import Foundation

/// The record that every contestant saves: a text of 500 bytes, a whole number and a time, all three indexed.
struct SmallRecord {
    let text: String
    let count: Int
    let milliseconds: Int

    /// The same for everybody, and different for each number.
    init(_ number: Int) {
        let seed = String(number &* 2_654_435_761 & 0xFFFF_FFFF, radix: 36)
        text = seed + String(repeating: "x", count: 500 - seed.utf8.count)
        count = number
        milliseconds = 1_700_000_000_000 + number
    }

    /// The fields in CloudKit Web Services' JSON.
    var cloudKitFields: String {
        #"{"text":{"value":"\#(text)","type":"STRING"},"count":{"value":\#(count),"type":"INT64"},"at":{"value":\#(milliseconds),"type":"TIMESTAMP"}}"#
    }

    /// The same as a flat object, with the time as PocketBase reads it.
    var flatJSON: String {
        #"{"text":"\#(text)","count":\#(count),"at":"\#(Self.iso(milliseconds))"}"#
    }

    static func iso(_ milliseconds: Int) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(
            format: "%04d-%02d-%02d %02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000)
    }
}
