import Foundation

/// The life of a server in the foreground: ready, stopped by a signal, ended.
enum Serving {
    /// Runs until a signal asks to stop.
    ///
    /// - Parameter announce: Prints what people and scripts should know once the cloud answers.
    static func run(_ settings: ServeSettings, announce: (RunningCloud) -> Void) throws -> ExitCode {
        var signals = StopSignals()
        // Held until the process ends.
        let lock = try settings.data?.lock()
        defer { withExtendedLifetime(lock) {} }
        let cloud = try RunningCloud(settings)
        announce(cloud)
        if let file = settings.portFile {
            do {
                // After the lines above: who waits for the file finds them printed.
                try PrivateFile.write(Array("\(cloud.port)\n".utf8), to: URL(filePath: file))
            } catch {
                cloud.stop()
                throw error
            }
        }
        _ = signals.wait()
        cloud.stop()
        if let file = settings.portFile { unlink(file) }
        return .success
    }
}
