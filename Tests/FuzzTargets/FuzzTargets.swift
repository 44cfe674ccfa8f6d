// The lists of targets stand in the file of each door.
/// The doors through which foreign bytes come: a new one is a line in one of these lists.
package enum FuzzTargets {
    /// All targets.
    package static let all =
        wire + sealed + sessions + relays + stores + formats + texts + web + served

    /// The target of a name; nil if there is none.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
