import CSQLite
import Foundation

/// The functions and collations that queries use beyond SQLite's own. All begin with `stratus_`, and none is used by anything that
/// is kept in a file: other programs open it without them.
enum QueryFunctions {
    typealias Arguments = UnsafeMutablePointer<OpaquePointer?>

    static func register(on database: OpaquePointer) {
        StoreList.register(on: database)
        collations(database)
        textFunctions(database)
        numberFunctions(database)
        define(database, "stratus_array", 3) { context, _, arguments in
            guard let arguments, let function = StoreArrayFunction(rawValue: sqlite3_value_int(arguments[0])),
                sqlite3_value_type(arguments[1]) != SQLITE_NULL,
                let elements = StoredArray.decode(Data(QueryFunctions.blob(arguments[1])))
            else { return sqlite3_result_null(context) }
            let argument = QueryFunctions.value(arguments[2])
            guard let answer = StoredArray.apply(function, to: elements, argument) else {
                return sqlite3_result_null(context)
            }
            QueryFunctions.answer(answer, to: context)
        }
    }

    private static func define(
        _ database: OpaquePointer, _ name: String, _ count: Int32,
        _ function: @convention(c) (OpaquePointer?, Int32, Arguments?) -> Void
    ) {
        // Deterministic: SQLite computes what does not depend on a row once.
        sqlite3_create_function_v2(
            database, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function, nil, nil, nil)
    }

    private static func collations(_ database: OpaquePointer) {
        func define(
            _ name: String,
            _ order:
                @convention(c) (
                    UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
                ) -> Int32
        ) {
            sqlite3_create_collation_v2(database, name, SQLITE_UTF8, nil, order, nil)
        }
        define("stratus_text") { _, count, first, otherCount, second in
            StoreText.order(
                UnsafeRawBufferPointer(start: first, count: Int(count)),
                UnsafeRawBufferPointer(start: second, count: Int(otherCount)))
        }
        define(StoreTextOrder.caseInsensitive.collation) { _, count, first, otherCount, second in
            StoreText.order(
                .caseInsensitive, UnsafeRawBufferPointer(start: first, count: Int(count)),
                UnsafeRawBufferPointer(start: second, count: Int(otherCount)))
        }
        define(StoreTextOrder.localized.collation) { _, count, first, otherCount, second in
            StoreText.order(
                .localized, UnsafeRawBufferPointer(start: first, count: Int(count)),
                UnsafeRawBufferPointer(start: second, count: Int(otherCount)))
        }
        define(StoreTextOrder.localizedStandard.collation) { _, count, first, otherCount, second in
            StoreText.order(
                .localizedStandard, UnsafeRawBufferPointer(start: first, count: Int(count)),
                UnsafeRawBufferPointer(start: second, count: Int(otherCount)))
        }
    }

    private static func textFunctions(_ database: OpaquePointer) {
        define(database, "stratus_text_contains", 2) { context, _, arguments in
            QueryFunctions.test(.contains, context, arguments)
        }
        define(database, "stratus_text_starts_with", 2) { context, _, arguments in
            QueryFunctions.test(.startsWith, context, arguments)
        }
        define(database, "stratus_text_search", 2) { context, _, arguments in
            QueryFunctions.test(.localizedStandardContains, context, arguments)
        }
        define(database, "stratus_order", 3) { context, _, arguments in
            guard let arguments, let order = StoreTextOrder(rawValue: sqlite3_value_int(arguments[0])),
                let first = QueryFunctions.text(arguments[1]), let second = QueryFunctions.text(arguments[2])
            else { return sqlite3_result_null(context) }
            sqlite3_result_int(context, StoreText.order(order, first, second))
        }
        define(database, "stratus_characters", 1) { context, _, arguments in
            guard let arguments, let bytes = QueryFunctions.text(arguments[0]) else {
                return sqlite3_result_null(context)
            }
            sqlite3_result_int64(context, Int64(StoreText.string(bytes).count))
        }
        define(database, "stratus_composed", 1) { context, _, arguments in
            guard let arguments, let bytes = QueryFunctions.text(arguments[0]) else {
                return sqlite3_result_null(context)
            }
            if StoreText.isASCII(bytes) { return sqlite3_result_value(context, arguments[0]) }
            QueryFunctions.answer(
                .string(StoreText.string(bytes).precomposedStringWithCanonicalMapping), to: context)
        }
    }

