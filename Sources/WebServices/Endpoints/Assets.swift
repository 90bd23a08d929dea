/// `POST assets/upload`: addresses that files are sent to. [Apple:UploadAssets]
package enum AssetsUpload {
    package struct Request: Sendable, Hashable {
        package var tokens: [Token]
        package var zoneID: ZoneID?

        package init(tokens: [Token], zoneID: ZoneID? = nil) {
            self.tokens = tokens
            self.zoneID = zoneID
        }
    }

    /// The field that a file is for.
    package struct Token: Sendable, Hashable {
        /// nil for a new record, whose name the server makes.
        package var recordName: String?
        package var recordType: String
        package var fieldName: String

        package init(recordName: String? = nil, recordType: String, fieldName: String) {
            self.recordName = recordName
            self.recordType = recordType
            self.fieldName = fieldName
        }
    }

    package struct Response: Sendable, Hashable {
        /// In the order of the request.
        package var tokens: [Address]

        package init(tokens: [Address]) {
            self.tokens = tokens
        }
    }

    package struct Address: Sendable, Hashable {
        package var recordName: String
        package var fieldName: String
        /// Where the file goes with POST; a secret of its own, good for 15 minutes. In the server's own process, just its
        /// path.
        package var url: String

        package init(recordName: String, fieldName: String, url: String) {
            self.recordName = recordName
            self.fieldName = fieldName
            self.url = url
        }
    }

    /// The answer to the upload itself: the value of the field.
    package struct Receipt: Sendable, Hashable {
        package var singleFile: Asset

        package init(singleFile: Asset) {
            self.singleFile = singleFile
        }
    }
}

/// `POST assets/rereference`: descriptors with which other records share assets. [Apple:RereferenceAssets]
package enum AssetsRereference {
    package struct Request: Sendable, Hashable {
        package var assets: [Source]
        /// Where the records are that have the assets.
        package var zoneID: ZoneID?
        /// Where those are that shall have them; nil for the same zone. [CloudKit JS]
        package var targetZoneID: ZoneID?

        package init(assets: [Source], zoneID: ZoneID? = nil, targetZoneID: ZoneID? = nil) {
            self.assets = assets
            self.zoneID = zoneID
            self.targetZoneID = targetZoneID
        }
    }

    package struct Source: Sendable, Hashable {
        package var recordName: String
        package var fieldName: String

        package init(recordName: String, fieldName: String) {
            self.recordName = recordName
            self.fieldName = fieldName
        }
    }

    package struct Response: Sendable, Hashable {
        /// In the order of the request; a list gives all of its assets.
        package var assets: [Asset]

        package init(assets: [Asset]) {
            self.assets = assets
        }
    }
}

/// Addresses of files on a server of ours.
package enum AssetAddress {
    /// What all of their paths begin with.
    package static let prefix = "/stratus/assets/"
    package static let uploadAction = "upload"
    package static let downloadAction = "file"
    /// What a client replaces with a file name of its choice.
    package static let namePlaceholder = "${f}"

    package static func upload(container: String, environment: CloudEnvironment, token: String) -> String {
        "\(prefix)\(uploadAction)/\(container)/\(environment.rawValue)/\(token)"
    }

    package static func download(container: String, environment: CloudEnvironment, token: String) -> String {
        "\(prefix)\(downloadAction)/\(container)/\(environment.rawValue)/\(token)/\(namePlaceholder)"
    }
}
