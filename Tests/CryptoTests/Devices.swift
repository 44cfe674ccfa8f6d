// Several suites of this module share the keys.
#if Encryption
    import Crypto

    /// Three devices, made once: a key takes a while in a debug build.
    enum Devices {
        static let laptop = Result { try DeviceCertificate() }
        static let phone = Result { try DeviceCertificate() }
        static let stranger = Result { try DeviceCertificate() }
    }
#endif
