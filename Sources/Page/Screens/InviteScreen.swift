import Devices
import HTTP
import ToDo

/// Lets one more device in: a code as text and as a picture, and who has come with it.
enum InviteScreen {
    /// The most bytes of an address that is typed.
    private static let addressByteCountMax = 500

    static func show(_ context: PageContext) throws -> HTTPResponse {
        guard let inviter = context.service.inviter else { throw PageRefusalError(.noPage) }
        let content: HTML =
            inviter.invitation.map { invitation in
                invitation.isOver
                    ? happened(invitation) + form(context) : waiting(invitation, context)
            } ?? form(context)
        return try PageLayout.page(
            "Let another device in", screen: "invite", content, context)
    }

    private static func form(_ context: PageContext) -> HTML {
        let relays = (try? context.device.access().knownAddresses) ?? []
        let known: HTML =
            relays.isEmpty
            ? .paragraph("Say where the two devices meet: at a relay, or at this device.")
            : .paragraph("The devices meet at what is known already, unless you say another.")
        return known
            + context.form(
                "/invite", class: "edit",
                [
                    .field("relay", "A relay", "", hint: "relay://example.org:7718#5f0c-…"),
                    .field("address", "Or this device's address", "", hint: "desk.local:7717"),
                    .button("Make a code", name: "operation", value: "begin", class: "main"),
                ])
    }

    private static func waiting(_ invitation: PageInvitation, _ context: PageContext) -> HTML {
        guard let code = invitation.code else {
            // A used one is gone before the device has joined.
            let news: HTML =
                invitation.events.isEmpty
                ? .paragraph("The code is being made. ") : happened(invitation)
            return news + .paragraph(.link("/invite", "Look again"))
        }
        return [
            .paragraph(
                "On the new device type " + context.command(.join)
                    + " and give it this code. It is good for one device, for 10 minutes, while this waits."
            ),
            .void(
                "img",
                [
                    .src("/invite.svg"), .class("qr"),
                    .set(.alternative, "The code as a QR code"),
                ]),
            .paragraph(.element("code", [.set(.id, "code")], HTML(code.text))),
            happened(invitation),
            .paragraph("The new device shows six digits. Type them here:"),
            context.form(
                "/invite", class: "decide",
                [
                    .field(
                        "digits", "Six digits", "",
                        [
                            .set(.type, "text"), .set(.inputMode, "numeric"),
                            .set(.autocomplete, "off"), .set(.maxLength, "20"),
                        ]),
                    .button("Let it in", name: "operation", value: "digits", class: "main"),
                ]),
            context.form(
                "/invite",
                .button("Stop: the code is worth nothing then", name: "operation", value: "stop")),
            .paragraph(.link("/invite", "Look again")),
        ]
    }

    /// The events so far, in words.
    private static func happened(_ invitation: PageInvitation) -> HTML {
        let parts = invitation.events.map { event -> HTML in
            let device = event.device.map { HTML.typed($0.name) } ?? "a device"
            let key = event.device.map { HTML(" (\($0.fingerprint.short))") } ?? .nothing
            return switch event.kind {
            case .asks: device + key + " asks to join"
            case .tooMany: "more devices ask than may"
            case .wrongDigits: "no device that asks shows these digits"
            case .admitted: device + key + " is admitted, and was not seen yet"
            case .notAdmitted: device + key + " is not admitted"
            case .late: device + key + " came too late, and got nothing"
            case .joined: device + " has joined"
            case .overTime: "the code has ended; nobody was admitted"
            case .overWrongDigits: "the digits were wrong too often: the code has ended"
            case .overStopped: "stopped: the code is worth nothing any more"
            case .overDisk: "the keyring cannot be written: nobody was admitted"
            }
        }
        let faults = invitation.faults.map { fault in
            HTML.element("div", [.class("fault"), .set(.role, "alert")], HTML(fault))
        }
        return HTML(faults) + .list(parts, class: "events")
    }

    static func act(_ context: PageContext) throws -> HTTPResponse {
        guard let inviter = context.service.inviter else { throw PageRefusalError(.noPage) }
        func word(_ name: String) throws(PageRefusalError) -> String? {
            let text = try context.field(name)
            guard text.utf8.count <= addressByteCountMax, !text.hasPrefix("-"),
                text.allSatisfy({ $0.isASCII && !$0.isWhitespace })
            else { throw PageRefusalError(.badForm) }
            return text.isEmpty ? nil : text
        }
        switch try context.field("operation") {
        case "begin":
            if inviter.invitation?.isOver ?? true {
                inviter.begin(relay: try word("relay"), address: try word("address"))
            }
        case "digits": inviter.enter(digits: try context.field("digits").filter(\.isNumber))
        case "stop": inviter.stop()
        default: throw PageRefusalError(.badForm)
        }
        return context.redirect("/invite")
    }

    /// The code as a picture.
    static func picture(_ context: PageContext) throws -> HTTPResponse {
        guard let code = context.service.inviter?.invitation?.code,
            let drawn = QRCode(code.drawnText)
        else { throw PageRefusalError(.noPage) }
        return HTTPResponse(200, type: "image/svg+xml; charset=utf-8", svg(drawn))
    }

    /// The blank frame around a QR code that readers need, in modules.
    private static let frame = 4

    private static func svg(_ code: QRCode) -> String {
        let size = code.size + 2 * frame
        var path = ""
        for row in 0..<code.size {
            for column in 0..<code.size where code[column, row] {
                path += "M\(column + frame) \(row + frame)h1v1h-1z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges">\
            <rect width="\(size)" height="\(size)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
            """
    }
}
