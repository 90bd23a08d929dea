public import Testing

/// Says which promised behaviour a test proves, by its identifier in `Behaviours.tsv`.
///
/// `Documentation/Fidelity.md` is made from the table and from these marks, which is why the identifier is written out in
/// the test: `@Test("…", .behaviour("modify.create-taken"))`.
public struct BehaviourTrait: TestTrait {
    public var ids: [String]
}

extension Trait where Self == BehaviourTrait {
    public static func behaviour(_ ids: String...) -> Self { BehaviourTrait(ids: ids) }
}
