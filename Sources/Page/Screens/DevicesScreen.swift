import Devices
import HTTP
import ToDo

/// The devices of the space, when each was seen last, and a way to take one out.
enum DevicesScreen {
    static func show(_ context: PageContext) throws -> HTTPResponse {
        let access = try context.device.access()
        let rows = try context.device.spaceDevices(access.member?.keyring)
        if let word = context.request.query("revoke") {
            return try question(word, context)
        }
        var content = HTML.element(
            "ul", [.class("devices")],
            HTML(rows.map { .element("li", [], row($0, hasKeys: access.member != nil, context)) }))
        let addresses = access.knownAddresses.map { HTML(String($0.prefix { $0 != "#" })) }
        if !addresses.isEmpty {
            content += .heading("Relays and addresses") + .list(addresses)
        }
        content += .heading("Let another device in")
        if context.service.inviter != nil {
            content += .paragraph(.link("/invite", "Make a code for a new device"))
        }
        content += .paragraph(
            "On the command line: on this device type " + context.command(.invite)
                + ": it shows a code as text and as a QR code. On the new device type "
                + context.command(.join) + ".")
        return try PageLayout.page("Devices", screen: "devices", content, context)
    }

    private static func row(
        _ row: SpaceDeviceStatus, hasKeys: Bool, _ context: PageContext
    ) -> HTML {
        let device = row.device
        var parts: [HTML] = [.element("strong", [], .typed(device.name))]
        if row.isOwn { parts.append("this device") }
        if let seen = row.lastSeen, !row.isOwn {
            parts.append(
                (seen.isWrite ? "wrote last " : "synced last ")
                    + context.time(seen.sighting.time) + (seen.sighting.isExact ? "" : " or later"))
        }
        parts += row.remarks.map { HTML($0) }
        if let fingerprint = device.fingerprint { parts.append(HTML(fingerprint.short)) }
        let line = HTML(parts.enumerated().map { $0.offset == 0 ? $0.element : " · " + $0.element })
        guard hasKeys, !row.isOwn, !device.isRevoked, let fingerprint = device.fingerprint else {
            return .span("device", line)
        }
        let word = PercentCoding.encoded("\(fingerprint)")
        return .span("device", line)
            + .element(
                "a", [.href("/devices?revoke=\(word)"), .class("button danger")],
                "Remove " + .typed(device.name))
    }

    /// Asks before a device is taken out.
    private static func question(_ word: String, _ context: PageContext) throws -> HTTPResponse {
        let target: DeviceDirectory.Device
        do {
            target = try context.device.pairing.revocable(word)
        } catch {
            context.tellRefused(HTML(PageFaultWords.words(error)))
            return context.redirect("/devices")
        }
        let content: HTML = [
            .paragraph(
                "Take " + .typed(target.name) + HTML(" (\(target.fingerprint?.short ?? "")) ")
                    + "out of the space, for good? It keeps the to-dos that it has. The others get a new secret, and every device that hears of it refuses it."
            ),
            context.form(
                "/revoke",
                [
                    .hidden("device", target.fingerprint.map { "\($0)" } ?? ""),
                    .button("Take it out for good", class: "danger"),
                ]),
            .paragraph(.link("/devices", "No, leave it")),
        ]
        return try PageLayout.page("Remove a device", screen: "revoke", content, context)
    }

    static func revoke(_ context: PageContext) throws -> HTTPResponse {
        do {
            let target = try context.device.pairing.revocable(try context.field("device"))
            let revocation = try context.device.pairing.revoke(target)
            var words: HTML = .typed(target.name) + " is removed. The space has a new secret."
            for sharer in revocation.sharers {
                words +=
                    " " + .typed(sharer.name) + HTML(" \(DevicePairing.Revocation.sharerWords).")
            }
            for (relay, failure) in revocation.relays {
                let name = HTML(String(relay.prefix { $0 != "#" }))
                words +=
                    failure == nil
                    ? " The relay " + name + " has it."
                    : " Not yet at the relay " + name + ": " + context.command(.sync)
                        + " brings it."
            }
            context.tell(words)
        } catch let refusal as PageRefusalError {
            throw refusal
        } catch {
            context.tellRefused(HTML(PageFaultWords.words(error)))
        }
        return context.redirect("/devices")
    }
}
