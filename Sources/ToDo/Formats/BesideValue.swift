/// A value of a field in conflict that was not the shown one.
package struct BesideValue: Hashable, Sendable {
    /// The to-do.
    package let item: UInt128
    /// The field, by its name in our own export; `x.NAME` for one of the user's own.
    package let field: String
    /// The value; nil for a field that was cleared.
    package let value: CustomValue?
    /// The name of the device that gave it.
    package let device: String
    /// When, by that device's clock; milliseconds since 1970.
    package let time: Int64

    /// The most characters of a device's and a field's name that are taken over.
    private static let nameCountMax = 40

    /// The custom field that keeps it where the conflict itself cannot be made again.
    package var customName: String {
        "conflict \(field.prefix(Self.nameCountMax)) (\(device.prefix(Self.nameCountMax)), "
            + "\(TimestampText.rfc3339(time)))"
    }
}
