/// What messages are called in pictures.
enum MessageName {
    /// A letter at a relay.
    static let letter: UInt8 = 129

    private static let names: [UInt8: String] = [
        1: "hello", 2: "changes", 3: "acknowledge", 4: "caught up", 5: "part", 6: "want",
        7: "ping", 8: "pong", 9: "bye", 10: "error", 11: "repair", 12: "ask history",
        13: "history", 14: "recollect", 20: "approach", 21: "welcome", 22: "upload", 23: "standing",
        letter: "letter",
    ]

    /// The kind of the message in a frame: it follows the length, the head of the map and the key 0.
    static func name(ofFrame bytes: [UInt8]) -> String {
        guard bytes.count > 6 else { return "nothing" }
        return kind(ofFrame: bytes).flatMap { names[$0] } ?? "something newer"
    }

    /// The kind of the message in a frame; nil if it is none that has a name.
    static func kind(ofFrame bytes: [UInt8]) -> UInt8? {
        guard bytes.count > 6 else { return nil }
        // From 24 to 255 a number has a byte of its own behind its head.
        if bytes[6] == 0x18 { return bytes.count > 7 ? bytes[7] : nil }
        return bytes[6] < 24 ? bytes[6] : nil
    }

    /// Whether a frame holds a ping or a pong.
    static func isSignOfLife(_ bytes: [UInt8]) -> Bool {
        bytes.count > 6 && (bytes[6] == 7 || bytes[6] == 8)
    }
}
