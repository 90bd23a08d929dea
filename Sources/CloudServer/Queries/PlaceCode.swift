import Foundation
import WebServices

/// A place as one number, of which near places mostly share the first digits: longitude and latitude as 32 bits each, taken
/// in turn (a Z-order curve). What index entries of locations hold, so that a circle is a few intervals of them.
enum PlaceCode {
    /// Intervals of one circle: more would follow its edge more closely, and each is a scan.
    static let maximumIntervals = 32

    static func code(_ place: Location) -> UInt64 {
        interleave(column(place.longitude), row(place.latitude))
    }

    /// Intervals that together hold every place within `distance` metres, and some more; in order, apart from each other.
    static func intervals(around center: Location, within distance: Double) -> [ClosedRange<UInt64>] {
        let boxes = boxes(around: center, within: distance)
        var found: [ClosedRange<UInt64>] = []
        var waiting = [Cell(column: 0, row: 0, level: 0)]
        while !waiting.isEmpty {
            var parts: [Cell] = []
            for cell in waiting {
                if boxes.contains(where: cell.lies(in:)) {
                    found.append(cell.codes)
                } else if boxes.contains(where: cell.meets) {
                    parts.append(cell)
                }
            }
            let isFine = parts.first.map { $0.level == 32 } ?? true
            if isFine || found.count + parts.count * 2 > maximumIntervals {
                found += parts.map(\.codes)
                break
            }
            waiting = parts.flatMap(\.quarters)
        }
        return joined(found)
    }

    // MARK: - Cells

    /// A square of the curve: 4 to the power of `32 - level` codes.
    private struct Cell {
        var column: UInt32
        var row: UInt32
        var level: Int

        private var reach: UInt32 { level == 0 ? .max : level == 32 ? 0 : (1 << (32 - level)) - 1 }
        private var lastColumn: UInt32 { column | reach }
        private var lastRow: UInt32 { row | reach }

        var codes: ClosedRange<UInt64> { interleave(column, row)...interleave(lastColumn, lastRow) }

        var quarters: [Cell] {
            let half = UInt32(1) << (31 - level)
            return [(0, 0), (0, half), (half, 0), (half, half)].map { right, up in
                Cell(column: column | right, row: row | up, level: level + 1)
            }
        }

        func lies(in box: Box) -> Bool {
            box.columns.contains(column) && box.columns.contains(lastColumn) && box.rows.contains(row)
                && box.rows.contains(lastRow)
        }

        func meets(_ box: Box) -> Bool {
            box.columns.overlaps(column...lastColumn) && box.rows.overlaps(row...lastRow)
        }
    }

    private struct Box {
        var columns: ClosedRange<UInt32>
        var rows: ClosedRange<UInt32>
    }

    /// The rectangle around a circle: two where it crosses the 180th meridian, the whole width where it holds a pole.
    private static func boxes(around center: Location, within distance: Double) -> [Box] {
        // A little more, for what rounding takes away.
        let angle = (max(distance, 0) * 1.000001 + 1) / Location.earthRadius
        let latitude = min(max(center.latitude, -90), 90)
        let degrees = angle * 180 / .pi
        let (south, north) = (latitude - degrees, latitude + degrees)
        let rows = row(south)...row(north)
        let widest = sin(min(angle, .pi / 2)) / cos(latitude * .pi / 180)
        guard south > -90, north < 90, widest < 1 else { return [Box(columns: 0 ... .max, rows: rows)] }
        let width = asin(widest) * 180 / .pi
        let (west, east) = (column(center.longitude - width), column(center.longitude + width))
        guard west > east else { return [Box(columns: west...east, rows: rows)] }
        return [Box(columns: west ... .max, rows: rows), Box(columns: 0...east, rows: rows)]
    }

    // MARK: - Numbers

    /// Degrees beyond the 180th meridian go on at the other side.
    private static func column(_ longitude: Double) -> UInt32 {
        guard longitude.isFinite else { return 0 }
        var turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
        if turned < 0 { turned += 360 }
        return fraction(turned / 360)
    }

    private static func row(_ latitude: Double) -> UInt32 {
        guard latitude.isFinite else { return 0 }
        return fraction((min(max(latitude, -90), 90) + 90) / 180)
    }

    private static func fraction(_ part: Double) -> UInt32 {
        UInt32(exactly: (part * 4_294_967_296).rounded(.down)) ?? .max
    }

    private static func interleave(_ column: UInt32, _ row: UInt32) -> UInt64 {
        spread(column) << 1 | spread(row)
    }

    /// Each bit to twice its place.
    private static func spread(_ bits: UInt32) -> UInt64 {
        var spread = UInt64(bits)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        spread = (spread | spread << 2) & 0x3333_3333_3333_3333
        return (spread | spread << 1) & 0x5555_5555_5555_5555
    }

    private static func joined(_ intervals: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var joined: [ClosedRange<UInt64>] = []
        for interval in intervals.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, last.upperBound &+ 1 == interval.lowerBound {
                joined[joined.count - 1] = last.lowerBound...interval.upperBound
            } else {
                joined.append(interval)
            }
        }
        return joined
    }
}
