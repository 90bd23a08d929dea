import CTLS
import Foundation

/// A look into a certificate and its key before anybody relies on them.
struct CertificateInspection: Sendable {
    struct Problem: Sendable {
        var message: String
        var remedy: String
    }

    private let found: tls_certificate
    private let certificate: String
    private let key: String

    init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
        found = tls_inspect_certificate(certificate, key)
    }

    var expires: Date { Date(timeIntervalSince1970: TimeInterval(found.not_after)) }
    var begins: Date { Date(timeIntervalSince1970: TimeInterval(found.not_before)) }
    var isSelfSigned: Bool { found.self_signed != 0 }

    /// DNS names and addresses.
    var names: [String] {
        withUnsafeBytes(of: found.names) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).split(separator: " ").map(String.init)
        }
    }

    /// Why no server can use it.
    var problem: Problem? {
        if found.readable == 0 {
            return Problem(
                message: "\(certificate) holds no certificate that can be read.",
                remedy: "It must be a PEM file (-----BEGIN CERTIFICATE-----) that this user may read.")
        }
        if found.key_readable == 0 {
            return Problem(
                message: "\(key) holds no private key that can be read.",
                remedy: "It must be a PEM file without a password that this user may read.")
        }
        if found.key_matches == 0 {
            return Problem(
                message: "The key in \(key) does not belong to the certificate in \(certificate).",
                remedy: "Use the two files that were made together.")
        }
        return nil
    }
}
