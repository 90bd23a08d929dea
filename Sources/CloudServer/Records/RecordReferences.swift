import CloudStore
import WebServices

/// What a reference means for the two records, as stored: never renumber.
package enum StoredReferenceAction: Int64, Sendable, Hashable, CaseIterable {
    /// The source is deleted with the target.
    case deleteSelf = 1
    /// The target can only be deleted once the source is gone.
    case validate = 2
    /// The target is the source's parent: it must exist, and go no earlier than its children.
    case parent = 3
}

/// One end of a reference that the server has to look after. References with the action NONE are just values.
struct KeptReference: Hashable, Sendable {
    var target: String
    var action: StoredReferenceAction

    init(target: String, action: StoredReferenceAction) {
        self.target = target
        self.action = action
    }

    init?(_ row: ReferenceRow) {
        guard let action = StoredReferenceAction(rawValue: row.action) else { return nil }
        self.init(target: row.target, action: action)
    }

    func row(source: Int64) -> ReferenceRow {
        ReferenceRow(target: target, action: action.rawValue, source: source)
    }

    /// Those of a record's fields and its parent.
    static func all(_ fields: Fields, parent: String?) -> Set<KeptReference> {
        var all: Set<KeptReference> = []
        if let parent { all.insert(KeptReference(target: parent, action: .parent)) }
        for entry in fields {
            for reference in fields.references(in: entry) {
                switch reference.action {
                case .deleteSelf: all.insert(KeptReference(target: reference.recordName, action: .deleteSelf))
                case .validate: all.insert(KeptReference(target: reference.recordName, action: .validate))
                case .none?, nil: break
                }
            }
        }
        return all
    }
}

extension Fields {
    /// The references that a field holds, whether or not a request said what type it is.
    func references(in entry: Entry) -> [Reference] {
        switch entry.kind {
        case Kind(.reference), Kind(.referenceList):
            return value(of: entry)?.references ?? []
        case .untyped:
            guard let first = json(of: entry).first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
                return []
            }
            let type: FieldType = first == UInt8(ascii: "{") ? .reference : .referenceList
            return (try? value(of: entry, as: type))?.references ?? []
        default:
            return []
        }
    }
}

extension FieldValue {
    fileprivate var references: [Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .list(let elements, of: .reference):
            elements.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
        default: []
        }
    }
}
