import Foundation

/// A latitude or longitude in degrees.
public typealias CLLocationDegrees = Double
/// A distance in metres.
public typealias CLLocationDistance = Double
/// The radius in metres within which a location is trusted; negative when unknown.
public typealias CLLocationAccuracy = Double
/// A speed in metres a second; negative when unknown.
public typealias CLLocationSpeed = Double
/// The trust in a speed, in metres a second; negative when unknown.
public typealias CLLocationSpeedAccuracy = Double
/// A direction in degrees clockwise from true north; negative when unknown.
public typealias CLLocationDirection = Double
/// The trust in a direction, in degrees; negative when unknown.
public typealias CLLocationDirectionAccuracy = Double

/// A point on the globe (WGS 84).
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north of the equator.
    public var latitude: CLLocationDegrees
    /// Degrees east of the zero meridian.
    public var longitude: CLLocationDegrees

    public init() {
        self.init(latitude: 0, longitude: 0)
    }

    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// The coordinate that stands for "nowhere": outside both ranges.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Whether the latitude is within ±90 and the longitude within ±180 degrees.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

/// The C spelling of the initializer.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}
