/// `POST zones/lookup`. [Apple:GettingZonesbyIdentifier]
package enum ZonesLookup {
    package struct Request: Sendable {
        package var zones: [ZoneID]

        package init(zones: [ZoneID]) {
            self.zones = zones
        }
    }
}

/// `POST zones/modify`. [Apple:ModifyZones]
package enum ZonesModify {
    package enum OperationType: String, Sendable, Hashable {
        case create, delete
    }

    package struct Operation: Sendable {
        package var type: OperationType
        package var zoneID: ZoneID

        package init(_ type: OperationType, _ zoneID: ZoneID) {
            self.type = type
            self.zoneID = zoneID
        }
    }

    package struct Request: Sendable {
        package var operations: [Operation]

        package init(operations: [Operation]) {
            self.operations = operations
        }
    }
}

/// The answer of `zones/list`, `zones/lookup` and `zones/modify`.
package struct ZonesResponse: Sendable {
    package var zones: [ZoneResult]

    package init(zones: [ZoneResult]) {
        self.zones = zones
    }
}
