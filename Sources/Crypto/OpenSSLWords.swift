#if Encryption
    import COpenSSL

    /// The texts of OpenSSL's errors.
    enum OpenSSLWords {
        /// The oldest error of this thread, in the library's words; the others are forgotten.
        static func lastError() -> String {
            let code = ERR_get_error()
            ERR_clear_error()
            return code == 0 ? "no reason given" : word(code)
        }

        /// The library's words for an error.
        static func word(_ code: UInt) -> String {
            guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
            return String(cString: reason)
        }
    }
#endif
