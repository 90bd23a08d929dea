import Foundation
import WebServices

extension Location {
    /// The mean radius of the earth, in metres.
    static let earthRadius = 6_371_008.8
    /// How far apart two places can be.
    static let greatestDistance = earthRadius * .pi

    /// Metres along the surface of a sphere, as the framework's `CLLocation` measures: within half a percent of the
    /// ellipsoid's. Latitudes beyond a pole are taken for the pole.
    func distance(to other: Location) -> Double {
        let (first, second) = (latitude.latitude, other.latitude.latitude)
        let (byLatitude, byLongitude) = (second - first, (other.longitude - longitude).radians)
        let haversine =
            sin(byLatitude / 2) * sin(byLatitude / 2)
            + cos(first) * cos(second) * sin(byLongitude / 2) * sin(byLongitude / 2)
        let distance = 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
        return distance.isFinite ? distance : Self.greatestDistance
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
    fileprivate var latitude: Double { Swift.min(Swift.max(self, -90), 90).radians }
}
