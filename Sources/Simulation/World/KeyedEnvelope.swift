import Core

/// Stands for the envelopes with later secrets in the records of devices, and for what devices state there of
/// the secret that they have.
///
/// Whoever the record is of can open what is in it; that others cannot is not of interest here, as nobody
/// looks. A device that has stated nothing has the first secret.
enum KeyedEnvelope {
    /// The field that holds the envelopes.
    private static let envelopes: UInt32 = 7
    /// The field in which a device states the generation of its secret.
    private static let generation: UInt32 = 8
    private static let mark = Array("envelope".utf8)

    /// Puts the secret of a generation into a record.
    static func closing(_ generation: UInt32) -> Assignment {
        let bytes = stride(from: UInt32(24), through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: generation >> $0)
        }
        return Assignment(.element(.number(envelopes), .bytes(mark + bytes)), .bool(true))
    }

    /// States that a device has the secret of a generation.
    static func stating(_ generation: UInt32) -> Assignment {
        Assignment(.number(Self.generation), .int(Int64(generation)))
    }

    /// The generations of the secrets that wait in a record, the earliest first.
    static func generations(in record: Record) -> [UInt32] {
        record.elements(of: .number(envelopes)).compactMap { value -> UInt32? in
            guard case .bytes(let bytes) = value, bytes.starts(with: mark) else { return nil }
            return bytes.dropFirst(mark.count).reduce(0) { $0 << 8 | UInt32($1) }
        }.sorted()
    }

    /// The generation that is stated in a record.
    static func statedGeneration(in record: Record) -> UInt32 {
        guard case .int(let number)? = record.visible(.number(generation)) else { return 1 }
        return UInt32(exactly: number) ?? 1
    }
}
