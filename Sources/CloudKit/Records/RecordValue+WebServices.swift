import CoreLocation
import Foundation
import WebServices

extension RecordValue {
    /// The value as the wire carries it; nil for an empty list, whose type only the server's schema knows.
    ///
    /// - Parameter zoneID: The zone of the record that holds the value; a reference into it does not name it.
    /// - Throws: `.invalidArguments` for what cannot be sent.
    package func fieldValue(in zoneID: CKRecordZone.ID, named key: String) throws(CKError) -> FieldValue? {
        switch self {
        case .string(let string): return .string(string)
        case .integer(let integer): return .int64(integer)
        case .double(let double): return .double(double)
        case .date(let date): return .timestamp(date.millisecondsSince1970)
        case .data(let data): return .bytes([UInt8](data))
        case .location(let location): return .location(Location(location))
        case .reference(let reference): return .reference(WebServices.Reference(reference, from: zoneID))
        case .asset(let asset):
            guard let descriptor = asset.descriptor else {
                throw CKError(.invalidArguments, reason: "Field '\(key)': the file of the asset has not been uploaded")
            }
            return .asset(descriptor)
        case .list(let elements):
            var values: [FieldValue] = []
            values.reserveCapacity(elements.count)
            for element in elements {
                if let value = try element.fieldValue(in: zoneID, named: key) { values.append(value) }
            }
            return try Self.list(values, named: key)
        }
    }

    /// All elements of a list have one type; integers among floating-point numbers become such.
    private static func list(_ values: [FieldValue], named key: String) throws(CKError) -> FieldValue? {
        guard let type = values.first?.type else { return nil }
        if values.allSatisfy({ $0.type == type }) { return .list(values, of: type) }
        var numbers: [FieldValue] = []
        for value in values {
            switch value {
            case .int64(let integer): numbers.append(.double(Double(integer)))
            case .double: numbers.append(value)
            default:
                throw CKError(.invalidArguments, reason: "Field '\(key)': the values of a list must all be of one type")
            }
        }
        return .list(numbers, of: .double)
    }

    /// A value from the wire.
    ///
    /// - Parameter zoneID: The zone of the record that holds it, into which a reference that names none points.
    package init(_ value: FieldValue, in zoneID: CKRecordZone.ID) {
        switch value {
        case .string(let string): self = .string(string)
        case .int64(let integer): self = .integer(integer)
        case .double(let double): self = .double(double)
        case .timestamp(let milliseconds): self = .date(Date(millisecondsSince1970: milliseconds))
        case .bytes(let bytes): self = .data(Data(bytes))
        case .location(let location): self = .location(CLLocation(location))
        case .reference(let reference): self = .reference(CKRecord.Reference(reference, from: zoneID))
        case .asset(let descriptor): self = .asset(CKAsset(descriptor: descriptor))
        case .list(let elements, _): self = .list(elements.map { RecordValue($0, in: zoneID) })
        }
    }
}

// The wire counts milliseconds; our own server keeps, beside them, the very date that was saved, as Apple's framework
// gives it back.
extension RecordValue {
    /// What the wire's milliseconds do not tell of a date, or of a list of dates: seconds since 2001-01-01 UTC; nil where
    /// they tell all.
    var exactSeconds: [Double]? {
        switch self {
        case .date(let date):
            return date.isWholeMilliseconds ? nil : [date.timeIntervalSinceReferenceDate]
        case .list(let elements):
            var seconds: [Double] = []
            var tellsMore = false
            for element in elements {
                guard case .date(let date) = element else { return nil }
                seconds.append(date.timeIntervalSinceReferenceDate)
                tellsMore = tellsMore || !date.isWholeMilliseconds
            }
            return tellsMore ? seconds : nil
        default:
            return nil
        }
    }

    /// A date, or a list of dates, with these in its place: seconds since 2001-01-01 UTC.
    func withDates(_ seconds: [Double]) -> RecordValue {
        switch self {
        case .date where seconds.count == 1:
            .date(Date(timeIntervalSinceReferenceDate: seconds[0]))
        case .list(let elements) where elements.count == seconds.count:
            .list(seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) })
        default: self
        }
    }
}

extension Date {
    fileprivate var isWholeMilliseconds: Bool {
        Date(millisecondsSince1970: millisecondsSince1970).timeIntervalSinceReferenceDate
            == timeIntervalSinceReferenceDate
    }

    /// The wire counts in milliseconds. What no calendar reaches stops at the ends, and no date is the epoch.
    package var millisecondsSince1970: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        guard !milliseconds.isNaN else { return 0 }
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    package init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

extension WebServices.Reference {
    /// - Parameter zoneID: The zone of the record that holds the reference.
    package init(_ reference: CKRecord.Reference, from zoneID: CKRecordZone.ID) {
        let target = reference.recordID
        self.init(
            recordName: target.recordName, zoneID: target.zoneID == zoneID ? nil : ZoneID(target.zoneID),
            action: reference.isValidating ? .validate : reference.action == .deleteSelf ? .deleteSelf : Action.none)
    }
}

extension CKReference {
    /// - Parameter zoneID: The zone of the record that holds the reference.
    package convenience init(_ reference: WebServices.Reference, from zoneID: CKRecordZone.ID) {
        let target = reference.zoneID.map { CKRecordZone.ID($0, near: zoneID) } ?? zoneID
        self.init(
            recordID: CKRecord.ID(recordName: reference.recordName, zoneID: target),
            action: reference.action == .deleteSelf ? .deleteSelf : .none,
            isValidating: reference.action == .validate)
    }
}

extension Location {
    package init(_ location: CLLocation) {
        self.init(
            latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
            horizontalAccuracy: location.horizontalAccuracy, verticalAccuracy: location.verticalAccuracy,
            altitude: location.altitude, speed: location.speed, course: location.course,
            timestamp: location.timestamp.millisecondsSince1970)
    }
}

extension CLLocation {
    /// What other clients leave out is unknown, as CoreLocation says it; the time is then 1970.
    package convenience init(_ location: Location) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: location.latitude, longitude: location.longitude),
            altitude: location.altitude ?? 0, horizontalAccuracy: location.horizontalAccuracy ?? 0,
            verticalAccuracy: location.verticalAccuracy ?? -1, course: location.course ?? -1,
            speed: location.speed ?? -1, timestamp: Date(millisecondsSince1970: location.timestamp ?? 0))
    }
}
