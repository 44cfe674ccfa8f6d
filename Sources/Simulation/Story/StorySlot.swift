/// A place in a form for what differs from line to line, by the name that it has in patterns.
///
/// `!` marks a name that the line makes known.
enum StorySlot: String, Hashable, CaseIterable {
    case device = "DEVICE"
    case newDevice = "DEVICE!"
    case newDevices = "DEVICES!"
    case relay = "RELAY"
    case newRelay = "RELAY!"
    case newRelays = "RELAYS!"
    case traits = "TRAITS"
    case groups = "GROUPS"
    case who = "WHO"
    case claim = "CLAIM"
    case item = "ITEM"
    case newItem = "ITEM!"
    case backup = "BACKUP"
    case newBackup = "BACKUP!"
    case settings = "SETTINGS"
    case field = "FIELD"
    case value = "VALUE"
    case values = "VALUES"
    case shown = "SHOWN"
    case elements = "ELEMENTS"
    case text = "TEXT"
    case count = "COUNT"
    case bytes = "BYTES"
    case span = "SPAN"
    case shift = "SHIFT"
    case drift = "PPM"
    case date = "DATE"
    case seed = "SEED"

    /// What people call it in a list of forms.
    var placeholder: String {
        switch self {
        case .shown: StorySlot.value.rawValue
        case .shift: StorySlot.span.rawValue
        case .count, .bytes, .drift, .seed: "NUMBER"
        default: rawValue.filter { $0 != "!" }
        }
    }

    /// As what it is read: which of the devices are relays is looked at once the line is read.
    var reading: StorySlot { self == .relay ? .device : self }

    /// What stands there, in words.
    var description: String {
        switch self {
        case .device: "the name of a device"
        case .newDevice: "a name for a device"
        case .newDevices: "names for devices"
        case .relay: "the name of a relay"
        case .newRelay: "a name for a relay"
        case .newRelays: "names for relays"
        case .traits: "what the device is like"
        case .groups: "groups of devices"
        case .who: "`everyone` or names of devices"
        case .claim: "what is expected"
        case .item: "the name of an item"
        case .newItem: "a name for an item"
        case .backup: "the name of a backup"
        case .newBackup: "a name for a backup"
        case .settings: "a field and its value"
        case .field: "the name of a field"
        case .value, .shown: "a value"
        case .values: "values"
        case .elements: "elements of a set"
        case .text: "a text in quotes"
        case .count, .bytes: "a number"
        case .span: "a time such as `5 ms`"
        case .shift: "a time such as `-3 hours`"
        case .drift: "a number"
        case .date: "a date such as `2026-12-01`"
        case .seed: "a number"
        }
    }

    /// Whether what stands there can begin with such a piece.
    func begins(with token: StoryToken) -> Bool {
        switch (self, token.kind) {
        case (_, .word("but")): false
        case (.value, _), (.values, _), (.shown, _), (.elements, _), (.claim, _): true
        case (.text, .text): true
        case (.count, .figure), (.bytes, .figure), (.span, .figure), (.shift, .figure): true
        case (.drift, .figure), (.date, .figure), (.seed, .figure): true
        case (.text, _), (.count, _), (.bytes, _), (.span, _), (.shift, _): false
        case (.drift, _), (.date, _), (.seed, _): false
        case (_, .word): true
        default: false
        }
    }
}
