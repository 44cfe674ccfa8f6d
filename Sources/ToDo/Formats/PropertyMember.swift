/// One key and value of a property list's dictionary.
struct PropertyMember: Equatable {
    var key: String
    var value: PropertyValue
}
