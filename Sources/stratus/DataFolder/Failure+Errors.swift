import CloudServer
import CloudStore

extension Failure {
    /// What a library's error means to the person at the terminal.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as AdministrationError: self.init(administration: error)
        case let error as StoreError: self.init(.failure, error.message)
        default: self.init(.failure, "\(error)")
        }
    }

    private init(administration error: AdministrationError) {
        switch error {
        case .accountExists(let name):
            self.init(.exists, "There is an account “\(name)” already.", remedy: "stratus account password \(name)")
        case .noAccount(let name):
            self.init(.notFound, "There is no account “\(name)”.", remedy: "stratus account list")
        case .containerExists(let name):
            self.init(.exists, "The container “\(name)” is there already.")
        case .noContainer(let name):
            self.init(.notFound, "There is no container “\(name)”.", remedy: "stratus container create \(name)")
        case .noToken(let text):
            self.init(.notFound, "No API token begins with “\(text)”.", remedy: "stratus token list")
        case .ambiguousToken(let text):
            self.init(.usage, "Several API tokens begin with “\(text)”.", remedy: "Give the whole token.")
        case .noRole(let name):
            self.init(
                .notFound, "The container's schema has no role “\(name)”.",
                remedy: "Add CREATE ROLE \(name); to its schema file and import it.")
        case .schemaLosesData(let losses):
            self.init(
                .refused, "The schema would delete data:\n" + Self.list(losses),
                remedy: "Add --allow-data-loss if that is what you want.")
        case .schemaRefused(let losses):
            self.init(
                .refused, "Production would lose data:\n" + Self.list(losses),
                remedy: "Put what is missing back, and give what changes a new name.")
        case .noKey(let text):
            self.init(.notFound, "No key begins with “\(text)”.", remedy: "stratus key list")
        case .keyExists(let id):
            self.init(.exists, "The key \(id) is there already.")
        case .ambiguousKey(let text):
            self.init(
                .usage, "Several keys begin with “\(text)”, or one is in several containers.",
                remedy: "Give the whole key, --container and --environment.")
        case .invalid(let reason):
            self.init(.usage, "\(reason).")
        }
    }

    private static func list(_ reasons: [String]) -> String {
        reasons.map { "           - \($0)." }.joined(separator: "\n")
    }
}
