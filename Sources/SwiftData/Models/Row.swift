import PersistentStore

/// The row that a model is read from. For macros' use.
public struct _Row {
    let row: Row
    // The context reads the row and outlives the reading.
    unowned(unsafe) let core: ContextCore
    unowned(unsafe) let entity: ModelEntity

    func isNull(_ index: Int) -> Bool { row.isNull(index) }
    // A null reads as zero or empty: only then it is asked whether it is one.

    func string(_ index: Int) -> String? {
        let value = row.string(index)
        return value.isEmpty && row.isNull(index) ? nil : value
    }

    func bool(_ index: Int) -> Bool? { row.bool(index) ? true : row.isNull(index) ? nil : false }

    func double(_ index: Int) -> Double? {
        let value = row.double(index)
        return value == 0 && row.isNull(index) ? nil : value
    }

    func int64(_ index: Int) -> Int64? {
        let value = row.int64(index)
        return value == 0 && row.isNull(index) ? nil : value
    }

    func date(_ index: Int) -> Date? { double(index).map { Date(timeIntervalSinceReferenceDate: $0) } }

    func data(_ index: Int) -> Data? { row.isNull(index) ? nil : row.data(index) }
    func uuid(_ index: Int) -> UUID? { row.uuid(index) }
    func url(_ index: Int) -> URL? { row.url(index) }
    func decimal(_ index: Int) -> Decimal? { row.isNull(index) ? nil : row.decimal(index) }
}

/// The row that a model is written to. For macros' use.
public struct _RowValues {
    let values: RowValues
    /// The properties that are to be written; nil: all.
    let only: PropertySet?
    let failures: EncodingFailures
    unowned(unsafe) let entity: ModelEntity

    /// Whether the property is to be written.
    public func binds(_ index: Int) -> Bool { only?.contains(index) ?? true }

    func setNull(_ index: Int) { values.setNull(index) }
    func set(_ index: Int, _ value: String) { values.set(index, value) }
    func set(_ index: Int, _ value: Bool) { values.set(index, value) }
    func set(_ index: Int, _ value: Double) { values.set(index, value) }
    func set(_ index: Int, _ value: Int64) { values.set(index, value) }
    func set(_ index: Int, _ value: Date) { values.set(index, value) }
    func set(_ index: Int, _ value: Data) { values.set(index, value) }
    func set(_ index: Int, _ value: UUID) { values.set(index, value) }
    func set(_ index: Int, _ value: URL) { values.set(index, value) }
    func set(_ index: Int, _ value: Decimal) { values.set(index, value) }
}
