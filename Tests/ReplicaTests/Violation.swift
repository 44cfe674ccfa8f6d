// Several worlds of this module throw it.
/// A promise that was broken.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
