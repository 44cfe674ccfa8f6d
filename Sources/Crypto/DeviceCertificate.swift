import Glibc

#if Encryption
    import COpenSSL

    /// A device's secret key and the self-signed certificate that shows its public key.
    ///
    /// Names and dates in the certificate mean nothing: a device is its key.
    package struct DeviceCertificate: Sendable {
        /// The fingerprint by which other devices know this one.
        package let fingerprint: Fingerprint

        /// The key and the certificate as the file holds them.
        package let pem: [UInt8]

        /// Where the file is in a store's folder.
        package static func path(in folder: String) -> String { folder + "/device.key" }

        /// Makes a new key (Ed25519, or P-256 where OpenSSL has none) and its certificate.
        ///
        /// - Throws: `library`.
        package init() throws(CertificateFault) {
            ERR_clear_error()
            let elliptic = tandem_ssl_make_ed25519()
            guard let key = elliptic ?? tandem_ssl_make_p256() else { throw Self.libraryFault() }
            defer { EVP_PKEY_free(key) }
            guard let certificate = X509_new() else { throw Self.libraryFault() }
            defer { X509_free(certificate) }
            // Ed25519 hashes by itself.
            guard Self.fill(certificate, key),
                X509_sign(certificate, key, elliptic == nil ? EVP_sha256() : nil) > 0,
                let fingerprint = Fingerprint(of: certificate),
                let pem = Self.text(of: key, certificate)
            else { throw Self.libraryFault() }
            self.fingerprint = fingerprint
            self.pem = pem
        }

        private static func fill(_ certificate: OpaquePointer, _ key: OpaquePointer) -> Bool {
            let name = X509_get_subject_name(certificate)
            // RFC 5280 §4.1.2.5: the last date stands for "no well-defined expiration".
            return X509_set_version(certificate, 2) == 1
                && ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), 1) == 1
                && ASN1_TIME_set_string(X509_getm_notBefore(certificate), "700101000000Z") == 1
                && ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z") == 1
                && X509_NAME_add_entry_by_txt(
                    name, "CN", CInt(V_ASN1_UTF8STRING), "tandem device", -1, -1, 0) == 1
                && X509_set_issuer_name(certificate, name) == 1
                && X509_set_pubkey(certificate, key) == 1
        }

        private static func text(of key: OpaquePointer, _ certificate: OpaquePointer) -> [UInt8]? {
            guard let memory = BIO_new(BIO_s_mem()) else { return nil }
            defer { BIO_free(memory) }
            guard PEM_write_bio_PrivateKey(memory, key, nil, nil, 0, nil, nil) == 1,
                PEM_write_bio_X509(memory, certificate) == 1
            else { return nil }
            var start: UnsafeMutablePointer<CChar>?
            let count = tandem_ssl_memory(memory, &start)
            return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
        }

        private static func libraryFault() -> CertificateFault {
            .library(OpenSSLWords.lastError())
        }
    }

    // MARK: - Reading

    extension DeviceCertificate {
        /// Reads the contents of a file.
        ///
        /// - Parameter path: the file's, for the words of an error.
        /// - Throws: `damaged`.
        package init(pem: [UInt8], path: String) throws(CertificateFault) {
            self.pem = pem
            fingerprint = try Self.withParts(of: pem, path: path) { _, certificate in
                Fingerprint(of: certificate)
            }
        }

        /// Takes the key and the certificate for as long as `body` runs.
        ///
        /// - Throws: `damaged` also if `body` gives nil.
        static func withParts<Result>(
            of pem: [UInt8], path: String,
            _ body: (_ key: OpaquePointer, _ certificate: OpaquePointer) -> Result?
        ) throws(CertificateFault) -> Result {
            ERR_clear_error()
            let memory = pem.withUnsafeBytes { bytes -> OpaquePointer? in
                let memory = BIO_new(BIO_s_mem())
                BIO_write(memory, bytes.baseAddress, CInt(bytes.count))
                return memory
            }
            defer { BIO_free(memory) }
            // Without a callback the library would ask for a passphrase on the terminal.
            guard
                let key = plainKey(pem)
                    ?? PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
            else {
                throw .damaged(path: path, problem: "it has no private key")
            }
            defer { EVP_PKEY_free(key) }
            guard let certificate = PEM_read_bio_X509(memory, nil, { _, _, _, _ in -1 }, nil) else {
                throw .damaged(path: path, problem: "it has no certificate behind the key")
            }
            defer { X509_free(certificate) }
            guard X509_check_private_key(certificate, key) == 1 else {
                throw .damaged(path: path, problem: "key and certificate do not belong together")
            }
            guard let result = body(key, certificate) else {
                throw .damaged(path: path, problem: OpenSSLWords.lastError())
            }
            return result
        }
    }

    extension DeviceCertificate {
        /// How a file begins whose key is as `init()` writes it: the name of a block, and one line of 64 digits.
        private static let keyBegin = Array("-----BEGIN PRIVATE KEY-----\n".utf8)
        private static let keyEnd = Array("\n-----END PRIVATE KEY-----\n".utf8)
        private static let keyDigitCount = 64
        /// The bytes before the 32 of a key of Ed25519 in PKCS #8 (RFC 8410 §7).
        private static let keyHead: [UInt8] = [
            0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22,
            0x04, 0x20,
        ]
        private static let seedByteCount = 32

        /// The key of Ed25519 at the beginning of a file, as nearly every device has one; nil for any other.
        ///
        /// The library's reader of keys looks through everything that it can decode, at each start of a program: a
        /// fifth of the instructions of a sync that has nothing to do.
        private static func plainKey(_ pem: [UInt8]) -> OpaquePointer? {
            let digits = pem.dropFirst(keyBegin.count).prefix(keyDigitCount)
            guard pem.starts(with: keyBegin), pem[digits.endIndex...].starts(with: keyEnd) else {
                return nil
            }
            var bytes = [UInt8](repeating: 0, count: keyDigitCount / 4 * 3)
            defer { OPENSSL_cleanse(&bytes, bytes.count) }
            let count = digits.withUnsafeBufferPointer {
                EVP_DecodeBlock(&bytes, $0.baseAddress, CInt($0.count))
            }
            guard count == keyHead.count + seedByteCount, bytes.starts(with: keyHead) else {
                return nil
            }
            return bytes[keyHead.count...].withUnsafeBufferPointer {
                EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0.baseAddress, $0.count)
            }
        }
    }

    extension Fingerprint {
        /// The fingerprint of a certificate's key; nil if it has none that can be written.
        init?(of certificate: OpaquePointer) {
            var der: UnsafeMutablePointer<UInt8>?
            let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der)
            guard count > 0, let der else { return nil }
            defer { CRYPTO_free(der, "", 0) }
            var hash = [UInt8](repeating: 0, count: Self.byteCount)
            guard EVP_Digest(der, Int(count), &hash, nil, EVP_sha256(), nil) == 1 else {
                return nil
            }
            self.init(bytes: hash)
        }
    }
