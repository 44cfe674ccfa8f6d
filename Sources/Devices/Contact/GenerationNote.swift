import Storage

/// Which secret of the space a relay has had when this device was last let in there: kept on this device alone.
package enum GenerationNote {
    private static let namespace = "generations"
    /// Of so many relays it is kept.
    package static let countMax = 32

    /// The generation of that secret; nil if this device was never let in at the address.
    package static func generation(
        at address: String, in store: Store
    ) throws(StoreFault) -> UInt32? {
        try store.localMetadata(in: namespace)[address].flatMap {
            UInt32(String(decoding: $0, as: UTF8.self))
        }
    }

    /// Notes that this device was let in with a secret, or knows that the relay has it or a later one.
    package static func keep(
        _ generation: UInt32, at address: String, in store: Store
    ) throws(StoreFault) {
        let known = try store.localMetadata(in: namespace)
        let content = Array(String(generation).utf8)
        if known[address] == content { return }
        try store.edit { transaction throws(StoreFault) in
            for other in known.keys.filter({ $0 != address }).sorted().dropFirst(countMax - 1) {
                try transaction.setLocalMetadata(nil, named: other, in: namespace)
            }
            try transaction.setLocalMetadata(content, named: address, in: namespace)
        }
    }
}
