import ToDo

/// The properties of a list that clients set.
enum ListProperties {
    private static let color = XMLName.apple("calendar-color")
    private static let order = XMLName.apple("calendar-order")

    /// Whether clients set a property of a list.
    static func isSettable(_ name: XMLName) -> Bool {
        name == .dav("displayname") || name == color || name == order
    }

    /// Sets a property; nil removes it.
    ///
    /// - Returns: whether the value can be one.
    static func set(_ name: XMLName, to value: String?, in settings: inout ListSettings) -> Bool {
        if let value {
            guard value.utf8.count <= ListSettings.textByteCountMax,
                value.unicodeScalars.allSatisfy({ $0.value >= 32 || $0 == "\t" })
            else { return false }
        }
        let value = value.flatMap { $0.isEmpty ? nil : $0 }
        switch name {
        case .dav("displayname"): settings.displayName = value
        case color: settings.color = value
        case order: settings.order = value
        default: return false
        }
        return true
    }
}
