// Foundation has this where systems have app groups.

extension FileManager {
    /// The folder that all programs of a user share which name this group. It is made when it is asked for.
    ///
    /// It lies in `$STRATUS_GROUP_CONTAINERS` if that is set, else in `Group Containers` in the user's data folder.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        // A name that would lead out of the folder names no group.
        guard !groupIdentifier.isEmpty, !groupIdentifier.contains("/"), !groupIdentifier.hasPrefix("."),
            !groupIdentifier.contains("\0")
        else { return nil }
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["STRATUS_GROUP_CONTAINERS"].map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? URL.userDataDirectory.appending(path: "Group Containers")
        let folder = base.appending(path: groupIdentifier, directoryHint: .isDirectory)
        do {
            try createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            return nil
        }
        return folder
    }
}

extension URL {
    /// Where programs of the user keep their data.
    static var userDataDirectory: URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share")
    }
}
