import Core

/// The loop of the program, as far as a store over a network needs it.
///
/// All calls come on the loop's thread.
package protocol RelayStoreLoop: AnyObject {
    /// Ends a watch or calls off an action; may be called again.
    typealias Cancel = () -> Void

    /// Calls an action whenever a descriptor can be read from, and also whenever it can be written to, until the watch is
    /// ended; that is to be done before the descriptor is closed.
    ///
    /// - Returns: nil if it cannot be watched.
    func watch(
        _ descriptor: CInt, isWriting: Bool, _ ready: @escaping () -> Void
    ) -> Cancel?

    /// Calls an action once, after so many milliseconds.
    func call(afterMilliseconds milliseconds: Int64, _ action: @escaping () -> Void) -> Cancel
}
