import Devices
import Storage
import Terminal
import Transport

/// The name of a device.
enum DeviceName {
    /// The name that was given, else that of the host.
    static func read(_ arguments: Arguments) throws -> String {
        if let name = arguments["name"] { return try check(name, "--name kitchen") }
        let host = SystemEnvironment.hostName
        return (try? check(host, "")) ?? "device"
    }

    /// Refuses what nobody could tell from nothing.
    static func check(_ name: String, _ example: String) throws -> String {
        guard Device.isName(name) else {
            throw failure(example)
        }
        return name
    }

    /// Makes the failure for a name that cannot be used.
    static func failure(_ example: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "a device name has 1 to \(Device.nameByteCountMax) bytes, and not only blanks: \(example)"
        )
    }

    /// Returns a warning that another device has this one's name, too, with the next step; nil if
    /// none has.
    static func advice(_ place: CommandContext) throws -> String? {
        let name = try place.store.summary().deviceName
        guard try place.device.namesake(of: name) != nil else { return nil }
        return "another device is called \(name.shownInLine), too; to call this one otherwise: "
            + "tandem rename NAME"
    }
}
