import FieldNotesCloud
import FieldNotesModel
import Foundation

/// The terminal's FieldNotes. Each `--store` folder is a device of its own.
@main
struct FieldNotes {
    static func main() async {
        do {
            let line = try CommandLineWords(Array(CommandLine.arguments.dropFirst()))
            guard let name = line.words.first, !line.has("help") else {
                print(usage)
                exit(line.has("help") ? 0 : 2)
            }
            guard let command = commands[name] else {
                throw Complaint("There is no command “\(name)”. See fieldnotes --help.", code: 2)
            }
            try line.checkOptions(name, allowed: command.options)
            let store = try NoteStore(directory: directory(line))
            try await command.run(store, line)
        } catch let complaint as Complaint {
            complain(complaint.message, code: complaint.code)
        } catch {
            complain(describe(error), code: 1)
        }
    }

    private static func complain(_ message: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data("fieldnotes: \(message)\n".utf8))
        exit(code)
    }

    /// The folder of this device.
    private static func directory(_ line: CommandLineWords) -> URL {
        if let path = line.value("store") ?? ProcessInfo.processInfo.environment["FIELDNOTES_STORE"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        return (support ?? FileManager.default.temporaryDirectory).appendingPathComponent(
            "FieldNotes", isDirectory: true)
    }

    private static let usage = """
        FieldNotes: notes that follow you to every device.

        Usage: fieldnotes [--store DIR] COMMAND

          add TITLE [--body TEXT] [--tag TAG]... [--notebook NAME] [--place NAME] [--photo FILE]... [--pin]
          edit NOTE [--title TEXT] [--body TEXT] [--append TEXT] [--tag TAG]... [--untag TAG]... [--notebook NAME]
                    [--place NAME] [--photo FILE]...
          list [--tag TAG] [--notebook NAME] [--sort newest|oldest|title] [--json]
          show NOTE
          search TEXT [--cloud]        on this device, or in the cloud by tag or beginning of the title
          pin NOTE, unpin NOTE, delete NOTE
          sync [--watch]               exchanges notes with the cloud; with --watch as they change, until Control-C
          status                       what the cloud does not have yet
          publish NOTEBOOK [--cover FILE]
                                       shows the titles and places of its notes to everybody, as a field guide
          guides PLACE [--covers DIR]  field guides of anybody that mention a place

        NOTE is a title, its beginning, or the beginning of the identifier that `list` shows.
        --store DIR (or FIELDNOTES_STORE) is the folder of this device; two folders are two devices.

        """
}

/// A mistake of the person at the terminal.
struct Complaint: Error {
    var message: String
    var code: Int32

    init(_ message: String, code: Int32 = 1) {
        self.message = message
        self.code = code
    }
}
