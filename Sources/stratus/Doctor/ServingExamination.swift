import CloudServer
import Foundation

/// Looks at what a server would be started with: certificate, port, limits, clock.
struct ServingExamination {
    var arguments: Arguments
    /// Whether a server runs on the data folder, which then has the port.
    var isServing: Bool

    func findings() -> [Finding] {
        [openFiles(), clock(), port()].compactMap { $0 } + certificate()
    }

    private func openFiles() -> Finding {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let text = "this user may open \(limit.rlim_max) files in a process."
        guard limit.rlim_max < 4096 else { return .ok("limits", text) }
        return .warning(
            "limits", text, consequence: "about \(Int(limit.rlim_max) - 100) connections can be open at once.",
            remedy: "raise the hard limit: LimitNOFILE=65536 in the systemd unit, or `ulimit -Hn 65536`.")
    }

    private func clock() -> Finding? {
        // Nobody runs this before it was written.
        guard Date() < Date(timeIntervalSince1970: 1_760_000_000) else { return nil }
        return .problem(
            "clock", "this machine believes that it is \(Date().formatted(.iso8601)).",
            consequence: "tokens are void and certificates seem not to be valid yet.",
            remedy: "set the clock: sudo timedatectl set-ntp true")
    }

    private func port() -> Finding? {
        guard !isServing, let number = try? arguments.integer("port", in: 0...65535), number > 0 else { return nil }
        let host = arguments.value("host") ?? "127.0.0.1"
        let probe = MicroHTTPServer(HTTPServerConfiguration(host: host, port: UInt16(number))) { _, respond in
            respond(HTTPResponse(status: 503))
        }
        do {
            try probe.start()
            probe.stop(grace: .zero)
            return .ok("port", "\(number) of \(host) is free.")
        } catch {
            return .problem(
                "port", error.description, consequence: "no server starts there.",
                remedy: "stop who has it (ss -ltnp 'sport = :\(number)'), or choose another with --port.")
        }
    }

    private func certificate() -> [Finding] {
        let certificate = arguments.value("certificate")
        let key = arguments.value("key")
        guard let certificate, let key else {
            guard certificate != nil || key != nil else { return [] }
            return [
                .problem(
                    "certificate", "only one of --certificate and --key is set.", consequence: "no server starts.",
                    remedy: "set both.")
            ]
        }
        let inspection = CertificateInspection(certificate: certificate, key: key)
        if let problem = inspection.problem {
            return [
                .problem("certificate", problem.message, consequence: "no server starts.", remedy: problem.remedy)
            ]
        }
        var findings = [validity(inspection)]
        if inspection.names.isEmpty {
            findings.append(
                .problem(
                    "certificate", "it names no host.", consequence: "clients refuse it.",
                    remedy: "make one with a subject alternative name."))
        }
        if inspection.isSelfSigned {
            findings.append(
                .warning(
                    "certificate", "it is its own issuer.",
                    consequence: "clients refuse it unless they are told to trust it.",
                    remedy: "get one that the system trusts, or distribute this one and use --authority."))
        }
        if let mode = CredentialsFile.mode(URL(filePath: key)), mode & 0o077 != 0 {
            findings.append(
                .warning(
                    "certificate", "the key \(key) can be read by other users (mode \(String(mode, radix: 8))).",
                    consequence: "who has it can pass as this cloud.", remedy: "chmod 600 \(key)"))
        }
        return findings
    }

    private func validity(_ inspection: CertificateInspection) -> Finding {
        let expires = inspection.expires.formatted(.iso8601)
        let days = Int(inspection.expires.timeIntervalSinceNow / 86_400)
        if inspection.begins > Date() {
            return .problem(
                "certificate", "it is not valid before \(inspection.begins.formatted(.iso8601)).",
                consequence: "clients refuse it.", remedy: "check this machine's clock, or wait.")
        }
        if inspection.expires < Date() {
            return .problem(
                "certificate", "it expired on \(expires).", consequence: "clients refuse it.",
                remedy: "renew it and restart the server.")
        }
        if days < 14 {
            return .warning(
                "certificate", "it expires on \(expires), in \(days) days.", consequence: "clients refuse it then.",
                remedy: "renew it and restart the server.")
        }
        return .ok("certificate", "for \(inspection.names.joined(separator: ", ")), until \(expires).")
    }
}
