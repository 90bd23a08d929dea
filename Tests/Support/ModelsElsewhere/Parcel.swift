import Foundation
import SwiftData

// A model of another module, as an app's own package of models has it.

public protocol Labelled {
    var label: String { get }
}

@Model
public class Parcel: Labelled {
    public var label: String
    public var weight: Double
    public private(set) var sealed = false
    public var sender: Sender?

    public init(_ label: String, weight: Double) {
        self.label = label
        self.weight = weight
    }
}

@Model
public final class Letter: Parcel {
    public var pages: Int

    public init(_ label: String, pages: Int) {
        self.pages = pages
        super.init(label, weight: 0.1)
    }
}

@Model
public final class Sender {
    public var name: String
    @Relationship(inverse: \Parcel.sender) public var parcels: [Parcel] = []

    public init(name: String) { self.name = name }
}

/// Formed where only the protocol is known.
public func labelled<Item: PersistentModel & Labelled>(_ label: String) -> Predicate<Item> {
    #Predicate { $0.label == label }
}
