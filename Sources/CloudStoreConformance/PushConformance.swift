import CloudStore

extension ConformanceCase {
    static let push: [ConformanceCase] = [
        ConformanceCase("A subscription is found by owner, database and name, and replaced by one of its name") {
            subject in
            let container = try subject.container()
            func row(_ scope: SubscriptionScope, _ owner: String, _ name: String, _ content: String) -> SubscriptionRow
            {
                SubscriptionRow(scope: scope, owner: owner, name: name, content: Array(content.utf8))
            }
            let rows = [
                row(.private, "_a", "z", "1"), row(.private, "_a", "b", ""), row(.shared, "_a", "z", "3"),
                row(.private, "_b", "z", "4"),
            ]
            try container.writeAndWait { writer in
                for row in rows { try writer.saveSubscription(row) }
            }
            try expectEqual(
                try container.read { try $0.subscriptions(scope: .private, owner: "_a") }, [rows[1], rows[0]])
            try expectEqual(try container.read { try $0.subscriptions(scope: .shared, owner: "_a") }, [rows[2]])
            try expectEqual(try container.read { try $0.subscriptions(scope: .public, owner: "_a") }, [])
            let newer = row(.private, "_a", "z", "5")
            try container.writeAndWait { try $0.saveSubscription(newer) }
            try expectEqual(
                try container.read { try $0.subscription(scope: .private, owner: "_a", name: "z") },
                newer as SubscriptionRow?)
            for _ in 0..<2 {
                try container.writeAndWait { try $0.deleteSubscription(scope: .private, owner: "_a", name: "z") }
            }
            try expectEqual(try container.read { try $0.subscriptions(scope: .private, owner: "_a") }, [rows[1]])
            try expectEqual(
                try container.read { try $0.subscription(scope: .private, owner: "_b", name: "z") },
                rows[3] as SubscriptionRow?)
            let other = try subject.container("-other")
            try expectEqual(try other.read { try $0.subscriptions(scope: .private, owner: "_a") }, [])
        },
        ConformanceCase("An address for pushes belongs to whoever saved it last") { subject in
            let container = try subject.container()
            let first = PushTokenRow(token: "t1", owner: "_a", client: "c", device: "d", created: 5)
            let second = PushTokenRow(token: "t2", owner: "_a", created: 3)
            try container.writeAndWait { writer in
                try writer.savePushToken(first)
                try writer.savePushToken(second)
            }
            try expectEqual(try container.read { try $0.pushToken("t1") }, first as PushTokenRow?)
            try expectEqual(try container.read { try $0.pushToken("t3") }, nil)
            try expectEqual(try container.read { try $0.pushTokens(owner: "_a") }, [second, first])
            let moved = PushTokenRow(token: "t1", owner: "_b", created: 9)
            try container.writeAndWait { try $0.savePushToken(moved) }
            try expectEqual(try container.read { try $0.pushToken("t1") }, moved as PushTokenRow?)
            try container.writeAndWait { try $0.deletePushToken("t2") }
            try expectEqual(try container.read { try $0.pushTokens(owner: "_a") }, [])
        },
        ConformanceCase("Somebody's subscriptions and addresses go together, and nobody else's") { subject in
            let container = try subject.container()
            try container.writeAndWait { writer in
                for owner in ["_a", "_b"] {
                    for scope in SubscriptionScope.allCases {
                        try writer.saveSubscription(
                            SubscriptionRow(scope: scope, owner: owner, name: "s", content: []))
                    }
                    try writer.savePushToken(PushTokenRow(token: "t" + owner, owner: owner, created: 1))
                }
                try writer.deletePushState(owner: "_a")
            }
            for scope in SubscriptionScope.allCases {
                try expectEqual(try container.read { try $0.subscriptions(scope: scope, owner: "_a") }, [])
                try expectEqual(try container.read { try $0.subscriptions(scope: scope, owner: "_b").count }, 1)
            }
            try expectEqual(try container.read { try $0.pushTokens(owner: "_a") }, [])
            try expectEqual(try container.read { try $0.pushTokens(owner: "_b").count }, 1)
        },
    ]
}
