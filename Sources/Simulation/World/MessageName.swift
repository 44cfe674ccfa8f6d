import Core

/// The names of messages in diagrams: those of the protocol, with spaces.
enum MessageName {
    private static let names: [UInt64: String] = {
        var names: [UInt64: String] = [:]
        for kind in 0...UInt64(UInt8.max) {
            guard let name = Message.name(ofKind: kind) else { continue }
            names[kind] = String(name.map { $0 == "-" ? " " : $0 })
        }
        return names
    }()

    /// The name of the message in a frame.
    static func name(ofFrame bytes: [UInt8]) -> String {
        guard bytes.count > 6 else { return "nothing" }
        return kind(ofFrame: bytes).flatMap { names[$0] } ?? "something newer"
    }

    /// The kind of the message in a frame: it follows the length, the head of the map and the key 0.
    ///
    /// - Returns: nil if it is none that has a name.
    static func kind(ofFrame bytes: [UInt8]) -> UInt64? {
        guard bytes.count > 6 else { return nil }
        // From 24 to 255 a number has a byte of its own behind its head.
        if bytes[6] == 0x18 { return bytes.count > 7 ? UInt64(bytes[7]) : nil }
        return bytes[6] < 24 ? UInt64(bytes[6]) : nil
    }

    /// Whether a frame holds a ping or a pong.
    static func isSignOfLife(_ bytes: [UInt8]) -> Bool {
        let kind = kind(ofFrame: bytes)
        return kind == Ping.kind || kind == Pong.kind
    }
}
