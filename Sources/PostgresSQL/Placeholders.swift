/// Rewrites `?1` placeholders to PostgreSQL's `$1`, leaving what stands in quotes alone.
func postgresPlaceholders(_ sql: String) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(sql.utf8.count)
    var quote: UInt8?
    for byte in sql.utf8 {
        if let open = quote {
            if byte == open { quote = nil }
        } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
            quote = byte
        } else if byte == UInt8(ascii: "?") {
            result.append(UInt8(ascii: "$"))
            continue
        }
        result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
}
