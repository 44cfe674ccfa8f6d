/// How a world is run.
package struct WorldOptions: Hashable, Sendable {
    /// Whether all that happens is written down for a picture.
    package var keepsChronicle = false
    /// Whether all devices meet at the end until they rest, and are judged then.
    package var healsAtEnd = true
    /// Whether devices are judged after each event, and not at the end alone.
    package var looksAfterEachEvent = true

    /// The usual way.
    package init() {}
}
