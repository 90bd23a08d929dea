/// Which entity and property of the version before each of the new version was.
struct ModelMatching {
    let old: StoreModel
    let new: StoreModel
    /// New entity's name → old one's.
    private(set) var entities: [String: String] = [:]

    init(from old: StoreModel, to new: StoreModel) {
        self.old = old
        self.new = new
        entities = Self.match(
            new.entities.map { ($0.name, $0.renamingIdentifier) }, old.entities.map { ($0.name, $0.renamingIdentifier) }
        )
    }

    /// One to one: what is wholly alike first, then what says that it was renamed, then what has the same name.
    private static func match(
        _ new: [(name: String, renaming: String?)], _ old: [(name: String, renaming: String?)]
    ) -> [String: String] {
        var result: [String: String] = [:]
        var taken: Set<String> = []
        let rules: [((name: String, renaming: String?), (name: String, renaming: String?)) -> Bool] = [
            { $0.name == $1.name && $0.renaming == $1.renaming },
            { $0.renaming == $1.name },
            { $0.renaming != nil && $0.renaming == $1.renaming },
            { $0.name == $1.name },
        ]
        for isMatch in rules {
            for one in new where result[one.name] == nil {
                guard let other = old.first(where: { !taken.contains($0.name) && isMatch(one, $0) }) else { continue }
                result[one.name] = other.name
                taken.insert(other.name)
            }
        }
        return result
    }

    /// The old property that a new entity's property was: one that the old entity had or inherited.
    func oldProperty(_ name: String, of entity: String) -> (entity: String, property: Property)? {
        guard let before = entities[entity] else { return nil }
        let now = (new.lineage(of: entity) ?? []).flatMap(\.properties)
        let then = (old.lineage(of: before) ?? []).flatMap { level in level.properties.map { (level.name, $0) } }
        let matches = Self.match(
            now.map { ($0.name, $0.renamingIdentifier) }, then.map { ($0.1.name, $0.1.renamingIdentifier) })
        guard let was = matches[name], let found = then.first(where: { $0.1.name == was }) else { return nil }
        return (found.0, found.1)
    }

    /// The new entity that an old one became.
    func newEntity(of old: String) -> String? {
        entities.first { $0.value == old }?.key
    }
}
