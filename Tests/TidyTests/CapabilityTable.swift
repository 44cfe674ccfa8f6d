/// The methods of `Device` and its parts: by which calls of a scenario each is compared, or why it is not.
///
/// To-dos are not in it: the command has them by `ToDoStore`, and an app has the schema that it wants.
enum CapabilityTable {
    /// The calls of `DrivenDevice` that reach a method both by the command and by the library.
    static let cases: [String: [String]] = [
        "DeleteHold.accept": ["acceptDeletes"],
        "DeleteHold.all": ["acceptDeletes", "facts"],
        "DeleteHold.refuse": ["refuseDeletes"],
        "Device.access": ["sync"],
        "Device.admit": ["admit"],
        "Device.daemon": ["serve", "pause"],
        "Device.deviceEvents": ["log"],
        "Device.directory": ["revoke"],
        "Device.keyring": ["facts"],
        "Device.name": ["progress"],
        "Device.open": ["facts"],
        "Device.refusedSpenders": ["admit"],
        "Device.rename": ["rename"],
        "Device.spaceDevices": ["facts"],
        "DeviceCopies.backup": ["backup"],
        "DeviceCopies.difference": ["restoreLatest"],
        "DeviceCopies.opened": ["restoreLatest"],
        "DeviceCopies.restore": ["restoreLatest"],
        "DeviceFolder.checkedCopy": ["startOver"],
        "DeviceFolder.finishReplacing": ["rescue"],
        "DeviceFolder.pauseSync": ["pause"],
        "DeviceFolder.rescue": ["rescue"],
        "DeviceFolder.resumeSync": ["resume"],
        "DeviceFolder.startOver": ["startOver"],
        "DeviceJoining.join": ["join"],
        "DevicePairing.invite": ["invite"],
        "DevicePairing.rehearseTakeBack": ["revoke"],
        "DevicePairing.revoke": ["revoke"],
        "DeviceRepair.examine": ["examine"],
        "DeviceRepair.perform": ["repair"],
        "DeviceSync.sync": ["sync"],
        "DeviceSync.syncWithKnown": ["sync"],
    ]

    /// The reasons of the others.
    static let reasons: [String: String] = {
        var reasons: [String: String] = [:]
        for (reason, paths) in groups { for path in paths { reasons[path] = reason } }
        return reasons
    }()

    private static let groups: [(reason: String, paths: [String])] = [
        (
            "the methods that are compared call it; there is nothing for a person to do with it alone",
            [
                "Device.namesake", "Device.refuseIfRevoked", "DeviceAccess.certificate",
                "DeviceAccess.contact", "DeviceAccess.plain", "DeviceAccess.refusal",
                "DeviceAccess.requireMember", "DeviceAccess.security", "DeviceAccess.token",
                "DeviceCopies.open", "DeviceFolder.copy", "DeviceFolder.isConcerned",
                "DeviceFolder.refuseToReplace", "DeviceRepair.damage", "DeviceRepair.findings",
                "DeviceSync.session",
            ]
        ),
        (
            "`make` compares both: the command makes a store by the one, the library by the other",
            ["Device.openOrCreate", "DeviceJoining.makeSpace"]
        ),
        (
            "`repair` compares it: the command takes the snapshot itself, the library by DeviceRepair.perform",
            ["DeviceCopies.takeSnapshot"]
        ),
        (
            "`examine`, `restoreLatest` and `rescue` compare it: a command does by it what the library has three calls for",
            [
                "DeviceFolder.lookForRescue", "DeviceFolder.openForRepair",
                "DeviceFolder.openForRestore",
            ]
        ),
        (
            "it reads the words of a command line, or gives words for one",
            [
                "DeleteHold.find", "Device.isName", "Device.ownNamesake", "DeviceFolder.placement",
                "DevicePairing.revocable",
            ]
        ),
        (
            "only the command offers it: a server without a daemon, a space without a code, addresses to forget",
            ["Device.server", "DeviceAccess.forget", "DeviceJoining.enterSpace"]
        ),
        (
            "no program calls it: a person writes the list of trusted devices, of which a scenario has one",
            ["DeviceAccess.distrust", "DeviceAccess.trust"]
        ),
        (
            "it reads, for what is shown, what `facts` compares from elsewhere",
            ["Device.record", "Device.summary"]
        ),
        (
            "it is about the process or the memory of a store",
            ["Device.close", "Device.countNoMemory"]
        ),
    ]
}
