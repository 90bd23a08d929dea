import Synchronization
import WebServices

/// Keeps a tenant that asks for more than its share from slowing the others.
extension CloudServer {
    /// Throws `TRY_AGAIN_LATER` (503) with `retryAfter` for a tenant that is too busy.
    ///
    /// Only who has proved to be let in gets here, so that nobody is locked out by strangers who name its container.
    func checkLoad(_ request: RequestInProgress) throws(ServerError) {
        try checkLoad(
            Tenant(container: request.call.container, environment: request.call.environment.rawValue),
            now: request.started)
    }

    func checkLoad(_ tenant: Tenant, now: UInt64) throws(ServerError) {
        guard let wait = load.withLock({ $0.refusal(of: tenant, now: now) }) else { return }
        throw ServerError(
            .tryAgainLater, "This container asks for more than the server has to give just now.", retryAfter: wait)
    }

    /// The tenant had a thread for so long, until now.
    func spent(_ nanoseconds: UInt64, _ tenant: Tenant) {
        load.withLock { $0.spent(nanoseconds, tenant, now: clock.ticks()) }
    }

    func writeWaits(_ tenant: Tenant) {
        load.withLock { $0.writeWaits(tenant, now: clock.ticks()) }
    }

    func writeEnded(_ tenant: Tenant, after nanoseconds: UInt64) {
        let now = clock.ticks()
        load.withLock { load in
            load.writeEnded(tenant, now: now)
            load.spent(nanoseconds, tenant, now: now)
        }
    }
}
