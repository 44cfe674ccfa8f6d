/// What a device is like from the beginning.
package struct DeviceTraits: Hashable, Sendable {
    /// Its name in the story.
    package var name: String
    /// Whether each of its commits is flushed.
    package var isDurable: Bool
    /// Whether it runs a newer version: with fields and a collection that the others do not know.
    package var isNewer: Bool
    /// Whether it belongs to a space of its own.
    package var isForeign: Bool
    /// Whether it is no device of anybody's, but a relay at which devices meet.
    package var isRelay: Bool

    /// A device.
    package init(
        _ name: String, isDurable: Bool = false, isNewer: Bool = false, isForeign: Bool = false,
        isRelay: Bool = false
    ) {
        self.name = name
        self.isDurable = isDurable
        self.isNewer = isNewer
        self.isForeign = isForeign
        self.isRelay = isRelay
    }
}
