import PersistentStore

/// What a fetch found, read in batches as it is looked at.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
    public typealias Index = Int

    private let source: Source

    init(_ source: Source) { self.source = source }

    init(_ elements: [Element]) { source = Elements(elements) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { source.count }

    public subscript(position: Int) -> Element {
        precondition(position >= 0 && position < source.count, "Index out of range")
        return source.element(at: position)
    }

    /// Where the elements come from.
    class Source {
        let count: Int

        init(count: Int) { self.count = count }

        // Every source is a subclass; `Elements` holds everything and needs no reading.
        func element(at position: Int) -> Element { preconditionFailure("a source has elements") }
    }

    private final class Elements: Source {
        let elements: [Element]

        init(_ elements: [Element]) {
            self.elements = elements
            super.init(count: elements.count)
        }

        override func element(at position: Int) -> Element { elements[position] }
    }
}

/// Objects of one store, a batch at a time.
final class BatchedObjects<Model: PersistentModel>: FetchResultsCollection<Model>.Source {
    private let core: ContextCore
    private let binding: StoreBinding
    private let rows: [RowID]
    private let batchSize: Int
    /// The batch that was read last.
    private var batch: [RowID: Model] = [:]
    private var batchStart = -1

    init(_ rows: [RowID], _ binding: StoreBinding, _ core: ContextCore, batchSize: Int) {
        self.rows = rows
        self.binding = binding
        self.core = core
        self.batchSize = Swift.max(1, batchSize)
        super.init(count: rows.count)
    }

    override func element(at position: Int) -> Model {
        let start = position / batchSize * batchSize
        if start != batchStart {
            let slice = rows[start..<Swift.min(start + batchSize, rows.count)]
            let models: [Model] = (try? core.objects(slice, binding)) ?? []
            batch = Dictionary(
                models.map { (RowID(entity: $0._$state.entity?.number ?? 0, key: $0._$state.key), $0) },
                uniquingKeysWith: { first, _ in first })
            batchStart = start
        }
        if let model = batch[rows[position]] { return model }
        // Deleted since the fetch: an object without values stands for it.
        if let model = core.object(binding, rows[position], as: Model.self) { return model }
        let model = Model(_$blank: _Blank())
        model._$state.flags.insert(.gone)
        return model
    }
}
