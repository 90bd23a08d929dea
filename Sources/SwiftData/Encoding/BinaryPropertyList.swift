/// A binary property list, an object at a time.
///
/// Foundation reads them too, but hides the references that keyed archives are made of. Nothing in the bytes is believed:
/// whatever leads outside them is an error.
struct BinaryPropertyList {
    enum Object {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        case date(Date)
        case data(Data)
        case string(String)
        /// A reference into the objects of a keyed archive.
        case reference(Int)
        /// The numbers of the elements.
        case array([Int])
        /// The numbers of keys and values.
        case dictionary([(key: Int, value: Int)])
    }

    struct Malformed: Error {}

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let numberSize: Int
    let top: Int

    static func isOne(_ data: Data) -> Bool { data.starts(with: Array("bplist00".utf8)) }

    init(_ data: Data) throws {
        let bytes = Array(data)
        guard Self.isOne(data), bytes.count >= 8 + 32 else { throw Malformed() }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        numberSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= numberSize,
            let count = Self.number(bytes, at: trailer + 8, size: 8),
            let top = Self.number(bytes, at: trailer + 16, size: 8),
            let table = Self.number(bytes, at: trailer + 24, size: 8),
            top < count, table <= trailer, count <= (trailer - table) / offsetSize
        else { throw Malformed() }
        self.bytes = bytes
        self.top = top
        offsets = try (0..<count).map { index in
            guard let offset = Self.number(bytes, at: table + index * offsetSize, size: offsetSize), offset < trailer
            else { throw Malformed() }
            return offset
        }
    }

    func object(_ number: Int) throws -> Object {
        guard offsets.indices.contains(number) else { throw Malformed() }
        var position = offsets[number]
        let marker = bytes[position]
        position += 1
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where low == 0: return .null
        case 0x0 where low == 8: return .bool(false)
        case 0x0 where low == 9: return .bool(true)
        case 0x1 where low <= 4: return .integer(try integer(at: position, size: 1 << low))
        case 0x2 where low == 2: return .real(Double(Float(bitPattern: UInt32(try word(at: position, size: 4)))))
        case 0x2 where low == 3: return .real(Double(bitPattern: try word(at: position, size: 8)))
        case 0x3 where low == 3:
            return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try word(at: position, size: 8))))
        case 0x4: return .data(Data(try slice(count(low, &position), from: position)))
        case 0x5: return .string(String(decoding: try slice(count(low, &position), from: position), as: UTF8.self))
        case 0x6:
            let units = try slice(count(low, &position), width: 2, from: position)
            let pairs = stride(from: units.startIndex, to: units.endIndex, by: 2)
            return .string(
                String(decoding: pairs.map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }, as: UTF16.self))
        case 0x8 where low < 8:
            guard let value = Self.number(bytes, at: position, size: low + 1) else { throw Malformed() }
            return .reference(value)
        case 0xA, 0xC: return .array(try numbers(count(low, &position), from: position))
        case 0xD:
            let count = try count(low, &position)
            let all = try numbers(count, lists: 2, from: position)
            return .dictionary((0..<count).map { (all[$0], all[count + $0]) })
        default: throw Malformed()
        }
    }

    /// The count in a marker, or in the number that follows it.
    private func count(_ low: Int, _ position: inout Int) throws -> Int {
        guard low == 0xF else { return low }
        guard position < bytes.count, bytes[position] >> 4 == 0x1, bytes[position] & 0x0F <= 3 else {
            throw Malformed()
        }
        let size = 1 << Int(bytes[position] & 0x0F)
        guard let count = Self.number(bytes, at: position + 1, size: size), count <= bytes.count else {
            throw Malformed()
        }
        position += 1 + size
        return count
    }

    private func slice(_ count: Int, width: Int = 1, from position: Int) throws -> ArraySlice<UInt8> {
        guard position <= bytes.count, count <= (bytes.count - position) / width else { throw Malformed() }
        return bytes[position..<position + count * width]
    }

    private func numbers(_ count: Int, lists: Int = 1, from position: Int) throws -> [Int] {
        guard position <= bytes.count, count <= (bytes.count - position) / numberSize / lists else { throw Malformed() }
        return try (0..<count * lists).map { index in
            guard let number = Self.number(bytes, at: position + index * numberSize, size: numberSize) else {
                throw Malformed()
            }
            return number
        }
    }

    /// Numbers of 8 bytes are signed; those of 16 hold an unsigned one of 8 in their second half.
    private func integer(at position: Int, size: Int) throws -> Int64 {
        guard size == 16 else { return Int64(bitPattern: try word(at: position, size: size)) }
        guard try word(at: position, size: 8) == 0, let value = Int64(exactly: try word(at: position + 8, size: 8))
        else {
            throw Malformed()
        }
        return value
    }

    private func word(at position: Int, size: Int) throws -> UInt64 {
        guard position <= bytes.count - size else { throw Malformed() }
        return bytes[position..<position + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number that leads somewhere: nil if it is outside the bytes or too large for any place.
    private static func number(_ bytes: [UInt8], at position: Int, size: Int) -> Int? {
        guard position <= bytes.count - size else { return nil }
        return Int(exactly: bytes[position..<position + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
