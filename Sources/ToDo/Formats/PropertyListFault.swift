/// Why bytes are no property list.
struct PropertyListFault: Error, Equatable {
    var reason: String
    var byteOffset: Int

    init(_ reason: String, at byteOffset: Int) {
        self.reason = reason
        self.byteOffset = byteOffset
    }

    static func tooDeep(at byteOffset: Int) -> PropertyListFault {
        PropertyListFault("values are nested too deeply", at: byteOffset)
    }
}
