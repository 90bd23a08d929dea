import Foundation

/// A keyed archive as a device writes it, put together by hand: class names without a module, keys of Apple's classes.
indirect enum ArchivedValue: Sendable {
    case null
    /// Numbers and flags lie in the object itself, unless they are boxed as elements of a collection.
    case flag(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case boxed(ArchivedValue)
    case bytes([UInt8])
    /// Class names from the class to its root, and members.
    case object([String], [String: ArchivedValue])
    /// As an object, with lists of references as members.
    case collection([String], [String: [ArchivedValue]])

    static func date(_ secondsSinceReference: Double) -> ArchivedValue {
        .object(["NSDate", "NSObject"], ["NS.time": .real(secondsSinceReference)])
    }

    static func data(_ bytes: [UInt8]) -> ArchivedValue {
        .object(["NSMutableData", "NSData", "NSObject"], ["NS.data": .bytes(bytes)])
    }

    static func dictionary(_ values: [String: ArchivedValue]) -> ArchivedValue {
        let sorted = values.sorted { $0.key < $1.key }
        return .collection(
            ["NSMutableDictionary", "NSDictionary", "NSObject"],
            ["NS.keys": sorted.map { .string($0.key) }, "NS.objects": sorted.map(\.value)])
    }

    static func set(_ values: [ArchivedValue]) -> ArchivedValue {
        .collection(["NSMutableSet", "NSSet", "NSObject"], ["NS.objects": values])
    }

}

/// Writes archives as XML property lists, whose references are spelled `CF$UID`.
struct DeviceArchive {
    private var objects = ["<string>$null</string>"]

    /// An archive with `root` at its top.
    static func root(_ root: ArchivedValue) -> Data { top(["root": root]) }

    /// An archive whose values lie on the coder itself.
    static func top(_ values: [String: ArchivedValue]) -> Data {
        var archive = DeviceArchive()
        let members = archive.members(values)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>$version</key><integer>100000</integer>
            <key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$top</key><dict>\(members)</dict>
            <key>$objects</key><array>\(archive.objects.joined(separator: "\n"))</array>
            </dict></plist>
            """
        return Data(text.utf8)
    }

    private static func reference(_ index: Int) -> String {
        "<dict><key>CF$UID</key><integer>\(index)</integer></dict>"
    }

    private mutating func members(_ values: [String: ArchivedValue]) -> String {
        values.sorted { $0.key < $1.key }.map { "<key>\($0.key)</key>\(member($0.value))" }.joined()
    }

    private mutating func member(_ value: ArchivedValue) -> String {
        switch value {
        case .flag(let flag): return flag ? "<true/>" : "<false/>"
        case .integer(let integer): return "<integer>\(integer)</integer>"
        case .real(let real): return "<real>\(real)</real>"
        case .bytes(let bytes): return "<data>\(Data(bytes).base64EncodedString())</data>"
        case .null: return Self.reference(0)
        case .string(let string): return add("<string>\(string)</string>")
        case .boxed(let inner): return add(member(inner))
        case .object(let classes, let values):
            let contents = members(values)
            return add("<dict><key>$class</key>\(classReference(classes))\(contents)</dict>")
        case .collection(let classes, let lists):
            let contents = lists.sorted { $0.key < $1.key }.map { key, elements in
                "<key>\(key)</key><array>\(elements.map { member($0) }.joined())</array>"
            }
            return add("<dict><key>$class</key>\(classReference(classes))\(contents.joined())</dict>")
        }
    }

    private mutating func classReference(_ classes: [String]) -> String {
        let names = classes.map { "<string>\($0)</string>" }.joined()
        return add(
            "<dict><key>$classname</key><string>\(classes[0])</string><key>$classes</key><array>\(names)</array></dict>"
        )
    }

    private mutating func add(_ object: String) -> String {
        objects.append(object)
        return Self.reference(objects.count - 1)
    }
}
