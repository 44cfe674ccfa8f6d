/// One name and value of a JSON object.
struct JSONMember: Sendable, Equatable {
    var name: String
    var value: JSONValue

    init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}
