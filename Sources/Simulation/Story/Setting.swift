/// What an edit does to one field.
package enum Setting: Hashable, Sendable {
    /// Gives the field a value: `title "Oat milk"`.
    case value(field: String, Literal)
    /// Adds an element to a set: `tags +shop`.
    case add(field: String, element: String)
    /// Takes an element out of a set: `tags -shop`.
    case remove(field: String, element: String)
}
