#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a store's databases come from.
protocol StoreBackend: Sendable {
    var options: StoreOptions { get }
    var control: any Database<ControlSession> { get }
    var requests: any Database<ControlSession> { get }
    func container(_ identifier: String, _ environment: String, create: Bool) throws(StoreError) -> (
        any Database<ContainerWriter>
    )?
    /// Where the files of a container's assets lie; nil nowhere.
    func assetFolder(_ identifier: String, _ environment: String) -> URL?
    func containers() throws(StoreError) -> [(identifier: String, environment: String)]
    /// - Throws: when the database is copied by other tools.
    func checkCopies() throws(StoreError)
    func close()
}

extension StoreBackend {
    func checkCopies() throws(StoreError) {}
}
