import SchemaLanguage
import WebServices

extension SchemaSweep {
    /// What a difference does to the records that are stored under a schema.
    ///
    /// - Parameter afterwards: whether the schema has been changed already: values of a field's new type then stay.
    init(_ difference: SchemaDifference, of schema: Schema, afterwards: Bool) {
        var fates: [Int64: Fate] = [:]
        for change in difference.losses {
            switch change {
            case .typeRemoved(let type):
                if let id = schema.type(named: type.name)?.id { fates[id] = .all }
            case .fieldRemoved(let field, let type):
                let fate = FieldFate(isEncrypted: false, wasEncrypted: field.type.isEncrypted)
                Self.add(field.name, fate, schema.type(named: type)?.id, to: &fates)
            case .fieldChanged(let field, let new, let type):
                let fate = FieldFate(
                    keptType: afterwards ? new.type.fieldType : nil, isEncrypted: new.type.isEncrypted,
                    wasEncrypted: field.type.isEncrypted)
                Self.add(field.name, fate, schema.type(named: type)?.id, to: &fates)
            case .roleAdded, .roleRemoved, .typeAdded, .fieldAdded, .indexesChanged, .grantsChanged: break
            }
        }
        self.init(fates: fates)
    }

    private static func add(_ name: String, _ fate: FieldFate, _ type: Int64?, to fates: inout [Int64: Fate]) {
        guard let type else { return }
        var names: [String: FieldFate] = [:]
        if case .fields(let known)? = fates[type] { names = known }
        names[name] = fate
        fates[type] = .fields(names)
    }
}
