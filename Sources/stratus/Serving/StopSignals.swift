import Foundation

/// The signals that ask a server to end.
struct StopSignals: ~Copyable {
    private var signals = sigset_t()

    /// To be made before any thread is: threads inherit that these signals are not for them.
    init() {
        // A client that goes away in the middle of an answer is no reason to die.
        signal(SIGPIPE, SIG_IGN)
        // Nor is a file that may not grow: the write fails, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT] { sigaddset(&signals, number) }
        // Under nohup a terminal that closes is to be ignored, and a blocked signal would be waited for all the same.
        var hangup = sigaction()
        sigaction(SIGHUP, nil, &hangup)
        if unsafeBitCast(hangup.__sigaction_handler.sa_handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
            sigaddset(&signals, SIGHUP)
        }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the first of them. After it they do again what they usually do: a second one ends the process at once.
    mutating func wait() -> Int32 {
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return number
    }
}
