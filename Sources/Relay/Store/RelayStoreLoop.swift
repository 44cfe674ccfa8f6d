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

    /// Looks up the addresses of a host's name, as numbers, and goes on meanwhile; the name server may take its time.
    ///
    /// - Parameter found: called once, and not before this returns; with none if it has none, or nobody knows.
    func lookUp(_ name: String, _ found: @escaping ([String]) -> Void)

    /// Calls an action once, after so many milliseconds.
    func call(afterMilliseconds milliseconds: Int64, _ action: @escaping () -> Void) -> Cancel
}