#else
    /// Stands in where encryption is not built in: there is none.
    package struct DeviceCertificate: Sendable {
        private let nothing: Never

        /// Never called, since there is no certificate.
        package var fingerprint: Fingerprint { switch nothing {} }

        /// Where the file would be.
        package static func path(in folder: String) -> String { folder + "/device.key" }

        /// Throws `notBuiltIn`.
        package init() throws(CertificateFault) { throw .notBuiltIn }
    }
#endif

/// Why a device's key and certificate are not to be had.
package enum CertificateFault: Error, Equatable, Sendable {
    /// There is no such file.
    case missing(path: String)
    /// Other users of the machine can read or write it; `mode` is as `chmod` writes it.
    case exposed(path: String, mode: UInt32)
    /// Another account may have put it there; the reason follows the path.
    case untrusted(path: String, reason: String)
    /// It holds no key and certificate that belong together.
    case damaged(path: String, problem: String)
    /// A system call on it failed.
    case failedCall(path: String, errno: CInt)
    /// OpenSSL cannot make a key; its word.
    case library(String)
    /// This program was built without the trait `Encryption`.
    case notBuiltIn
}

extension CertificateFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .missing(let path):
            "the device's key \(path) is missing. Next: the next sync makes a new one; "
                + "other devices must be paired again."
        case .exposed(let path, let mode):
            "the device's key \(path) can be used by other users of this machine (mode "
                + "\(String(mode, radix: 8))). Next: chmod 600 \(path); if somebody may have read "
                + "it, delete it instead and pair this device again."
        case .untrusted(let path, let reason): "the device's key \(path) \(reason)."
        case .damaged(let path, let problem):
            "the device's key \(path) is damaged: \(problem). Next: put it back from a backup, or "
                + "delete it and pair this device again."
        case .failedCall(let path, let code):
            "\(path): \(String(cString: strerror(code))) (errno \(code)). Next: check the disk "
                + "and the rights of the folder."
        case .library(let word):
            "OpenSSL cannot make a key: \(word). Next: check the installation of OpenSSL 3."
        case .notBuiltIn: "\(SecurityError.notBuiltIn)"
        }
    }
}
