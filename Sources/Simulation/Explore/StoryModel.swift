/// What a maker of stories believes of its world, so that most of what it makes up makes sense.
///
/// It knows nothing of merging, cut links or refused edits: where it is wrong a step is refused,
/// and a lenient story goes on.
struct StoryModel {
    /// A device as the maker sees it.
    struct Device {
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

    private(set) var devices: [Device]
    /// Pairs with a session that may still be open.
    private(set) var links: [[Int]] = []
    private(set) var isNetworkTouched = false
    private(set) var blocks: [[Int]] = []
    private(set) var backupCount = 0
    private(set) var copyCount = 0
    private(set) var gadgetCount = 0
    private(set) var strangerCount = 0
    /// What fields of items were last given, anywhere: these values may be in conflict.
    private var given: [String: [Literal]] = [:]

    /// The most devices, copies included.
    static let deviceCountMax = 7

    init(_ devices: [DeviceTraits]) {
        self.devices = devices.map {
            Device(name: $0.name, isNewer: $0.isNewer, isForeign: $0.isForeign)
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

    private mutating func note(_ settings: [Setting], of item: String) {
        for case .value(let field, let literal) in settings {
            let key = "\(item) \(field)"
            given[key] = Array(((given[key] ?? []) + [literal]).suffix(3))
        }
    }

    private func place(_ name: String) -> Int? { devices.firstIndex { $0.name == name } }

    /// Believes that something happened.
    mutating func take(_ action: Action) {
        if takeEdit(action) { return }
        switch action {
        case .sync(let one, let other): meet(one, other, stays: false)
        case .startSync(let one, let other), .connect(let one, let other):
            meet(one, other, stays: true)
        case .disconnect(let one, let other), .cut(let one, let other): part(one, other)
        case .syncAll:
            for first in running {
                for second in running where first != second { exchange(first, second) }
            }
        case .delay, .partition: isNetworkTouched = true
        case .block(let from, let to):
            isNetworkTouched = true
            if let from = place(from), let to = place(to) { blocks.append([from, to]) }
        case .unblock(let from, let to):
            if let from = place(from), let to = place(to) { blocks.removeAll { $0 == [from, to] } }
        case .wholeNetwork:
            isNetworkTouched = false
            blocks = []
        default: takeMachine(action)
        }
    }

    private mutating func takeMachine(_ action: Action) {
        switch action {
        case .close(let name), .crash(let name), .losePower(let name), .flipBit(let name):
            stop(name)
        case .open(let name): change(name) { $0.isRunning = true }
        case .copy(let name, let twin):
            copyCount += 1
            guard let place = place(name) else { return }
            var device = Device(name: twin)
            device.isNewer = devices[place].isNewer
            device.isForeign = devices[place].isForeign
            device.items = devices[place].items
            devices.append(device)
        case .backUp(let name, let backup):
            backupCount += 1
            change(name) { $0.backups.append(backup) }
        case .restoreBackup(let name, _, _):
            stop(name)
            change(name) { $0.isRunning = true }
        case .limitDisk(let name, let bytes): change(name) { $0.isLimited = bytes != nil }
        case .upgrade(let name): change(name) { $0.isNewer = true }
        case .attack(.emptiness, _): strangerCount += 1
        default: return
        }
    }

    private mutating func takeEdit(_ action: Action) -> Bool {
        switch action {
        case .create(let name, let item, let settings):
            note(settings, of: item)
            change(name) { $0.items[item] = .alive }
        case .restore(let name, let item): change(name) { $0.items[item] = .alive }
        case .createNewer(let name, let item):
            gadgetCount += 1
            change(name) { $0.items[item] = .alive }
        case .delete(let name, let item): change(name) { $0.items[item] = .deleted }
        case .purge(let name, let item, _): change(name) { $0.items[item] = .purged }
        case .openEditor(let name, let item): change(name) { $0.editing = item }
        case .saveEditor(let name, _, _): change(name) { $0.editing = nil }
        case .edit(_, let item, let settings): note(settings, of: item)
        case .complete, .reopen, .resolve: return true
        default: return false
        }
        return true
    }

    private mutating func change(_ name: String, _ body: (inout Device) -> Void) {
        if let place = place(name) { body(&devices[place]) }
    }

    private mutating func stop(_ name: String) {
        guard let place = place(name) else { return }
        devices[place].isRunning = false
        devices[place].editing = nil
        links.removeAll { $0.contains(place) }
    }

    private mutating func meet(_ one: String, _ other: String, stays: Bool) {
        guard let first = place(one), let second = place(other) else { return }
        exchange(first, second)
        if stays { links.append([first, second]) }
    }

    private mutating func part(_ one: String, _ other: String) {
        guard let first = place(one), let second = place(other) else { return }
        links.removeAll { $0 == [first, second] || $0 == [second, first] }
    }

    /// Both have what either has; who knows an item to be gone is believed.
    private mutating func exchange(_ first: Int, _ second: Int) {
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
