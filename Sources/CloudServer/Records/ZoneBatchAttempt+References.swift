import CloudStore
import WebServices

extension ZoneBatchAttempt {
    /// The operations that leave a reference without its target, or take away what others refer to, now that all of the
    /// batch is in place; with those that depend on them.
    func violations() throws -> [Int: ServerError] {
        var violations: [Int: ServerError] = [:]
        var checked: [String: Bool] = [:]
        for (operation, reference) in needed {
            let exists = try checked[reference.target] ?? exists(reference.target)
            checked[reference.target] = exists
            if !exists { violations[operation] = .missingTarget(reference) }
        }
        for (operation, row) in deleted where violations[operation] == nil {
            let remaining = try writer.references(to: row.name, zone: zone.id, limit: Limits.sourcesPerTarget)
            // A source may itself be in this batch, saved with the reference after the target was deleted: its own error
            // says so already.
            if let source = remaining.first(where: { $0.action != StoredReferenceAction.deleteSelf.rawValue }) {
                let name = try writer.record(zone: zone.id, id: source.source)?.name
                violations[operation] = .stillReferenced(row.name, by: name ?? "")
            }
        }
        return violations.isEmpty ? violations : spread(violations)
    }

    private func exists(_ name: String) throws -> Bool {
        guard let row = try writer.record(zone: zone.id, name: name) else { return false }
        return !row.deleted
    }

    /// Adds the operations that only stood because of one that is refused: children of a parent that will not be saved, and
    /// deletions of a record whose source's deletion will not happen.
    private func spread(_ violations: [Int: ServerError]) -> [Int: ServerError] {
        var refused = violations
        let created = createdNames()
        let deletions = deleted.map { operation, row in
            (operation, row.name, KeptReference.all(Fields(stored: row.body) ?? Fields(), parent: row.parent))
        }
        var hasSpread = true
        while hasSpread {
            hasSpread = false
            let missing = Set(refused.keys.map { operations[$0].name }).intersection(created)
            for (operation, reference) in needed where refused[operation] == nil && missing.contains(reference.target) {
                refused[operation] = .missingTarget(reference)
                hasSpread = true
            }
            var staying: [String: String] = [:]
            for (operation, source, references) in deletions where refused[operation] != nil {
                for reference in references where reference.action != .deleteSelf { staying[reference.target] = source }
            }
            for (operation, name, _) in deletions where refused[operation] == nil {
                guard let source = staying[name] else { continue }
                refused[operation] = .stillReferenced(name, by: source)
                hasSpread = true
            }
        }
        return refused
    }

    /// The records that came into being with this batch.
    private func createdNames() -> Set<String> {
        var names: Set<String> = []
        for (operation, outcome) in zip(operations, outcomes) {
            if case .saved(let row) = outcome, row.created == row.modified { names.insert(operation.name) }
        }
        return names
    }
}

extension ServerError {
    /// A parent or the target of a VALIDATE reference is not there. [Apple:CKError.referenceViolation]
    fileprivate static func missingTarget(_ reference: KeptReference) -> ServerError {
        let what = reference.action == .parent ? "Parent record" : "Record"
        return ServerError(
            .validatingReferenceError, "\(what) '\(reference.target)' does not exist, rejecting update",
            extensionCode: .invalidReference)
    }

    fileprivate static func stillReferenced(_ name: String, by source: String) -> ServerError {
        ServerError(
            .validatingReferenceError,
            "Record delete would violate validating reference, rejecting update: '\(name)' is referenced by '\(source)'",
            extensionCode: .invalidReference)
    }
}
