import Foundation

extension CKOperation {
    /// How an operation's requests are made. Only what is set here overrides the group's default configuration.
    open class Configuration: NSObject, @unchecked Sendable {
        // Unchecked, like Apple's: set up before the operation starts; an operation keeps a copy.

        private var explicitContainer: CKContainer?
        private var explicitQualityOfService: QualityOfService?
        private var explicitCellularAccess: Bool?
        private var explicitLongLived: Bool?
        private var explicitRequestTimeout: TimeInterval?
        private var explicitResourceTimeout: TimeInterval?

        public override init() { super.init() }

        /// The container of the operation; `CKContainer.default()` where nothing says otherwise.
        open var container: CKContainer? {
            get { explicitContainer }
            set { explicitContainer = newValue }
        }
        open var qualityOfService: QualityOfService {
            get { explicitQualityOfService ?? .default }
            set { explicitQualityOfService = newValue }
        }
        open var allowsCellularAccess: Bool {
            get { explicitCellularAccess ?? true }
            set { explicitCellularAccess = newValue }
        }
        /// Stored and given back; operations do not outlive the process here.
        open var isLongLived: Bool {
            get { explicitLongLived ?? false }
            set { explicitLongLived = newValue }
        }
        /// Seconds without data after which a request fails with `.networkFailure`.
        open var timeoutIntervalForRequest: TimeInterval {
            get { explicitRequestTimeout ?? 60 }
            set { explicitRequestTimeout = newValue }
        }
        /// Seconds for the whole operation with its retries; -1 is without end.
        open var timeoutIntervalForResource: TimeInterval {
            get {
                if let explicitResourceTimeout { return explicitResourceTimeout }
                let immediate = qualityOfService == .userInteractive || qualityOfService == .userInitiated
                return immediate ? -1 : 7 * 24 * 3600
            }
            set { explicitResourceTimeout = newValue }
        }

        var isQualityOfServiceExplicit: Bool { explicitQualityOfService != nil }

        /// This configuration where it says something, else the other one.
        func over(_ other: Configuration?) -> Configuration {
            let merged = Configuration()
            merged.explicitContainer = explicitContainer ?? other?.explicitContainer
            merged.explicitQualityOfService = explicitQualityOfService ?? other?.explicitQualityOfService
            merged.explicitCellularAccess = explicitCellularAccess ?? other?.explicitCellularAccess
            merged.explicitLongLived = explicitLongLived ?? other?.explicitLongLived
            merged.explicitRequestTimeout = explicitRequestTimeout ?? other?.explicitRequestTimeout
            merged.explicitResourceTimeout = explicitResourceTimeout ?? other?.explicitResourceTimeout
            return merged
        }

        open override func copy() -> Any { over(nil) }
    }
}

/// What `configuredWith` hands down to the calls in its body.
package struct OperationDefaults: Sendable {
    var configuration: CKOperation.Configuration?
    var group: CKOperationGroup?

    package init(configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil) {
        self.configuration = configuration
        self.group = group
    }

    func overridden(by configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) -> OperationDefaults {
        OperationDefaults(
            configuration: configuration?.over(self.configuration) ?? self.configuration, group: group ?? self.group)
    }

    /// Merges by the rule of the CKOperation header: what the operation says, then its group's default configuration,
    /// then what the database was configured with, then the defaults.
    func resolved(
        for configuration: CKOperation.Configuration?, group: CKOperationGroup?, qualityOfService: QualityOfService
    ) -> RequestOptions {
        let merged = (configuration ?? CKOperation.Configuration())
            .over((group ?? self.group)?.defaultConfiguration)
            .over(self.configuration)
        if !merged.isQualityOfServiceExplicit { merged.qualityOfService = qualityOfService }
        let whole = merged.timeoutIntervalForResource
        let request = merged.timeoutIntervalForRequest
        let limits = RequestLimits(
            timeout: whole > 0 ? min(request, whole) : request, allowsCellularAccess: merged.allowsCellularAccess)
        return RequestOptions(
            limits: limits, qualityOfService: merged.qualityOfService, resourceTimeout: whole > 0 ? whole : nil)
    }
}
