import Foundation
import WebServices

/// How a server behaves: what `serve` reads from flags and files, `dev` presets, and tests set in code.
package struct ServerConfiguration: Sendable {
    /// Where people reach the server: the `redirectURL` of a 421 is this with `/stratus/sign-in`. nil takes what the
    /// request was addressed to.
    package var publicURL: String?
    /// Containers come into being on first use in the development environment; otherwise they must be registered.
    package var createsContainersOnFirstUse: Bool
    /// A sign-in with a new account name makes the account. Only for an emulator: anybody gets in.
    package var createsAccountsOnFirstUse: Bool
    /// An API token that is good for every container and environment, beside those in the control store. For an emulator.
    package var universalAPIToken: String?
    /// In the development environment, types and fields come into being with the first record that has them.
    package var createsSchemaOnSave: Bool
    /// Bytes that an account may store in one container's private database; nil for no limit.
    package var accountQuota: Int64?
    /// Bytes that a container's public database may hold; nil for no limit.
    package var publicQuota: Int64?
    /// How long a web token is good: 30 minutes, or 2 weeks for a person who stays signed in. [Apple:SettingUpWebServices]
    package var tokenLife: TokenLife
    /// How long a deleted record stays in the change feed, in milliseconds. Older change tokens expire.
    package var tombstoneLife: Int64
    /// How long a request stays in the request log, in milliseconds.
    package var requestLogLife: Int64
    package var webLimits: Limits
    package var nativeLimits: Limits
    package var push = PushLimits()
    package var assets = AssetLimits()
    /// How many writes of one container may wait for its writer before the next is told to come back.
    package var waitingWritesPerContainer = 2_000
    /// How many checks of passwords may wait for their turn: some three seconds' worth.
    package var waitingPasswordChecks = 64
    /// How many threads' time there is to share among containers.
    package var processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    package struct TokenLife: Sendable {
        /// Milliseconds.
        package var normal: Int64 = 30 * 60 * 1000
        package var keptSignedIn: Int64 = 14 * 24 * 3600 * 1000
        /// How long a session can be prolonged by fresh tokens before its person signs in again.
        package var session: Int64 = 24 * 3600 * 1000
        package var sessionKeptSignedIn: Int64 = 365 * 24 * 3600 * 1000
        /// How old a token gets before answers carry a fresh one: signing anew at every answer would buy nothing.
        package var renewal: Int64 = 60 * 1000

        package init() {}
    }

    /// What holds for the long polls that wait for a push.
    package struct PushLimits: Sendable {
        /// How long a poll waits before it is answered without news. Below the minute after which proxies and the HTTP
        /// server itself give a silent connection up; it is also when a client that left is noticed at the latest.
        package var pollLife: Duration = .seconds(50)
        /// Polls that wait at once: on the whole server, and of one account in one container.
        package var polls = 8_000
        package var pollsPerUser = 1_024
        /// How long after its last poll an address is remembered; when it polls later, it is told of everything once.
        package var memory: Duration = .seconds(15 * 60)
        /// Zones of one database that are remembered by name for an address; beyond, a push says that any may have changed.
        package var zones = 64

        package init() {}
    }

    /// What holds for files. Times are milliseconds.
    package struct AssetLimits: Sendable {
        /// Bytes of one file. [Apple:PropertyMetrics]
        package var maximumSize: Int64 = 50 << 20
        /// How long an address to send a file to is good. [Apple:UploadAssets]
        package var uploadLife: Int64 = 15 * 60 * 1000
        /// How long an address to fetch a file from is good: a page of large files takes its time.
        package var downloadLife: Int64 = 60 * 60 * 1000
        /// How long a file stays that no record refers to: one that nobody saved, and one that the last record let go of.
        /// Longer than a backup takes to copy files, and than an address is good.
        package var unusedLife: Int64 = 24 * 3600 * 1000
        /// How many files one person may be sending at once.
        package var uploadsPerUser = 32
        /// How many files are brought to the disk at once.
        package var keptAtOnce = 16

        package init() {}
    }

    package init() {
        publicURL = nil
        createsContainersOnFirstUse = false
        createsAccountsOnFirstUse = false
        universalAPIToken = nil
        createsSchemaOnSave = true
        accountQuota = nil
        publicQuota = nil
        tokenLife = TokenLife()
        tombstoneLife = 30 * 24 * 3600 * 1000
        requestLogLife = 7 * 24 * 3600 * 1000
        webLimits = .webServices
        nativeLimits = .native
    }

    /// What an emulator wants: nothing has to be set up before the first request.
    package static func emulator(apiToken: String) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.createsContainersOnFirstUse = true
        configuration.createsAccountsOnFirstUse = true
        configuration.universalAPIToken = apiToken
        return configuration
    }

    package func limits(for client: ClientKind) -> Limits {
        switch client {
        case .webServices: webLimits
        case .native: nativeLimits
        }
    }
}
