import CloudKit
import Foundation
import WebServices

/// The cloud that the environment names, as each of many devices sees it.
enum Cloud {
    static func container(device: String) throws -> CKContainer {
        let environment = ProcessInfo.processInfo.environment
        guard let url = environment["STRATUS_URL"].flatMap({ URL(string: $0) }),
            let apiToken = environment["STRATUS_API_TOKEN"], let account = environment["STRATUS_ACCOUNT"],
            let password = environment["STRATUS_PASSWORD"], let container = environment["STRATUS_CONTAINER"]
        else { throw Misuse() }
        let connection = CloudConnection(
            transport: HTTPTransport(root: url),
            account: AccountSession(.password(account: account, password: password)), apiToken: apiToken,
            deviceID: device)
        return CKContainer(identifier: container, connection: connection)
    }
}
