import Core
import Replica

/// The bound on the memory that all conversations of a process hold together.
///
/// Each may hold one of the longest bodies; without a common bound many peers could each take as much.
package enum MemoryBudget {
    /// The most memory of all conversations together, in bytes: frames and bodies that are half here, and what
    /// waits to be sent.
    package static let byteCountMax = 256 * 1024 * 1024

    /// A link that holds more is closed without waiting until the peer has taken it, in bytes.
    package static let farewellByteCountMax = 64 * 1024

    /// The bytes that one conversation holds.
    package struct Share: Hashable, Sendable {
        /// Which.
        package let conversation: ConversationID
        /// Where its peer is.
        package let address: String
        /// The memory of what came and is not in the store yet, in bytes.
        package let receivedByteCount: Int
        /// The memory of what the peer has not taken yet, in bytes.
        package let unsentByteCount: Int

        /// The share of a conversation.
        package init(
            conversation: ConversationID, address: String, receivedByteCount: Int,
            unsentByteCount: Int
        ) {
            self.conversation = conversation
            self.address = address
            self.receivedByteCount = receivedByteCount
            self.unsentByteCount = unsentByteCount
        }

        /// All of it, in bytes.
        package var byteCount: Int { receivedByteCount + unsentByteCount }
    }

    /// The share that has to go; nil if all together are within the bound.
    ///
    /// Not the newest goes, but the greatest, of the address that holds most: many connections of one machine
    /// cannot crowd out another. Of equals the oldest goes.
    package static func most(of shares: [Share], over byteCountMax: Int) -> Share? {
        guard shares.reduce(0, { $0 + $1.byteCount }) > byteCountMax else { return nil }
        var sums: [String: Int] = [:]
        for share in shares { sums[share.address, default: 0] += share.byteCount }
        let greatest = sums.values.max()
        return shares.filter { sums[$0.address] == greatest }.max { left, right in
            (left.byteCount, right.conversation) < (right.byteCount, left.conversation)
        }
    }

    /// The error for the peer whose conversation ends by the bound.
    static func refusal(own: Int, max: Int) -> PeerError {
        PeerError(
            .busy, reason: .heldBytes,
            "the device that was called holds the \(max) bytes of unfinished sessions that it may, \(own) of them of this one",
            side: .speaker, advice: "sync again in a moment")
    }
}
