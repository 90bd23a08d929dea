/// NSPredicate's format language: parsed, printed and evaluated in memory.
///
/// Foundation on Linux declares `NSPredicate(format:)` and `NSSortDescriptor(key:)` but marks them unavailable; this
/// module fills them, so that code written for Apple's systems compiles unchanged. Inside the package the same
/// predicates are values: `ParsedPredicate` and `ParsedExpression`, which CloudKit translates to queries and Core Data to SQL.
///
/// The way through it: `Parsing` turns text and arguments into `Syntax`; `Printing` turns it back; `Evaluation` applies it
/// to an object; `Foundation` is the public surface.
///
/// What Foundation leaves no way to fill here: `NSExpression` and `NSComparisonPredicate` (no instance of either can be made;
/// match on the tree instead), `NSPredicate(format:arguments:)` with a C argument list, archiving, and `predicateFormat` of an
/// `NSCompoundPredicate` made by an app, whose `copy()` Foundation also gets wrong (it is always false: keep the object itself).
///
/// It must not know records, managed objects, stores or the cloud: their values come in as `PredicateEvaluatable`
/// and `PredicateLocation`, or travel through untouched as opaque values.
package enum PredicateLimits {
    /// How deep a predicate may be nested, in its text and in its tree, so that no recursion over one can exhaust a stack.
    package static let nesting = 100
}
