extension SchemaDefinition {
    /// Reads a schema file and checks it.
    ///
    /// - Throws: `SchemaTextError` with every mistake that was found.
    package init(text: String) throws(SchemaTextError) {
        guard text.utf8.count <= SchemaLimits.textBytes else {
            let problem = SchemaTextPosition().problem(
                "The text has \(text.utf8.count) bytes; at most \(SchemaLimits.textBytes) are read", "Shorten it")
            throw SchemaTextError(problems: [problem])
        }
        var parser = SchemaParser(text)
        self = try parser.parse()
    }
}

/// Reads a schema file statement by statement. Nothing in the language nests, so nothing here recurses.
///
/// After a mistake in the form of a statement, reading goes on behind its `;`, so that one run tells of all mistakes.
struct SchemaParser {
    private var lexer: SchemaLexer
    private var token = SchemaToken(kind: .end, position: SchemaTextPosition())
    private var problems: [SchemaTextError.Problem] = []
    private var roles: Set<String> = []
    private var types: [String: RecordTypeDefinition] = [:]
    /// Roles that a GRANT names: they may be created further down.
    private var grantedRoles: [(name: String, position: SchemaTextPosition)] = []

    init(_ text: String) {
        lexer = SchemaLexer(text)
    }

    mutating func parse() throws(SchemaTextError) -> SchemaDefinition {
        do throws(SchemaTextError.Problem) {
            try advance()
            try parseHeader()
        } catch {
            note(error)
            lexer.skipStatement()
            resume()
        }
        while token.kind != .end, problems.count < SchemaLimits.problems {
            do throws(SchemaTextError.Problem) {
                try parseStatement()
            } catch {
                note(error)
                // The `;` that the mistake stands at ends its statement.
                if !token.isMark(";") { lexer.skipStatement() }
                resume()
            }
        }
        for granted in grantedRoles where !roles.contains(granted.name) {
            note(granted.position.problem("There is no role “\(granted.name)”", "Add CREATE ROLE \(granted.name);"))
        }
        guard problems.isEmpty else {
            let sorted = problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
            throw SchemaTextError(problems: Array(sorted.prefix(SchemaLimits.problems)))
        }
        return SchemaDefinition(roles: roles, recordTypes: Array(types.values))
    }

    private mutating func note(_ problem: SchemaTextError.Problem) {
        if problems.count < SchemaLimits.problems { problems.append(problem) }
    }

    /// The first token behind a mistake; another mistake right there is noted and passed over too.
    private mutating func resume() {
        while problems.count < SchemaLimits.problems {
            do throws(SchemaTextError.Problem) {
                return try advance()
            } catch {
                note(error)
                lexer.skipStatement()
            }
        }
        token = SchemaToken(kind: .end, position: token.position)
    }

    // MARK: - Tokens

    private mutating func advance() throws(SchemaTextError.Problem) {
        token = try lexer.next()
    }

    private mutating func take(_ mark: Character, _ remedy: String) throws(SchemaTextError.Problem) {
        guard token.isMark(mark) else { throw unexpected("“\(mark)”", remedy) }
        try advance()
    }

    private mutating func takeWord(_ keyword: String) throws(SchemaTextError.Problem) -> Bool {
        guard token.isWord(keyword) else { return false }
        try advance()
        return true
    }

    private mutating func require(_ keyword: String, _ remedy: String) throws(SchemaTextError.Problem) {
        guard try takeWord(keyword) else { throw unexpected(keyword, remedy) }
    }

    private func unexpected(_ wanted: String, _ remedy: String) -> SchemaTextError.Problem {
        token.position.problem("\(token.text) stands where \(wanted) should", remedy)
    }

    /// A name, quoted or not, with the place where it stands.
    private mutating func takeName(_ what: String) throws(SchemaTextError.Problem) -> (String, SchemaTextPosition) {
        let position = token.position
        let name: String
        switch token.kind {
        case .quoted(let quoted): name = quoted
        case .word(let word):
            guard !SchemaNames.reserved.contains(word.lowercased()) else {
                throw position.problem(
                    "“\(word)” is a word of the language", "As a name, write it in quotes: \"\(word)\"")
            }
            name = word
        case .mark, .end: throw unexpected("the name of \(what)", "Add one")
        }
        guard name.utf8.count <= SchemaLimits.nameBytes else {
            throw position.problem(
                "The name of \(what) has \(name.utf8.count) bytes",
                "Shorten it to at most \(SchemaLimits.nameBytes)")
        }
        try advance()
        return (name, position)
    }

