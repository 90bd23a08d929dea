import CloudStore

/// The first records of an answer found so far, in order: as many as the page takes, and no more bytes than it may have.
struct QueryPage: Sendable {
    struct Item: Sendable {
        var position: QueryPosition
        var row: RecordRow
        var zone: ZoneKey
    }

    private(set) var items: [Item] = []
    private let order: QueryOrder
    private let start: QueryPosition?
    private let limit: Int
    private let maximumBytes: Int
    private var bytes = 0
    /// Records that come after the last item exist.
    private var hasMore = false

    init(order: QueryOrder, after start: QueryPosition?, limit: Int, bytes: Int) {
        self.order = order
        self.start = start
        self.limit = limit
        maximumBytes = bytes
    }

    /// Whether the page is full, and nothing at or after `position` can still get in.
    func isComplete(before position: QueryPosition) -> Bool {
        guard hasMore, let last = items.last else { return false }
        return !order.precedes(position, last.position)
    }

    /// Whether what is known up to `position` makes a page, whatever comes after.
    func isFull(through position: QueryPosition) -> Bool {
        let known = items.count { !order.precedes(position, $0.position) }
        return known >= limit || (hasMore && known == items.count)
    }

    mutating func insert(_ item: Item) {
        if let start, !order.precedes(start, item.position) { return }
        if isComplete(before: item.position) { return }
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if order.precedes(items[middle].position, item.position) { low = middle + 1 } else { high = middle }
        }
        // A list with several of the values asked for brings its record more than once.
        if low < items.count, items[low].position == item.position { return }
        items.insert(item, at: low)
        bytes += item.row.byteCount
        // One always stays, however large.
        while items.count > limit || (bytes > maximumBytes && items.count > 1) {
            bytes -= items.removeLast().row.byteCount
            hasMore = true
        }
    }

    /// Ends the page.
    ///
    /// - Parameter frontier: everything up to here was looked at; nil when everything was.
    /// - Returns: the page's records, and where it ended if anything may follow.
    func finish(frontier: QueryPosition?) -> (items: [Item], end: QueryPosition?) {
        let page = items.filter { item in frontier.map { !order.precedes($0, item.position) } ?? true }
        return (page, hasMore && page.count == items.count ? page.last?.position : frontier)
    }
}
