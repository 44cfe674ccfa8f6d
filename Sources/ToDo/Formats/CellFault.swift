/// What is wrong with the text of one field, without the place.
struct CellFault: Error, Equatable {
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