    // MARK: - Statements

    private mutating func parseHeader() throws(SchemaTextError.Problem) {
        try require("DEFINE", "A schema begins with DEFINE SCHEMA")
        try require("SCHEMA", "A schema begins with DEFINE SCHEMA")
    }

    private mutating func parseStatement() throws(SchemaTextError.Problem) {
        if try takeWord("CREATE") {
            try require("ROLE", "Write CREATE ROLE and its name")
            try parseRole()
        } else if try takeWord("RECORD") {
            try require("TYPE", "Write RECORD TYPE, its name and its fields in parentheses")
            try parseRecordType()
        } else {
            throw unexpected("RECORD TYPE or CREATE ROLE", "Statements begin with one of these and end with “;”")
        }
        try take(";", "End every statement with “;”")
    }

    private mutating func parseRole() throws(SchemaTextError.Problem) {
        let (name, position) = try takeName("a role")
        guard SchemaNames.isRole(name) else {
            return note(
                position.problem(
                    "“\(name)” cannot be a role's name",
                    "Use letters, digits and “_”, with a letter first; _world, _icloud and _creator are there already"))
        }
        guard roles.insert(name).inserted else {
            return note(position.problem("The role “\(name)” is created twice", "Remove one of the two"))
        }
        if roles.count > SchemaLimits.roles {
            throw position.problem("There are too many roles", "Keep at most \(SchemaLimits.roles)")
        }
    }

    private mutating func parseRecordType() throws(SchemaTextError.Problem) {
        let (name, position) = try takeName("a record type")
        if !SchemaNames.isRecordType(name) {
            note(
                position.problem(
                    "“\(name)” cannot be a record type's name", "Use letters, digits and “_”, with a letter first"))
        }
        var type = RecordTypeDefinition(name: name)
        try take("(", "A record type's fields stand in parentheses behind its name")
        var named: Set<SystemField> = []
        while !token.isMark(")") {
            if try takeWord("GRANT") {
                try parseGrant(&type)
            } else {
                try parseField(&type, &named)
            }
            // A comma before the closing parenthesis is let pass, as it is by many languages.
            guard token.isMark(",") else { break }
            try advance()
        }
        try take(")", "Divide fields and grants with “,”, and close the record type with “)”")
        guard types[name] == nil else {
            return note(position.problem("The record type “\(name)” is defined twice", "Remove one of the two"))
        }
        types[name] = type
        if types.count > SchemaLimits.recordTypes {
            throw position.problem("There are too many record types", "Keep at most \(SchemaLimits.recordTypes)")
        }
    }

    private mutating func parseGrant(_ type: inout RecordTypeDefinition) throws(SchemaTextError.Problem) {
        var permissions: Permissions = []
        repeat {
            guard let known = Permissions.words.first(where: { token.isWord($0.word) }) else {
                throw unexpected("READ, CREATE or WRITE", "A grant reads like GRANT READ, WRITE TO \"_creator\"")
            }
            permissions.insert(known.permission)
            try advance()
            guard token.isMark(",") else { break }
            try advance()
        } while true
        try require("TO", "A grant reads like GRANT READ, WRITE TO \"_creator\"")
        let (role, position) = try takeName("a role")
        if !SystemRole.all.contains(role) { grantedRoles.append((role, position)) }
        type.grants[role, default: []].formUnion(permissions)
    }

    // MARK: - Fields

