import Core
import Storage

/// How a store is opened.
public struct StoreOptions: Hashable, Sendable {
    /// When commits are flushed to the disk.
    public enum Durability: Hashable, Sendable {
        /// Now and then, and before anything leaves for a peer: a power cut may take the last edits back,
        /// which nobody else has seen then.
        case normal
        /// At every commit: a power cut takes nothing back.
        case full
    }

    /// The result for a record that one device deletes while another edits it.
    ///
    /// Fixed when the store is made; the devices of one space have the same rule. Either way both hear of it
    /// as of a conflict.
    public enum DeleteRule: Hashable, Sendable {
        /// It is deleted.
        case deletesWin
        /// It stays.
        case editsWin
    }

    /// When commits are flushed to the disk.
    public var durability = Durability.normal
    /// How long to wait for another process that writes; milliseconds.
    public var busyTimeout = 5000
    /// The result for a record that one device deletes while another edits it.
    public var deleteRule = DeleteRule.deletesWin

    /// The usual way.
    public init() {}

    var engine: Storage.StoreOptions {
        var options = Storage.StoreOptions()
        options.durability = durability == .full ? .full : .normal
        options.busyMilliseconds = busyTimeout
        return options
    }

    var policy: DeletePolicy { deleteRule == .deletesWin ? .deletesWin : .editsWin }
}
