import Devices

#if Encryption
    import Glibc
    import Crypto
    import Testing

    @Suite("Device certificates")
    struct DeviceCertificateTests {
        /// A folder that is there while `body` runs.
        private func withFolder(_ body: (String) throws -> Void) throws {
            var template = Array("/tmp/tandem-certificate-XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let folder = String(decoding: bytes, as: UTF8.self)
            defer {
                unlink(DeviceCertificate.path(in: folder))
                rmdir(folder)
            }
            try body(folder)
        }

        private func write(_ bytes: [UInt8], to path: String) throws {
            let file = try #require(fopen(path, "w"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
            chmod(path, 0o600)
        }

        private func read(_ path: String) throws -> [UInt8] {
            let file = try #require(fopen(path, "r"))
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 10_000)
            return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
        }

        @Test("the key is made once, for its owner alone, and is the same from then on")
        func once() throws {
            try withFolder { folder in
                let path = DeviceCertificate.path(in: folder)
                #expect(throws: CertificateFault.missing(path: path)) {
                    try DeviceCertificate(contentsOf: path)
                }
                let made = try DeviceCertificate.kept(at: path)
                #expect(try DeviceCertificate.kept(at: path).fingerprint == made.fingerprint)
                #expect(
                    try DeviceCertificate(contentsOf: path).fingerprint == made.fingerprint)
                var status = stat()
                #expect(stat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
                #expect(try DeviceCertificate().fingerprint != made.fingerprint)
            }
        }

        @Test("a key that others can read is refused, with what to do")
        func exposed() throws {
            try withFolder { folder in
                let path = DeviceCertificate.path(in: folder)
                _ = try DeviceCertificate.kept(at: path)
                chmod(path, 0o640)
                let fault = CertificateFault.exposed(path: path, mode: 0o640)
                #expect(throws: fault) { try DeviceCertificate.kept(at: path) }
                #expect("\(fault)".contains(" 600 \(path)"))
                chmod(path, 0o600)
                _ = try DeviceCertificate.kept(at: path)
            }
        }

        @Test("a damaged file is refused and stays as it is")
        func damaged() throws {
            try withFolder { folder in
                let path = DeviceCertificate.path(in: folder)
                _ = try DeviceCertificate.kept(at: path)
                let whole = try read(path)
                let other = try withOther()
                let encrypted = """
                    -----BEGIN ENCRYPTED PRIVATE KEY-----
                    MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAc
                    -----END ENCRYPTED PRIVATE KEY-----

                    """
                var wrongs: [[UInt8]] = [[], Array("not a key".utf8), Array(encrypted.utf8)]
                for count in stride(from: 0, to: whole.count - 30, by: 37) {
                    wrongs.append(Array(whole[..<count]))
                }
                // The key of one device before the certificate of another.
                let mixed = whole[..<keyByteCount(whole)] + other[keyByteCount(other)...]
                wrongs.append(Array(mixed))
                for wrong in wrongs {
                    try write(wrong, to: path)
                    #expect(throws: CertificateFault.self) { try DeviceCertificate.kept(at: path) }
                    #expect(try read(path) == wrong)
                }
                try write(whole, to: path)
                _ = try DeviceCertificate.kept(at: path)
            }
        }

        private func withOther() throws -> [UInt8] {
            var bytes: [UInt8] = []
            try withFolder { folder in
                let path = DeviceCertificate.path(in: folder)
                _ = try DeviceCertificate.kept(at: path)
                bytes = try read(path)
            }
            return bytes
        }

        /// Up to where the certificate begins.
        private func keyByteCount(_ bytes: [UInt8]) -> Int {
            let mark = Array("-----BEGIN CERTIFICATE".utf8)
            return bytes.indices.first { bytes[$0...].starts(with: mark) } ?? 0
        }

        @Test("a folder that cannot be written to is told")
        func unwritable() throws {
            let path = "/nonexistent-folder/device.key"
            #expect(throws: CertificateFault.failedCall(path: path, errno: ENOENT)) {
                try DeviceCertificate.kept(at: path)
            }
        }
    }
#endif
