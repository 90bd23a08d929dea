import Foundation

extension NSPredicate {
    /// The object of a tree: Foundation's own for a truth value; a compound's for `AND`, `OR` and `NOT`, so that its
    /// subpredicates can be asked for as on Apple's systems; else one that holds the tree.
    static func make(_ syntax: ParsedPredicate) -> NSPredicate {
        switch syntax {
        case .always(let value): NSPredicate(value: value)
        case .comparison: FormatPredicate(syntax)
        case .and(let operands): FormatCompoundPredicate(syntax, type: .and, operands: operands)
        case .or(let operands): FormatCompoundPredicate(syntax, type: .or, operands: operands)
        case .not(let operand): FormatCompoundPredicate(syntax, type: .not, operands: [operand])
        }
    }
}

/// A predicate that holds its tree.
final class FormatPredicate: NSPredicate {
    let parsed: ParsedPredicate

    init(_ parsed: ParsedPredicate) {
        self.parsed = parsed
        // Not a truth value, which Foundation would take for the equal of others.
        super.init(block: { object, variables in parsed.holds(for: object, variables: variables) })
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPredicate)?.syntax == parsed
    }

    override var hash: Int { parsed.hashValue }

    @available(*, deprecated, message: "Foundation marks it so: it is not useful for predicates of blocks.")
    override var predicateFormat: String { parsed.predicateFormat }

    override var description: String { parsed.predicateFormat }
}

/// A compound that was made from a format.
final class FormatCompoundPredicate: NSCompoundPredicate {
    private var parsed: ParsedPredicate?

    init(_ parsed: ParsedPredicate, type: LogicalType, operands: [ParsedPredicate]) {
        self.parsed = parsed
        super.init(type: type, subpredicates: operands.map(NSPredicate.make))
    }

    private init(copying other: FormatCompoundPredicate) {
        parsed = other.parsed
        super.init(type: other.compoundPredicateType, subpredicates: other.subpredicates)
    }

    // Foundation lets both be set, which Apple's does not.
    override var subpredicates: [NSPredicate] {
        didSet { parsed = nil }
    }

    override var compoundPredicateType: LogicalType {
        didSet { parsed = nil }
    }

    /// The tree as it was parsed, as long as nobody changed the compound.
    var unchangedSyntax: ParsedPredicate? { parsed }

    func substituting(_ variables: [String: Any]) -> NSPredicate {
        if let parsed { return NSPredicate.make(parsed.substituting(variables.mapValues { PredicateValue($0) })) }
        let changed = FormatCompoundPredicate(copying: self)
        changed.subpredicates = subpredicates.map { $0.withSubstitutionVariables(variables) }
        return changed
    }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        guard let parsed else { return super.evaluate(with: object, substitutionVariables: bindings) }
        return parsed.holds(for: object, variables: bindings)
    }

    override func copy(with zone: NSZone? = nil) -> Any {
        FormatCompoundPredicate(copying: self)
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        guard let syntax else { return other === self }
        return other.syntax == syntax
    }

    override var hash: Int { syntax?.hashValue ?? ObjectIdentifier(self).hashValue }

    @available(*, deprecated, message: "Foundation marks it so: it is not useful for predicates of blocks.")
    override var predicateFormat: String { syntax?.predicateFormat ?? super.predicateFormat }

    override var description: String { syntax?.predicateFormat ?? super.description }
}

extension NSCompoundPredicate {
    /// The tree of a compound. Compounds of one type within each other, as a loop that adds one predicate at a time makes
    /// them, become one level, so that they may be as many as they like.
    var compoundSyntax: ParsedPredicate? {
        compoundSyntax(depth: 0)
    }

    private func compoundSyntax(depth: Int) -> ParsedPredicate? {
        if let parsed = (self as? FormatCompoundPredicate)?.unchangedSyntax { return parsed }
        guard depth < PredicateLimits.nesting else { return nil }
        let isJunction = compoundPredicateType != .not
        var operands = [ParsedPredicate]()
        var pending: [NSPredicate] = subpredicates.reversed()
        while let predicate = pending.popLast() {
            guard let compound = predicate as? NSCompoundPredicate else {
                guard let operand = predicate.syntax else { return nil }
                operands.append(operand)
                continue
            }
            if isJunction, compound.compoundPredicateType == compoundPredicateType {
                pending.append(contentsOf: compound.subpredicates.reversed())
            } else {
                guard let operand = compound.compoundSyntax(depth: depth + 1) else { return nil }
                operands.append(operand)
            }
        }
        switch compoundPredicateType {
        case .and: return .conjunction(of: operands)
        case .or: return .disjunction(of: operands)
        case .not: return operands.first.map(ParsedPredicate.not)
        }
    }
}

extension ParsedPredicate {
    /// The answer for an interface that cannot throw. Where Apple's raises an exception (a variable without a value, a
    /// malformed regular expression, an object without keys) a debug build stops with the reason; a release build, whose
    /// data may be a stranger's, takes the object as one for which the predicate does not hold.
    fileprivate func holds(for object: Any?, variables: [String: Any]?) -> Bool {
        do throws(PredicateEvaluationError) {
            return try evaluate(with: object, variables: variables ?? [:])
        } catch {
            assertionFailure("Cannot evaluate the predicate \(predicateFormat): \(error)")
            return false
        }
    }
}
