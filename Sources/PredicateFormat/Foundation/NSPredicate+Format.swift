import Foundation

extension NSPredicate {
    /// Creates a predicate from a format string and its arguments.
    ///
    /// As on Apple's systems a malformed format is a programmer's error and ends the program, with a message that says what
    /// was expected where.
    ///
    /// [Apple:NSPredicate, init(format:_:)]
    public convenience init(format predicateFormat: String, _ args: Any?...) {
        self.init(trustedFormat: predicateFormat, arguments: args)
    }

    /// Creates a predicate from a format string and an array of arguments; a malformed format ends the program.
    ///
    /// [Apple:NSPredicate, init(format:argumentArray:)]
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self.init(trustedFormat: predicateFormat, arguments: arguments ?? [])
    }

    private convenience init(trustedFormat format: String, arguments: [Any?]) {
        do throws(PredicateFormatError) {
            self.init(syntax: try ParsedPredicate.parse(format: format, arguments: arguments))
        } catch {
            // Apple's raises an exception. Not a precondition, whose message a release build would drop.
            fatalError(error.description)
        }
    }

    /// Creates the predicate of a tree.
    package convenience init(syntax: ParsedPredicate) {
        self.init(made: NSPredicate.make(syntax))
    }

    /// The tree of a predicate that was made from a format, from a truth value, or from such as a compound;
    /// `nil` if it is, or contains, a block or a class of someone else's.
    package var syntax: ParsedPredicate? {
        switch self {
        case let predicate as FormatPredicate: return predicate.parsed
        case let predicate as NSCompoundPredicate: return predicate.compoundSyntax
        // A subclass may do anything, and a block cannot be looked into.
        case _ where type(of: self) != NSPredicate.self: return nil
        case _ where isEqual(NSPredicate(value: true)): return .always(true)
        case _ where isEqual(NSPredicate(value: false)): return .always(false)
        default: return nil
        }
    }

    /// Returns the predicate with constants in the place of the variables that `variables` names.
    ///
    /// Blocks and other people's subclasses come back as they are; a variable left in one is reported when it is evaluated.
    ///
    /// [Apple:NSPredicate, withSubstitutionVariables(_:)]
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let substituted: NSPredicate =
            switch self {
            case let predicate as FormatPredicate:
                NSPredicate.make(predicate.parsed.substituting(variables.mapValues { PredicateValue($0) }))
            case let predicate as FormatCompoundPredicate:
                predicate.substituting(variables)
            case let compound as NSCompoundPredicate:
                NSCompoundPredicate(
                    type: compound.compoundPredicateType,
                    subpredicates: compound.subpredicates.map { $0.withSubstitutionVariables(variables) })
            default: self
            }
        // Self is the class of this very object.
        return substituted as? Self ?? self
    }

    /// Does nothing: a predicate here is never an archive's, whose evaluation would have to be allowed first.
    public func allowEvaluation() {}
}

/// Lets an initializer hand out an instance of a subclass, which only a protocol's initializer may.
/// (It is not bound to classes: only then may the initializer assign `self`.)
protocol PredicateMaking {}

extension PredicateMaking where Self: NSPredicate {
    init(made predicate: NSPredicate) {
        guard let made = predicate as? Self else {
            preconditionFailure(
                "A subclass of NSPredicate cannot be made from a format string: use NSPredicate(format:).")
        }
        self = made
    }
}

extension NSPredicate: PredicateMaking {}
