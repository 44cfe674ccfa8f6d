/// A value given to a field.
package struct Assignment: Hashable, Sendable {
    /// Which register.
    package let field: Field

    /// What it was given.
    package var value: Value

    /// Gives `value` to `field`.
    package init(_ field: Field, _ value: Value) {
        self.field = field
        self.value = value
    }
}
