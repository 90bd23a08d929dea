extension SubscriptionsLookup.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("subscriptions")
        writer.beginArray()
        for subscriptionID in subscriptionIDs {
            writer.beginObject()
            writer.member("subscriptionID", subscriptionID)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            subscriptionIDs: try value.requiredArray("subscriptions").mapMembers { entry throws(ServerError) in
                guard let subscriptionID = try Subscription.identifier(entry) else { throw .missing("subscriptionID") }
                return subscriptionID
            })
    }
}

extension SubscriptionsModify.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("operations")
        writer.beginArray()
        for operation in operations {
            writer.beginObject()
            switch operation {
            case .create(let subscription):
                writer.member("operationType", "create")
                writer.key("subscription")
                subscription.encode(to: &writer)
            case .update(let subscription):
                writer.member("operationType", "update")
                writer.key("subscription")
                subscription.encode(to: &writer)
            case .delete(let subscriptionID):
                writer.member("operationType", "delete")
                writer.key("subscription")
                writer.beginObject()
                writer.member("subscriptionID", subscriptionID)
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            operations: try value.requiredArray("operations").mapMembers { operation throws(ServerError) in
                let subscription = try operation.required("subscription")
                switch try operation.requiredString("operationType") {
                case "create": return .create(try Subscription(subscription))
                case "update": return .update(try Subscription(subscription))
                case "delete":
                    guard let subscriptionID = try Subscription.identifier(subscription) else {
                        throw .missing("subscriptionID")
                    }
                    return .delete(subscriptionID: subscriptionID)
                default: throw .unexpectedInput
                }
            })
    }
}

extension SubscriptionsResponse {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.subscriptionResults(subscriptions)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            subscriptions: try value.requiredArray("subscriptions").mapMembers { entry throws(ServerError) in
                try SubscriptionResult(entry)
            })
    }
}
