import Crypto
import Glibc

#if Encryption
    extension DeviceCertificate {
        /// Reads the file.
        ///
        /// - Throws: `missing`, `exposed`, `damaged`, `failedCall`.
        package init(contentsOf path: String) throws(CertificateFault) {
            let bytes: [UInt8]
            do {
                bytes = try PrivateFile.read(path, isSecret: true)
            } catch {
                throw CertificateFault(error, path: path)
            }
            try self.init(pem: bytes, path: path)
        }

        /// Reads the file, or makes it if there is none; two programs that do so at once agree.
        ///
        /// - Throws: `exposed`, `damaged`, `failedCall`, `library`.
        package static func kept(at path: String) throws(CertificateFault) -> DeviceCertificate {
            do throws(CertificateFault) {
                return try DeviceCertificate(contentsOf: path)
            } catch .missing {
                let made = try DeviceCertificate()
                do throws(PrivateFile.Problem) {
                    try PrivateFile.write(made.pem, to: path, replaces: false)
                    return made
                } catch .exists {
                    return try DeviceCertificate(contentsOf: path)
                } catch {
                    throw CertificateFault(error, path: path)
                }
            }
        }
    }

    extension CertificateFault {
        fileprivate init(_ problem: PrivateFile.Problem, path: String) {
            switch problem {
            case .missing: self = .missing(path: path)
            case .exposed(let mode): self = .exposed(path: path, mode: mode)
            case .tooLarge: self = .damaged(path: path, problem: "it is too large")
            case .exists: self = .failedCall(path: path, errno: EEXIST)
            case .failedCall(let code): self = .failedCall(path: path, errno: code)
            }
        }
    }
#else
    extension DeviceCertificate {
        /// Throws `notBuiltIn`.
        package init(contentsOf path: String) throws(CertificateFault) { throw .notBuiltIn }

        /// Throws `notBuiltIn`.
        package static func kept(at path: String) throws(CertificateFault) -> DeviceCertificate {
            throw .notBuiltIn
        }
    }
#endif
