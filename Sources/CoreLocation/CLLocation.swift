import Foundation

/// A place, how well it is known, and when it was measured.
// Unchecked because the class is open: everything stored here is immutable.
open class CLLocation: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let measured: Measured

    private struct Measured: Sendable, Hashable {
        var latitude = 0.0
        var longitude = 0.0
        var altitude = 0.0
        var horizontalAccuracy = 0.0
        var verticalAccuracy = -1.0
        var course = -1.0
        var courseAccuracy = -1.0
        var speed = -1.0
        var speedAccuracy = -1.0
        var timestamp = Date()
    }

    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        measured = Measured(latitude: latitude, longitude: longitude)
        super.init()
    }

    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy,
        timestamp: Date
    ) {
        measured = Measured(
            latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
            horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy, timestamp: timestamp)
        super.init()
    }

    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy,
        course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        measured = Measured(
            latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
            horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy, course: course, speed: speed,
            timestamp: timestamp)
        super.init()
    }

    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy,
        course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
        speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
    ) {
        measured = Measured(
            latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
            horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy, course: course,
            courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy, timestamp: timestamp)
        super.init()
    }

    open var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: measured.latitude, longitude: measured.longitude)
    }
    /// Metres above sea level.
    open var altitude: CLLocationDistance { measured.altitude }
    /// Metres; negative when the coordinate is not valid.
    open var horizontalAccuracy: CLLocationAccuracy { measured.horizontalAccuracy }
    /// Metres; not positive when the altitude is not valid.
    open var verticalAccuracy: CLLocationAccuracy { measured.verticalAccuracy }
    /// Degrees clockwise from true north; negative when not known.
    open var course: CLLocationDirection { measured.course }
    open var courseAccuracy: CLLocationDirectionAccuracy { measured.courseAccuracy }
    /// Metres a second; negative when not known.
    open var speed: CLLocationSpeed { measured.speed }
    open var speedAccuracy: CLLocationSpeedAccuracy { measured.speedAccuracy }
    open var timestamp: Date { measured.timestamp }

    /// The metres between two places along a great circle of a sphere with the earth's mean radius.
    ///
    /// Apple's framework measures on an ellipsoid; the two differ by half a percent at most.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        let meanEarthRadius = 6_371_008.8
        let radians = Double.pi / 180
        let (here, there) = (coordinate, location.coordinate)
        let latitudes = sin((there.latitude - here.latitude) * radians / 2)
        let longitudes = sin((there.longitude - here.longitude) * radians / 2)
        let chord =
            latitudes * latitudes
            + cos(here.latitude * radians) * cos(there.latitude * radians) * longitudes * longitudes
        return 2 * meanEarthRadius * asin(min(1, chord.squareRoot()))
    }

    // Apple's class compares identity. Two reads of one record field give two objects here as there, so apps compare
    // coordinates; kept by identity for that reason.

    open override var description: String {
        let place = String(
            format: "<%+.8f,%+.8f> +/- %.2fm (speed %.2f mps / course %.2f)", measured.latitude, measured.longitude,
            measured.horizontalAccuracy, measured.speed, measured.course)
        return "\(place) @ \(measured.timestamp)"
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { self }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    /// The name in archives that were made on Apple's platforms; see `ArchivedClassName.swift`.
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CLLocation"] }

    private enum Key {
        static let latitude = "kCLLocationCodingKeyCoordinateLatitude"
        static let longitude = "kCLLocationCodingKeyCoordinateLongitude"
        static let altitude = "kCLLocationCodingKeyAltitude"
        static let horizontalAccuracy = "kCLLocationCodingKeyHorizontalAccuracy"
        static let verticalAccuracy = "kCLLocationCodingKeyVerticalAccuracy"
        static let course = "kCLLocationCodingKeyCourse"
        static let courseAccuracy = "kCLLocationCodingKeyCourseAccuracy"
        static let speed = "kCLLocationCodingKeySpeed"
        static let speedAccuracy = "kCLLocationCodingKeySpeedAccuracy"
        static let timestamp = "kCLLocationCodingKeyTimestamp"
    }

    public required init?(coder: NSCoder) {
        guard coder.allowsKeyedCoding, coder.containsValue(forKey: Key.latitude),
            coder.containsValue(forKey: Key.longitude)
        else { return nil }
        func number(_ key: String, otherwise: Double) -> Double {
            coder.containsValue(forKey: key) ? coder.decodeDouble(forKey: key) : otherwise
        }
        measured = Measured(
            latitude: coder.decodeDouble(forKey: Key.latitude), longitude: coder.decodeDouble(forKey: Key.longitude),
            altitude: number(Key.altitude, otherwise: 0),
            horizontalAccuracy: number(Key.horizontalAccuracy, otherwise: 0),
            verticalAccuracy: number(Key.verticalAccuracy, otherwise: -1), course: number(Key.course, otherwise: -1),
            courseAccuracy: number(Key.courseAccuracy, otherwise: -1), speed: number(Key.speed, otherwise: -1),
            speedAccuracy: number(Key.speedAccuracy, otherwise: -1),
            timestamp: Date(timeIntervalSinceReferenceDate: number(Key.timestamp, otherwise: 0)))
        super.init()
    }

    open func encode(with coder: NSCoder) {
        coder.encode(measured.latitude, forKey: Key.latitude)
        coder.encode(measured.longitude, forKey: Key.longitude)
        coder.encode(measured.altitude, forKey: Key.altitude)
        coder.encode(measured.horizontalAccuracy, forKey: Key.horizontalAccuracy)
        coder.encode(measured.verticalAccuracy, forKey: Key.verticalAccuracy)
        coder.encode(measured.course, forKey: Key.course)
        coder.encode(measured.courseAccuracy, forKey: Key.courseAccuracy)
        coder.encode(measured.speed, forKey: Key.speed)
        coder.encode(measured.speedAccuracy, forKey: Key.speedAccuracy)
        coder.encode(measured.timestamp.timeIntervalSinceReferenceDate, forKey: Key.timestamp)
    }
}
