/// An option of a command, said once: the parser, the help text, the environment and the configuration file read it here.
struct Option: Sendable {
    enum Value: Sendable {
        case none
        /// The placeholder is what the help shows: `--data DIR`.
        case required(placeholder: String)
    }

    /// The long name without its dashes, which is also the key in a configuration file.
    var name: String
    var value: Value
    var help: String
    /// What holds when nothing is said; the help shows it.
    var fallback: String?
    /// The environment variable that stands for the option.
    var environment: String?

    static func flag(_ name: String, _ help: String, environment: String? = nil) -> Option {
        Option(name: name, value: .none, help: help, fallback: nil, environment: environment ?? Self.variable(name))
    }

    static func value(
        _ name: String, _ placeholder: String, _ help: String, fallback: String? = nil, environment: String? = nil
    ) -> Option {
        Option(
            name: name, value: .required(placeholder: placeholder), help: help, fallback: fallback,
            environment: environment ?? Self.variable(name))
    }

    /// The same option with no variable: for what only makes sense once, such as `--help`.
    var withoutEnvironment: Option {
        var copy = self
        copy.environment = nil
        return copy
    }

    var takesValue: Bool {
        if case .required = value { true } else { false }
    }

    /// As the help shows it: `--data DIR`.
    var signature: String {
        switch value {
        case .none: "--\(name)"
        case .required(let placeholder): "--\(name) \(placeholder)"
        }
    }

    private static func variable(_ name: String) -> String {
        "STRATUS_" + name.uppercased().replacing("-", with: "_")
    }
}

extension Option {
    static let help = Option.flag("help", "Print this help.").withoutEnvironment
    static let json = Option.flag("json", "Print one JSON document instead of text.")
    static let data = Option.value(
        "data", "DIR", "The folder that holds the cloud's data.", fallback: "stratus-data")
}
