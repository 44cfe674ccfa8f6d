import Devices
import HTTP
import ToDo

/// A request of a client that was let in, and all that an answer needs.
struct GatewayContext {
    let gateway: CalendarGateway
    let client: GatewayClient
    let request: HTTPRequest
    let resource: GatewayResource
    let todos: ToDoStore
    let served: ServedToDos

    init(
        _ gateway: CalendarGateway, _ client: GatewayClient, _ request: HTTPRequest,
        _ resource: GatewayResource
    ) {
        self.gateway = gateway
        self.client = client
        self.request = request
        self.resource = resource
        todos = ToDoStore(
            store: gateway.device.store, now: gateway.clock(), zone: gateway.zone)
        served = ServedToDos(
            todos, for: ServedClient(identifier: client.identifier, name: client.name))
    }

    var catalog: ListCatalog { gateway.catalog }
    var tags: DocumentTags { gateway.tags }

    /// Whether properties that a resource lacks are left out of the answer (RFC 8144).
    var isMinimal: Bool {
        request.headers.contains { header in
            header.name == "prefer"
                && header.value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == ";" })
                    .contains { $0.lowercased() == "return=minimal" }
        }
    }

    /// The root of the body; nil if there is none.
    func body() throws(GatewayRefusal) -> XMLElement? {
        try checkCoding()
        if request.body.isEmpty { return nil }
        do throws(XMLFault) {
            return try XMLReader.read(request.body)
        } catch {
            throw .badXML(error)
        }
    }

    /// Refuses a body that is packed.
    func checkCoding() throws(GatewayRefusal) {
        if let coding = request.header("content-encoding"), coding.lowercased() != "identity" {
            throw .encodedBody
        }
    }

    /// The levels that a request is about.
    enum Depth: String {
        case zero = "0"
        case one = "1"
        case infinity
    }

    /// The header field `Depth`; nil if it is missing.
    func depth() throws(GatewayRefusal) -> Depth? {
        guard request.headers.contains(where: { $0.name == "depth" }) else { return nil }
        guard let depth = request.header("depth").flatMap({ Depth(rawValue: $0.lowercased()) })
        else { throw .malformedHeader("Depth") }
        return depth
    }

    /// The list of a segment.
    func list(_ segment: String) throws(GatewayRefusal) -> ToDoList {
        guard let list = catalog.list(segment) else { throw .noResource }
        return list
    }

    /// The live to-do of a name in a list.
    ///
    /// - Throws: `noResource`, or a `StoreFault`.
    func toDo(_ segment: String, _ name: String) throws -> (list: ToDoList, id: RecordID) {
        let list = try list(segment)
        guard let id = try tags.identifier(named: name, served, catalog),
            catalog.contains(id, in: list)
        else {
            throw GatewayRefusal.noResource
        }
        return (list, id)
    }

    /// The facts of a live to-do that listings give.
    func entry(of id: RecordID) throws -> DocumentTags.Entry {
        guard let entry = try tags.entries(of: [id], served, catalog)[id] else {
            throw GatewayRefusal.noResource
        }
        return entry
    }

    /// Keeps a list whose last to-do a client takes away: the client would lose the list with it.
    func keep(_ list: ToDoList, without id: RecordID) throws(StoreFault) {
        guard catalog.members(of: list) == [id] else { return }
        try keep(list)
    }

    /// Keeps a list from here on, also without a to-do: a client that was told of it asks for it again, and would never
    /// learn that its to-dos are gone from a list that is not there.
    func keep(_ list: ToDoList) throws(StoreFault) {
        guard !list.project.isEmpty, !catalog.hasSettings(list),
            catalog.settingsCount < ListSettings.countMax
        else { return }
        try served.keep(list.settings)
    }

    /// Refuses deletes that the mass-delete guard holds; others are counted.
    func checkGuard(_ ids: [RecordID]) throws {
        guard try todos.admitsDeletes(of: ids, by: client.guardIdentifier) else {
            throw GatewayRefusal.deletesHeld
        }
    }

    /// The entity tags of a condition, without quotes, `*` for any; nil if the request has none (RFC 9110, section 13).
    ///
    /// - Parameter name: in lower case.
    func tags(of name: String) throws(GatewayRefusal) -> [String]? {
        let fields = request.headers.filter { $0.name == name }.map(\.value)
        if fields.isEmpty { return nil }
        var tags: [String] = []
        for part in fields.joined(separator: ",").split(separator: ",") {
            var text = part.drop { $0 == " " || $0 == "\t" }
            while text.last == " " || text.last == "\t" { text.removeLast() }
            if text == "*" {
                tags.append("*")
                continue
            }
            // A proxy that compresses answers makes their tags weak.
            if text.hasPrefix("W/") { text = text.dropFirst(2) }
            guard text.count >= 2, text.first == "\"", text.last == "\"" else {
                throw .malformedHeader(name)
            }
            tags.append(String(text.dropFirst().dropLast()))
        }
        return tags
    }

    /// Whether the request's conditions hold for a resource that is changed as a whole.
    ///
    /// - Parameter tag: the resource's tag; nil if it has none.
    func checkConditions(tag: String?) throws(GatewayRefusal) {
        if let wanted = try tags(of: "if-match") {
            guard wanted.contains("*") || tag.map(wanted.contains) ?? false else {
                throw .conditionFailed
            }
        }
        if let unwanted = try tags(of: "if-none-match") {
            guard !unwanted.contains("*"), !(tag.map(unwanted.contains) ?? false) else {
                throw .conditionFailed
            }
        }
    }
}
