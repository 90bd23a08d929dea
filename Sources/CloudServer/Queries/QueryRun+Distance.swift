import CloudStore
import WebServices

extension QueryRun {
    /// For an order by distance: what a filter leads to if that is few records, else circles around the place that grow
    /// until the page is full.
    func readByDistance(_ term: QueryOrder.Term, _ place: Location, _ ways: [QueryAccess]) throws {
        if start?.position.isAmongNulls == true { return try readNulls(term) }
        for way in ways where try gather(way.path, atMost: rowsLeft) { return }
        guard term.isAscending, let index = term.field.index else { return try gatherAll([]) }
        let farthest = farthestWanted(term, place)
        let begin = start?.position.distance ?? 0
        // How dense the places are nobody knows.
        var radius = max(begin * 1.5, begin + 1000)
        var reached: Double?
        for _ in 0..<Self.circles {
            if try gather(.near(place, min(radius, farthest), field: index), atMost: rowsLeft) {
                if radius >= farthest { return try readNulls(term) }
                let edge = QueryPosition.groupEnd(IndexValue.double(radius))
                // What lies beyond the circle may be nearer than what else was found.
                if page.isFull(through: edge) { return stop(at: edge) }
                reached = radius
                radius *= 3
            } else if let reached {
                // A short page that ends where all is known.
                return stop(at: .groupEnd(IndexValue.double(reached)))
            } else {
                radius = begin + (radius - begin) / 4
            }
        }
        throw ServerError.badRequest(
            "Too many records are near to sort them by distance: filter more, or ask for those within a smaller distance"
        )
    }

    /// From a kilometre to half around the earth it takes ten; to a metre and less, as many.
    private static let circles = 20

    /// What a filter by distance allows, or half around the earth.
    private func farthestWanted(_ term: QueryOrder.Term, _ place: Location) -> Double {
        var farthest = Location.greatestDistance
        for filter in query.filters where filter.field == term.field {
            if case .near(let center, let distance) = filter.test {
                farthest = min(farthest, distance + center.distance(to: place))
            }
        }
        return farthest
    }
}

extension QueryPosition {
    /// How far an order by distance got.
    fileprivate var distance: Double? { values.first.flatMap { $0 }.flatMap(IndexValue.double(of:)) }
}
