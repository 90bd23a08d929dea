/// A reference from an entity's rows to rows of another.
package struct Relationship: Sendable, Hashable, Codable {
    /// What becomes of the other side when a row is deleted. The layer above carries it out object by object; a delete of all
    /// that match carries it out here.
    package enum DeleteRule: String, Sendable, Codable {
        case noAction, nullify, cascade, deny
    }

    package var name: String
    package var destination: String
    package var inverse: String?
    package var isToMany: Bool
    package var isOrdered: Bool
    package var isOptional: Bool
    package var minimumCount: Int
    /// 0: any number.
    package var maximumCount: Int
    package var deleteRule: DeleteRule
    package var renamingIdentifier: String?
    package var versionHashModifier: String?

    package init(
        _ name: String, to destination: String, inverse: String? = nil, isToMany: Bool = false, isOrdered: Bool = false,
        isOptional: Bool = true, minimumCount: Int = 0, maximumCount: Int = 0, deleteRule: DeleteRule = .nullify,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        self.deleteRule = deleteRule
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
    }
}