    private static func numberFunctions(_ database: OpaquePointer) {
        define(database, "stratus_integer", 4) { context, _, arguments in
            guard let arguments, let operation = StoreArithmetic(rawValue: sqlite3_value_int(arguments[0])),
                sqlite3_value_type(arguments[1]) != SQLITE_NULL, sqlite3_value_type(arguments[2]) != SQLITE_NULL
            else { return sqlite3_result_null(context) }
            let bits = Int(sqlite3_value_int(arguments[3]))
            let result = StoreNumber.compute(
                operation, sqlite3_value_int64(arguments[1]), sqlite3_value_int64(arguments[2]), bits: abs(bits),
                isSigned: bits > 0)
            guard let result else { return sqlite3_result_null(context) }
            sqlite3_result_int64(context, result)
        }
        define(database, "stratus_double", 3) { context, _, arguments in
            QueryFunctions.compute(context, arguments, StoreNumber.compute)
        }
        define(database, "stratus_float", 3) { context, _, arguments in
            QueryFunctions.compute(context, arguments, StoreNumber.computeFloat)
        }
        define(database, "stratus_unsigned", 1) { context, _, arguments in
            guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else {
                return sqlite3_result_null(context)
            }
            // Without a sign the numbers with the highest bit are the largest, with one the smallest.
            sqlite3_result_int64(context, sqlite3_value_int64(arguments[0]) ^ Int64.min)
        }
        define(database, "stratus_decimals", 2) { context, _, arguments in
            guard let arguments, let first = QueryFunctions.decimal(arguments[0]),
                let second = QueryFunctions.decimal(arguments[1])
            else { return sqlite3_result_null(context) }
            sqlite3_result_int(context, first < second ? -1 : first == second ? 0 : 1)
        }
    }

    // MARK: - Arguments and answers

    private static func test(_ test: StoreTextTest, _ context: OpaquePointer?, _ arguments: Arguments?) {
        guard let arguments, let first = text(arguments[0]), let second = text(arguments[1]) else {
            return sqlite3_result_null(context)
        }
        sqlite3_result_int(context, StoreText.test(test, first, second) ? 1 : 0)
    }

    private static func compute(
        _ context: OpaquePointer?, _ arguments: Arguments?, _ function: (StoreArithmetic, Double, Double) -> Double?
    ) {
        guard let arguments, let operation = StoreArithmetic(rawValue: sqlite3_value_int(arguments[0])),
            sqlite3_value_type(arguments[1]) != SQLITE_NULL, sqlite3_value_type(arguments[2]) != SQLITE_NULL,
            let result = function(operation, sqlite3_value_double(arguments[1]), sqlite3_value_double(arguments[2]))
        else { return sqlite3_result_null(context) }
        sqlite3_result_double(context, result)
    }

    /// The bytes of a text, which SQLite lends for the length of the call.
    private static func text(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard let start = sqlite3_value_text(value) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private static func blob(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        guard let start = sqlite3_value_blob(value) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private static func decimal(_ value: OpaquePointer?) -> Decimal? {
        switch sqlite3_value_type(value) {
        case SQLITE_NULL: nil
        case SQLITE_INTEGER: Decimal(sqlite3_value_int64(value))
        case SQLITE_FLOAT: Decimal(string: "\(sqlite3_value_double(value))")
        default: text(value).flatMap { Decimal(string: StoreText.string($0)) }
        }
    }

    private static func value(_ value: OpaquePointer?) -> StoreValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .double(sqlite3_value_double(value))
        case SQLITE_TEXT: .string(text(value).map(StoreText.string) ?? "")
        case SQLITE_BLOB: .data(Data(blob(value)))
        default: .null
        }
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes at once. A macro with a cast, which Swift does not import.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// Hands over a value in the form in which a column has it.
    static func answer(_ value: StoreValue, to context: OpaquePointer?) {
        switch value {
        case .null, .composite: sqlite3_result_null(context)
        case .boolean(let value): sqlite3_result_int(context, value ? 1 : 0)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .double(let value): sqlite3_result_double(context, value)
        case .date(let value): sqlite3_result_double(context, value.timeIntervalSinceReferenceDate)
        case .string(let value): answer(value, to: context)
        case .url(let value): answer(value.absoluteString, to: context)
        case .data(let value): value.withUnsafeBytes { answer($0, to: context) }
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { answer($0, to: context) }
        case .reference(let row): sqlite3_result_int64(context, row.key)
        case .decimal(let value):
            switch StoredDecimal(value) {
            case .integer(let value): sqlite3_result_int64(context, value)
            case .double(let value): sqlite3_result_double(context, value)
            case .digits(let digits): Data(digits.utf8).withUnsafeBytes { answer($0, to: context) }
            }
        }
    }

    private static func answer(_ text: String, to context: OpaquePointer?) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                bytes.isEmpty
                    ? sqlite3_result_text(context, "", 0, copied)
                    : sqlite3_result_text64(context, bytes.baseAddress, UInt64(bytes.count), copied, UInt8(SQLITE_UTF8))
            }
        }
    }

    private static func answer(_ bytes: UnsafeRawBufferPointer, to context: OpaquePointer?) {
        bytes.isEmpty
            ? sqlite3_result_zeroblob(context, 0)
            : sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), copied)
    }
}

/// Makes what queries need known to a connection.
func registerQueryFunctions(on database: OpaquePointer) {
    QueryFunctions.register(on: database)
}
