import CTLS
import Foundation
import Glibc

/// A look into a certificate and its key before anybody relies on them.
struct CertificateInspection: Sendable {
    struct Problem: Sendable {
        var message: String
        var remedy: String
    }

    private(set) var begins = Date(timeIntervalSince1970: 0)
    private(set) var expires = Date(timeIntervalSince1970: 0)
    private(set) var isSelfSigned = false
    /// DNS names and addresses.
    private(set) var names: [String] = []
    /// Why no server can use it.
    private(set) var problem: Problem?

    /// Reads the first certificate of a PEM file and compares it with the private key of another.
    init(certificate: String, key: String) {
        guard let found = Self.reading(certificate, { PEM_read_X509($0, nil, nil, nil) }) else {
            problem = Problem(
                message: "\(certificate) holds no certificate that can be read.",
                remedy: "It must be a PEM file (-----BEGIN CERTIFICATE-----) that this user may read.")
            return
        }
        defer { X509_free(found) }
        begins = Self.date(X509_get0_notBefore(found))
        expires = Self.date(X509_get0_notAfter(found))
        isSelfSigned = X509_NAME_cmp(X509_get_subject_name(found), X509_get_issuer_name(found)) == 0
        names = Self.names(found)
        problem = Self.problem(found, certificate: certificate, key: key)
    }

    private static func problem(_ found: OpaquePointer, certificate: String, key: String) -> Problem? {
        // An encrypted key would ask the terminal for its password; an empty one makes that a failure instead.
        var password: CChar = 0
        guard let privateKey = reading(key, { PEM_read_PrivateKey($0, nil, nil, &password) }) else {
            return Problem(
                message: "\(key) holds no private key that can be read.",
                remedy: "It must be a PEM file without a password that this user may read.")
        }
        defer { EVP_PKEY_free(privateKey) }
        guard X509_check_private_key(found, privateKey) == 1 else {
            return Problem(
                message: "The key in \(key) does not belong to the certificate in \(certificate).",
                remedy: "Use the two files that were made together.")
        }
        return nil
    }

    private static func reading(
        _ path: String, _ read: (UnsafeMutablePointer<FILE>) -> OpaquePointer?
    ) -> OpaquePointer? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        return read(file)
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date {
        var brokenDown = tm()
        guard let time, ASN1_TIME_to_tm(time, &brokenDown) == 1 else { return Date(timeIntervalSince1970: 0) }
        return Date(timeIntervalSince1970: TimeInterval(timegm(&brokenDown)))
    }

    private static func names(_ found: OpaquePointer) -> [String] {
        guard let list = X509_get_ext_d2i(found, NID_subject_alt_name, nil, nil) else { return [] }
        let alternatives = OpaquePointer(list)
        defer { GENERAL_NAMES_free(alternatives) }
        return (0..<max(0, ctls_general_name_count(alternatives))).compactMap { index in
            guard let name = ctls_general_name(alternatives, index)?.pointee else { return nil }
            let text =
                switch name.type {
                case GEN_DNS: String(decoding: bytes(name.d.dNSName), as: UTF8.self)
                case GEN_IPADD: address(bytes(name.d.iPAddress))
                default: ""
                }
            return text.isEmpty ? nil : text
        }
    }

    private static func bytes(_ string: UnsafePointer<ASN1_STRING>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
    }

    /// Empty where the bytes are no address.
    private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let families = [4: AF_INET, 16: AF_INET6]
        guard let family = families[bytes.count] else { return "" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            inet_ntop(family, bytes.baseAddress, text.baseAddress, socklen_t(text.count)).map { String(cString: $0) }
                ?? ""
        }
    }
}
