/// Names a shared dataset; random, made once when the space is made.
package struct SpaceID: WideIdentifier {
    package let value: UInt128

    package init(value: UInt128) {
        self.value = value
    }

    package static func < (left: SpaceID, right: SpaceID) -> Bool {
        left.value < right.value
    }
}
