import Glibc

/// One container in one environment: who shares the server with whom.
struct Tenant: Hashable, Sendable {
    var container: String
    var environment: String
}

/// How much of the server each tenant has had of late, and whether one may have more.
///
/// While there is time for everybody, nobody is refused. Once most of it is spent, whoever has had more than an equal
/// share is told to come back, so that the others find the server as they would without that tenant. A synchronous value:
/// it is told what time it is, in nanoseconds of a clock that only moves forward.
struct TenantLoad {
    private struct Use {
        /// Seconds of a thread, each worth less the longer it is ago.
        var busy = 0.0
        var at: UInt64
        var waitingWrites = 0
    }

    /// After how many seconds a second spent counts e times less. With one thread always busy, its sum comes to this.
    private static let memory = 1.0
    /// From which part of all processors' time on the server counts as busy.
    private static let saturation = 0.7
    /// Of one processor's time: below it a tenant is not one that others have to share with.
    private static let negligible = 0.01
    private static let tenants = 1024

    private let processors: Double
    private let waitingWrites: Int
    private var uses: [Tenant: Use] = [:]
    var knownTenants: Int { uses.count }
    private var total = 0.0
    private var totalAt: UInt64 = 0

    /// - Parameter waitingWrites: how many writes of one tenant may wait for its writer.
    init(processors: Int, waitingWrites: Int) {
        self.processors = Double(max(processors, 1))
        self.waitingWrites = waitingWrites
    }

    /// The seconds after which the tenant may try again; nil when it is served.
    func refusal(of tenant: Tenant, now: UInt64) -> Double? {
        guard let use = uses[tenant] else { return nil }
        if use.waitingWrites >= waitingWrites { return 1 }
        guard Self.faded(total, since: totalAt, now) >= Self.saturation * processors else { return nil }
        let busy = seconds(of: tenant, now: now)
        let others = uses.lazy.filter { other, use in
            other != tenant
                && (use.waitingWrites > 0 || Self.faded(use.busy, since: use.at, now) > Self.negligible)
        }.count
        guard others > 0 else { return nil }
        let share = processors * Self.saturation / Double(others + 1)
        guard busy > share else { return nil }
        // When it has faded to its share; whole seconds, since clients count in them.
        return max(1, (Self.memory * log(busy / share)).rounded(.up))
    }

    /// What the tenant has had of late: the seconds of a thread, each worth less the longer it is ago.
    func seconds(of tenant: Tenant, now: UInt64) -> Double {
        uses[tenant].map { Self.faded($0.busy, since: $0.at, now) } ?? 0
    }

    /// The tenant had a thread for so long, until now.
    mutating func spent(_ nanoseconds: UInt64, _ tenant: Tenant, now: UInt64) {
        let seconds = Double(nanoseconds) / 1e9
        total = Self.faded(total, since: totalAt, now) + seconds
        totalAt = now
        change(tenant, now) { $0.busy += seconds }
    }

    mutating func writeWaits(_ tenant: Tenant, now: UInt64) {
        change(tenant, now) { $0.waitingWrites += 1 }
    }

    mutating func writeEnded(_ tenant: Tenant, now: UInt64) {
        change(tenant, now) { $0.waitingWrites -= 1 }
    }

    private mutating func change(_ tenant: Tenant, _ now: UInt64, _ body: (inout Use) -> Void) {
        if uses.count >= Self.tenants, uses[tenant] == nil { forgetQuietTenants(now) }
        var use = uses[tenant] ?? Use(at: now)
        use.busy = Self.faded(use.busy, since: use.at, now)
        use.at = max(use.at, now)
        body(&use)
        uses[tenant] = use
    }

    private mutating func forgetQuietTenants(_ now: UInt64) {
        uses = uses.filter { $1.waitingWrites > 0 || Self.faded($1.busy, since: $1.at, now) > Self.negligible }
    }

    private static func faded(_ seconds: Double, since then: UInt64, _ now: UInt64) -> Double {
        now > then ? seconds * exp(-Double(now - then) / (1e9 * memory)) : seconds
    }
}