    private mutating func parseField(
        _ type: inout RecordTypeDefinition, _ named: inout Set<SystemField>
    ) throws(SchemaTextError.Problem) {
        let (name, position) = try takeName("a field")
        let dataType = try parseDataType()
        let indexes = try parseIndexes()
        if let problem = dataType.problem(with: indexes) {
            note(position.problem("Field “\(name)”: \(problem)", "Remove \(indexes.text) from it"))
        }
        if name.hasPrefix("___") {
            return noteSystemField(name, position, dataType, indexes, &type, &named)
        }
        guard SchemaNames.isField(name, of: type.name) else {
            return note(
                position.problem(
                    "“\(name)” cannot be a field's name",
                    "Use letters, digits, “_” and “$”, with a letter or “_” first"))
        }
        let field = FieldDefinition(name: name, type: dataType, indexes: indexes)
        if let other = type.fields[name], other != field {
            // The same line twice is harmless, and there are files that have one.
            return note(
                position.problem("Field “\(name)” is defined twice, and differently", "Remove one of the two"))
        }
        type.fields[name] = field
        if type.fields.count > SchemaLimits.fields {
            throw position.problem(
                "Record type “\(type.name)” has too many fields", "Keep at most \(SchemaLimits.fields)")
        }
    }

    private mutating func noteSystemField(
        _ name: String, _ position: SchemaTextPosition, _ dataType: FieldDataType, _ indexes: FieldIndexes,
        _ type: inout RecordTypeDefinition, _ named: inout Set<SystemField>
    ) {
        guard let field = SystemField(rawValue: name) else {
            let known = SystemField.allCases.map(\.rawValue).joined(separator: ", ")
            return note(position.problem("There is no system field “\(name)”", "The system's fields are \(known)"))
        }
        guard dataType == FieldDataType(field.base) else {
            return note(
                position.problem(
                    "The system field “\(name)” is not \(dataType.text)", "Its type is \(field.base.rawValue)"))
        }
        guard named.insert(field).inserted || (type.systemIndexes[field] ?? []) == indexes else {
            return note(
                position.problem("Field “\(name)” is defined twice, and differently", "Remove one of the two"))
        }
        if !indexes.isEmpty { type.systemIndexes[field] = indexes }
    }

    private mutating func parseIndexes() throws(SchemaTextError.Problem) -> FieldIndexes {
        var indexes: FieldIndexes = []
        while let known = FieldIndexes.words.first(where: { token.isWord($0.word) }) {
            indexes.insert(known.index)
            try advance()
        }
        return indexes
    }

    private mutating func parseDataType() throws(SchemaTextError.Problem) -> FieldDataType {
        guard try takeWord("LIST") else { return try parsePrimitive() }
        try take("<", "A list's element type stands in angle brackets: LIST<STRING>")
        var type = try parsePrimitive()
        try take(">", "Close the list's element type with “>”")
        type.isList = true
        return type
    }

    private mutating func parsePrimitive() throws(SchemaTextError.Problem) -> FieldDataType {
        let start = token
        if try takeWord("ENCRYPTED") {
            guard let base = Self.plainBase(token), base.canBeEncrypted else {
                throw unexpected("a type that can be encrypted", "Write one of \(Self.list(where: \.canBeEncrypted))")
            }
            try advance()
            return FieldDataType(base, isEncrypted: true)
        }
        guard let base = Self.plainBase(start) else {
            throw unexpected("a data type", "Write one of \(Self.list { _ in true }), or LIST<…> of one")
        }
        try advance()
        guard base == .number, try takeWord("PREFERRED") else { return FieldDataType(base) }
        try require("AS", "Write NUMBER PREFERRED AS INT64 or DOUBLE")
        if try takeWord("INT64") { return FieldDataType(.numberPreferringInt64) }
        if try takeWord("DOUBLE") { return FieldDataType(.numberPreferringDouble) }
        throw unexpected("INT64 or DOUBLE", "A NUMBER is preferred as one of these")
    }

    private static func plainBase(_ token: SchemaToken) -> FieldDataType.Base? {
        guard case .word(let word) = token.kind else { return nil }
        return FieldDataType.Base(rawValue: word.uppercased())
    }

    private static func list(where condition: (FieldDataType.Base) -> Bool) -> String {
        FieldDataType.Base.allCases.filter(condition).map(\.rawValue).filter { !$0.contains(" ") }
            .joined(separator: ", ")
    }
}
