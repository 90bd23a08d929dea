/// A zone on the wire: `{zoneName, ownerRecordName?, zoneType?}`. Without an owner it is the caller's.
package struct ZoneID: Sendable, Hashable {
    package static let defaultZoneName = "_defaultZone"
    package static let `default` = ZoneID()

    package var zoneName: String
    package var ownerRecordName: String?

    package init(zoneName: String = ZoneID.defaultZoneName, ownerRecordName: String? = nil) {
        self.zoneName = zoneName
        self.ownerRecordName = ownerRecordName
    }

    package var isDefault: Bool { zoneName == Self.defaultZoneName }
    /// `zoneType` in answers.
    package var zoneType: String { isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE" }
}

/// `created` and `modified`: who, when, from which device.
package struct Stamp: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC.
    package var timestamp: Int64
    package var userRecordName: String
    package var deviceID: String

    package init(timestamp: Int64, userRecordName: String, deviceID: String) {
        self.timestamp = timestamp
        self.userRecordName = userRecordName
        self.deviceID = deviceID
    }
}

/// A reference value, a record's parent, or its share.
package struct Reference: Sendable, Hashable {
    package enum Action: String, Sendable, Hashable {
        case none = "NONE"
        case deleteSelf = "DELETE_SELF"
        case validate = "VALIDATE"
    }

    package var recordName: String
    package var zoneID: ZoneID?
    /// Required except in queries and in `parent`.
    package var action: Action?

    package init(recordName: String, zoneID: ZoneID? = nil, action: Action? = nil) {
        self.recordName = recordName
        self.zoneID = zoneID
        self.action = action
    }
}

/// Degrees, metres, metres per second, milliseconds since 1970. [Apple:Types]
package struct Location: Sendable, Hashable {
    package var latitude: Double
    package var longitude: Double
    package var horizontalAccuracy: Double?
    package var verticalAccuracy: Double?
    package var altitude: Double?
    package var speed: Double?
    package var course: Double?
    package var timestamp: Int64?

    package init(
        latitude: Double, longitude: Double, horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil,
        altitude: Double? = nil, speed: Double? = nil, course: Double? = nil, timestamp: Int64? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.altitude = altitude
        self.speed = speed
        self.course = course
        self.timestamp = timestamp
    }
}

/// An asset descriptor. A server stores it without `downloadURL`.
package struct Asset: Sendable, Hashable {
    package var fileChecksum: String
    package var size: Int64
    package var receipt: String?
    package var referenceChecksum: String?
    package var wrappingKey: String?
    package var downloadURL: String?

    package init(
        fileChecksum: String, size: Int64, receipt: String? = nil, referenceChecksum: String? = nil,
        wrappingKey: String? = nil, downloadURL: String? = nil
    ) {
        self.fileChecksum = fileChecksum
        self.size = size
        self.receipt = receipt
        self.referenceChecksum = referenceChecksum
        self.wrappingKey = wrappingKey
        self.downloadURL = downloadURL
    }
}
