/// What a schema must be for its store to be mirrored to CloudKit.
///
/// The messages are those that Core Data gives, each with a line for every offender; a line more says what to do.
package enum CloudKitRules {
    /// Every rule that a schema breaks; empty when it can be mirrored.
    package static func violations(of descriptions: [ModelDescription]) -> [String] {
        let properties = descriptions.flatMap { description in
            description.ownProperties.map { (description, $0) }
        }
        return [
            message(
                """
                CloudKit integration requires that all attributes be optional, or have a default value set. The following \
                attributes are marked non-optional but do not have a default value:
                """,
                properties.filter {
                    $1.attribute != nil && !$1.isOptional && $1.defaultValue == nil && !isTransient($1)
                },
                mend: "Give each a default value in its declaration (one in init does not count), or make it optional."),
            message(
                "CloudKit integration requires that all relationships be optional, the following are not:",
                properties.filter { $1.relationship != nil && !$1.isOptional },
                mend: "Declare each as optional, to-many ones too: [Model]?"),
            message(
                "CloudKit integration requires that all relationships have an inverse, the following do not:",
                properties.filter { $1.relationship != nil && $1.resolvedInverse(in: $0) == nil },
                mend: "Add a relationship to the other model that leads back, and name it: @Relationship(inverse:)."),
            constraints(descriptions),
            denials(properties),
        ].compactMap { $0 }
    }

    private static func isTransient(_ property: PropertyDescription) -> Bool {
        property.attribute?.options.contains(.ephemeral) == true
    }

    private static func message(
        _ header: String, _ offenders: [(ModelDescription, PropertyDescription)], mend: String
    ) -> String? {
        lines(header, offenders.map { "\($0.name): \($1.name)" }, mend: mend)
    }

    private static func constraints(_ descriptions: [ModelDescription]) -> String? {
        let offenders = descriptions.flatMap { description in
            description.uniquenessConstraints.map { "\(description.name): \($0.joined(separator: ", "))" }
        }
        return lines(
            "CloudKit integration does not support unique constraints. The following entities are constrained:",
            offenders,
            mend: "Remove .unique and #Unique; look for an existing object before inserting one.")
    }

    private static func denials(_ properties: [(ModelDescription, PropertyDescription)]) -> String? {
        let offenders = properties.filter { $1.relationship?.deleteRule == .deny }
        return lines(
            "The following relationships are configured with unsupported delete rules:",
            offenders.map { "\($0.name):\($1.name) - Deny" }, mend: "Use .nullify or .cascade.")
    }

    private static func lines(_ header: String, _ offenders: [String], mend: String) -> String? {
        if offenders.isEmpty { return nil }
        let sorted = offenders.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
        return ([header] + sorted + [mend]).joined(separator: "\n")
    }

    /// - Throws: `loadIssueModelContainer` with every broken rule; its `underlying` is the error that Core Data gives.
    static func check(_ descriptions: [ModelDescription]) throws {
        let violations = violations(of: descriptions)
        guard !violations.isEmpty else { return }
        let reason = violations.joined(separator: "\n\n")
        throw SwiftDataError(
            .loadIssueModelContainer, detail: reason,
            underlying: NSError(
                domain: NSCocoaErrorDomain, code: 134060,
                userInfo: [
                    NSLocalizedDescriptionKey: "A Core Data error occurred.", NSLocalizedFailureReasonErrorKey: reason,
                ]))
    }
}
