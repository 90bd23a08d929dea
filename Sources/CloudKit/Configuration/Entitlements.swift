import Foundation

/// Which containers this program may use. Apple's systems read that from the signed program; here it is a property list
/// of the same form beside it, or an environment variable.
package enum Entitlements {
    package static let containersKey = "com.apple.developer.icloud-container-identifiers"

    /// The first container: `STRATUS_CONTAINER`, else the first identifier in a `*.entitlements` file of the folders.
    package static func firstContainer(
        variables: [String: String] = ProcessInfo.processInfo.environment, folders: [URL] = standardFolders
    ) -> String? {
        if let identifier = variables["STRATUS_CONTAINER"], !identifier.isEmpty { return identifier }
        for folder in folders {
            let files =
                (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            let lists = files.filter { $0.pathExtension == "entitlements" }
            for file in lists.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
                if let identifier = containers(in: file).first { return identifier }
            }
        }
        return nil
    }

    package static var standardFolders: [URL] {
        var folders: [URL] = []
        if let executable = Bundle.main.executableURL { folders.append(executable.deletingLastPathComponent()) }
        if let resources = Bundle.main.resourceURL { folders.append(resources) }
        folders.append(URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
        return folders
    }

    package static func containers(in file: URL) -> [String] {
        guard let data = try? Data(contentsOf: file),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else { return [] }
        return list[containersKey] as? [String] ?? []
    }
}
