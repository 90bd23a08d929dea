/// NSPredicate's format language: parsed, printed and evaluated in memory.
///
/// Foundation on Linux declares `NSPredicate(format:)` and `NSSortDescriptor(key:)` but marks them unavailable; this
/// module fills them, so that code written for Apple's systems compiles unchanged. Inside the package the same
/// predicates are values: `ParsedPredicate` and `ParsedExpression`, which CloudKit translates to queries and Core Data to SQL.
///
/// The way through it: `Parsing` turns text and arguments into `Syntax`; `Printing` turns it back; `Evaluation` applies it
/// to an object; `Foundation` is the public surface.
///
/// It must not know records, managed objects, stores or the cloud: their values come in as `PredicateEvaluatable`
/// and `PredicateLocation`, or travel through untouched as opaque values.
package enum PredicateLimits {
    /// How deep a predicate may be nested, in its text and in its tree, so that no recursion over one can exhaust a stack.
    package static let nesting = 100
}
