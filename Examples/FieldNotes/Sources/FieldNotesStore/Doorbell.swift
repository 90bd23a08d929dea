import Dispatch
import Foundation

/// A named pipe beside the notes: whoever changes them rings, and a process that waits for changes hears it.
// Unchecked: the source is only ever cancelled, which any thread may do.
public final class Doorbell: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// Calls `rung` once for one or more rings.
    init(_ directory: URL, _ rung: @escaping @Sendable () -> Void) throws {
        let pipe = Self.pipe(directory)
        // A copied folder has a file in its place.
        if !Self.isPipe(pipe) { unlink(pipe.path) }
        guard mkfifo(pipe.path, 0o600) == 0 || errno == EEXIST else { throw Self.failure(pipe) }
        let reader = open(pipe.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard reader >= 0 else { throw Self.failure(pipe) }
        // A pipe that nobody can write to counts as ended, again and again.
        let writer = open(pipe.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard writer >= 0 else {
            close(reader)
            throw Self.failure(pipe)
        }
        source = DispatchSource.makeReadSource(fileDescriptor: reader)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 512)
            while read(reader, &bytes, bytes.count) > 0 {}
            rung()
        }
        source.setCancelHandler {
            close(reader)
            close(writer)
        }
        source.resume()
    }

    deinit { source.cancel() }

    /// Does nothing where nobody waits.
    static func ring(_ directory: URL) {
        let pipe = pipe(directory)
        guard isPipe(pipe) else { return }
        let writer = open(pipe.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard writer >= 0 else { return }
        // A full pipe is rung already.
        _ = write(writer, [1], 1)
        close(writer)
    }

    private static func pipe(_ directory: URL) -> URL {
        directory.appendingPathComponent("FieldNotes.bell")
    }

    private static func isPipe(_ file: URL) -> Bool {
        var status = stat()
        return lstat(file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    private static func failure(_ pipe: URL) -> CocoaError {
        CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: pipe])
    }
}
