/// Why SwiftData could not do what it was asked. Two errors are equal when they are of one kind; the text tells the particulars.
public struct SwiftDataError: Error, Hashable, Sendable {
    enum Code: String, Sendable {
        case includePendingChangesWithBatchSize, unsupportedPredicate, unsupportedKeyPath
        case sortingPendingChangesWithIdentifiers, unsupportedSortDescriptor, duplicateConfiguration
        case configurationFileNameTooLong, configurationFileNameContainsInvalidCharacters
        case configurationSchemaNotFoundInContainerSchema, loadIssueModelContainer, modelValidationFailure
        case missingModelContext, backwardMigration, unknownSchema, unknownDataStoreSchema, historyTokenExpired,
            invalidTransactionFetchRequest
    }

    let code: Code
    let detail: String?
    /// What went wrong below.
    package let underlying: (any Error)?

    init(_ code: Code, detail: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.underlying = underlying
    }

    public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
    public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
    public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
    public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
    public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
    public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
        .configurationFileNameContainsInvalidCharacters)
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema)
    public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
    public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
    public static let missingModelContext = SwiftDataError(.missingModelContext)
    public static let backwardMigration = SwiftDataError(.backwardMigration)
    public static let unknownSchema = SwiftDataError(.unknownSchema)
    public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
    public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
    public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

    public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs.code == rhs.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    public static func ~= (match: SwiftDataError, error: any Error) -> Bool { (error as? SwiftDataError) == match }
}

extension SwiftDataError: CustomStringConvertible, LocalizedError {
    public var description: String {
        guard let detail else { return "SwiftDataError.\(code.rawValue)" }
        return "SwiftDataError.\(code.rawValue): \(detail)"
    }

    public var errorDescription: String? { description }
}
