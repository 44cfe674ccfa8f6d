import Devices
import HTTP
import ToDo

/// The properties of a resource, each with how it is made.
struct ResourceProperties {
    let context: GatewayContext
    let resource: GatewayResource
    /// The list that the resource is or is in; nil for others.
    let list: ToDoList?
    /// The facts about the to-do that the resource is; nil for others.
    let entry: DocumentTags.Entry?
    /// The token of now, which is made once for an answer.
    let token: SyncToken?

    /// A resource without a to-do.
    init(
        _ resource: GatewayResource, _ context: GatewayContext, list: ToDoList? = nil,
        entry: DocumentTags.Entry? = nil, token: SyncToken? = nil
    ) {
        self.context = context
        self.resource = resource
        self.list = list
        self.entry = entry
        self.token = token
    }

    /// Adds the resource with the properties that are asked for.
    ///
    /// - Parameter more: further properties that it has.
    func add(
        _ request: PropertyRequest, more: XMLText = .nothing, to answer: inout Multistatus
    ) {
        var found: XMLText = .nothing
        var missing: [XMLName] = []
        switch request {
        case .names: found = XMLText(names.map { .element($0) })
        case .all(let including):
            let wanted = Self.ofWebDAV + including.filter { !Self.ofWebDAV.contains($0) }
            for name in wanted {
                if let value = value(name) {
                    found += .element(name, [], value)
                } else if including.contains(name) {
                    missing.append(name)
                }
            }
        case .named(let wanted):
            for name in wanted {
                // It was made for the answer that has it.
                if name == .calDAV("calendar-data"), !more.isEmpty { continue }
                if let value = value(name) {
                    found += .element(name, [], value)
                } else {
                    missing.append(name)
                }
            }
        }
        answer.add(
            resource.path, found: found + more, missing: missing, isMinimal: context.isMinimal)
    }

    /// The properties that a listing of all has (RFC 4918, section 9.1).
    private static let ofWebDAV: [XMLName] = [
        "resourcetype", "displayname", "getetag", "getcontenttype", "getcontentlength",
        "getlastmodified",
    ].map { .dav($0) }

    /// All properties that any resource has.
    private static let known: [XMLName] =
        ofWebDAV
        + [
            "current-user-principal", "principal-URL", "principal-collection-set", "owner",
            "current-user-privilege-set", "supported-report-set", "sync-token",
        ].map { .dav($0) }
        + [
            "calendar-home-set", "calendar-user-address-set", "supported-calendar-component-set",
            "supported-calendar-data", "supported-collation-set", "max-resource-size",
        ].map { .calDAV($0) }
        + [.calendarServer("getctag"), .apple("calendar-color"), .apple("calendar-order")]

    /// The names of the properties that the resource has.
    private var names: [XMLName] { Self.known.filter { value($0) != nil } }

    /// The content of a property; nil if the resource has none of that name.
    func value(_ name: XMLName) -> XMLText? {
        if let shared = sharedValue(name) { return shared }
        switch resource {
        case .root: return name == .dav("displayname") ? "Tandem" : nil
        case .home: return name == .dav("displayname") ? "Lists" : nil
        case .principal: return principalValue(name)
        case .list: return list.flatMap { listValue(name, $0) }
        case .toDo: return entry.flatMap { toDoValue(name, $0) }
        }
    }

    // MARK: By resource

    private func sharedValue(_ name: XMLName) -> XMLText? {
        switch name {
        case .dav("resourcetype"): resourceType
        case .dav("current-user-principal"), .dav("owner"): .href(GatewayResource.principal.path)
        case .dav("principal-collection-set"): .href(GatewayResource.root.path)
        case .dav("current-user-privilege-set"): privileges
        case .dav("supported-report-set"): reports
        // Clients ask the principal; some stay at the address that they were given.
        case .calDAV("calendar-home-set"):
            switch resource {
            case .root, .principal, .home: .href(GatewayResource.home.path)
            case .list, .toDo: nil
            }
        default: nil
        }
    }

    private var resourceType: XMLText {
        switch resource {
        case .root, .home: .element(.dav("collection"))
        case .principal: .element(.dav("collection")) + .element(.dav("principal"))
        case .list: .element(.dav("collection")) + .element(.calDAV("calendar"))
        case .toDo: .nothing
        }
    }

    private var privileges: XMLText {
        var names = ["read", "read-current-user-privilege-set"]
        switch resource {
        case .root, .principal: break
        case .home: names += ["bind", "unbind"]
        case .list:
            names += ["write", "write-properties", "write-content", "bind", "unbind"]
        case .toDo: names += ["write", "write-content"]
        }
        return XMLText(
            names.map { .element(.dav("privilege"), [], .element(.dav($0))) })
    }

    private var reports: XMLText {
        let names: [XMLName]
        switch resource {
        case .root, .principal, .home:
            names = [
                .dav("principal-property-search"), .dav("principal-search-property-set"),
            ]
        case .list:
            names = [
                .calDAV("calendar-query"), .calDAV("calendar-multiget"), .dav("sync-collection"),
                .calDAV("free-busy-query"),
            ]
        case .toDo: names = [.calDAV("calendar-query"), .calDAV("calendar-multiget")]
        }
        return XMLText(
            names.map {
                .element(
                    .dav("supported-report"), [], .element(.dav("report"), [], .element($0)))
            })
    }

    private func principalValue(_ name: XMLName) -> XMLText? {
        switch name {
        case .dav("displayname"): XMLText(context.client.name)
        case .dav("principal-URL"), .calDAV("calendar-user-address-set"):
            .href(GatewayResource.principal.path)
        default: nil
        }
    }

    private func listValue(_ name: XMLName, _ list: ToDoList) -> XMLText? {
        switch name {
        case .dav("displayname"): XMLText(list.shownName)
        case .dav("sync-token"): token.map { XMLText($0.text) }
        case .calendarServer("getctag"):
            XMLText("\(context.gateway.device.replica)-\(context.catalog.changeNumber(of: list))")
        case .calDAV("supported-calendar-component-set"):
            .element(.calDAV("comp"), [(name: "name", value: ListMethods.component)])
        case .calDAV("supported-calendar-data"):
            .element(
                .calDAV("calendar-data"), [("content-type", "text/calendar"), ("version", "2.0")])
        case .calDAV("supported-collation-set"):
            XMLText(
                ["i;ascii-casemap", "i;octet", "i;unicode-casemap"].map {
                    .element(.calDAV("supported-collation"), text: $0)
                })
        case .calDAV("max-resource-size"): XMLText("\(ServedLimits.documentByteCountMax)")
        case .apple("calendar-color"): list.settings.color.map { XMLText($0) }
        case .apple("calendar-order"): list.settings.order.map { XMLText($0) }
        default: nil
        }
    }

    private func toDoValue(_ name: XMLName, _ entry: DocumentTags.Entry) -> XMLText? {
        switch name {
        case .dav("getetag"): XMLText("\"\(entry.tag)\"")
        case .dav("getcontenttype"):
            XMLText("\(ToDoMethods.type); component=\(ListMethods.component)")
        case .dav("getcontentlength"): XMLText("\(entry.byteCount)")
        case .dav("getlastmodified"): entry.modified.map { XMLText(HTTPDate.text($0)) }
        default: nil
        }
    }
}

extension XMLText: ExpressibleByStringLiteral {
    /// Characters that stand in the program.
    package init(stringLiteral text: String) { self.init(text) }
}
