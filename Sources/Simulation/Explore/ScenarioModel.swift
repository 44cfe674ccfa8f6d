/// The maker's belief about its world, so that most of its events make sense.
///
/// It knows nothing of merging, cut links or refused edits: where it is wrong a step is refused,
/// and a lenient scenario goes on.
struct ScenarioModel {
    /// A device as the maker sees it.
    struct SimulatedDevice {
        let name: String
        var isRunning = true
        var isNewer = false
        var isForeign = false
        var isLimited = false
        var backups: [String] = []
        var editing: String?
        /// How it holds each item that it knows.
        var items: [String: ItemState] = [:]
    }

    var devices: [SimulatedDevice]
    /// Pairs with a session that may still be open.
    var links: [[Int]] = []
    var isNetworkTouched = false
    var blocks: [[Int]] = []
    var backupCount = 0
    var copyCount = 0
    var gadgetCount = 0
    var strangerCount = 0
    /// The values that fields of items were last given, anywhere: they may be in conflict.
    private var given: [String: [Literal]] = [:]

    /// The most devices, copies included.
    static let deviceCountMax = 7

    init(_ devices: [DeviceTraits]) {
        self.devices = devices.map {
            SimulatedDevice(name: $0.name, isNewer: $0.isNewer, isForeign: $0.isForeign)
        }
    }

    /// The devices whose programs run.
    var running: [Int] { devices.indices.filter { devices[$0].isRunning } }

    /// The items of a device in one of these states, sorted.
    func items(_ device: Int, _ states: ItemState...) -> [String] {
        devices[device].items.filter { states.contains($0.value) }.keys.sorted()
    }

    /// The values that a field of an item was last given, the newest last.
    func values(of field: String, of item: String) -> [Literal] { given["\(item) \(field)"] ?? [] }

    mutating func note(_ settings: [Setting], of item: String) {
        for case .value(let field, let literal) in settings {
            let key = "\(item) \(field)"
            given[key] = Array(((given[key] ?? []) + [literal]).suffix(3))
        }
    }

    /// The index of a device.
    func index(of name: String) -> Int? { devices.firstIndex { $0.name == name } }

    mutating func change(_ name: String, _ body: (inout SimulatedDevice) -> Void) {
        if let index = index(of: name) { body(&devices[index]) }
    }

    mutating func stop(_ name: String) {
        guard let index = index(of: name) else { return }
        devices[index].isRunning = false
        devices[index].editing = nil
        links.removeAll { $0.contains(index) }
    }

    mutating func meet(_ one: String, _ other: String, stays: Bool) {
        guard let first = index(of: one), let second = index(of: other) else { return }
        exchange(first, second)
        if stays { links.append([first, second]) }
    }

    mutating func part(_ one: String, _ other: String) {
        guard let first = index(of: one), let second = index(of: other) else { return }
        links.removeAll { $0 == [first, second] || $0 == [second, first] }
    }

    /// Both have what either has; who knows an item to be gone is believed.
    mutating func exchange(_ first: Int, _ second: Int) {
        guard devices[first].isForeign == devices[second].isForeign, first != second else {
            return
        }
        func rank(_ state: ItemState) -> Int {
            ItemState.allCases.firstIndex(of: state) ?? 0
        }
        let both = devices[first].items.merging(devices[second].items) {
            rank($0) < rank($1) ? $1 : $0
        }
        devices[first].items = both
        devices[second].items = both
    }
}
