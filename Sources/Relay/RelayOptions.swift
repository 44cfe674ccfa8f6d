/// What the one who runs a relay decides.
package struct RelayOptions: Hashable, Sendable {
    /// The folder of the spaces' files.
    package var folder: String
    /// Whether spaces without encryption may be kept: whoever knows their id may read and write them.
    package var allowsPlainSpaces = false
    /// What a device must show to make a new space; nil if anybody may.
    package var token: String?
    /// How much the relay takes and how long it waits.
    package var limits = RelayLimits()

    /// The usual decisions, with the files in `folder`.
    package init(folder: String) {
        self.folder = folder
    }
}
