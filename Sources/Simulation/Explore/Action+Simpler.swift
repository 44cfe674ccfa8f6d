/// Simpler things to happen in the place of one, the simplest first; each has simpler ones in turn,
/// and the chain ends.
extension Action {
    var simpler: [Action] {
        switch self {
        case .create(let device, let item, let settings):
            Self.simpler(settings).map { .create(device: device, item: item, $0) }
        case .edit(let device, let item, let settings):
            Self.simpler(settings).map { .edit(device: device, item: item, $0) }
        case .complete(let device, let item), .reopen(let device, let item):
            [.edit(device: device, item: item, [Self.plain])]
        case .saveEditor(let device, let item, let settings):
            [.edit(device: device, item: item, settings)]
                + Self.simpler(settings).map { .saveEditor(device: device, item: item, $0) }
        case .resolve(let device, let item, let field, let literal):
            [.edit(device: device, item: item, [.value(field: field, literal)])]
        case .purge(let device, let item, true):
            [.purge(device: device, item: item, isForced: false)]
        default: simplerMeeting + simplerMishap
        }
    }

    private var simplerMeeting: [Action] {
        switch self {
        case .syncAll: [.settle]
        case .startSync(let one, let other):
            [.sync(one, other), .visit(device: one, relay: other)]
        case .connect(let one, let other):
            [.sync(one, other), .visit(device: one, relay: other), .startSync(one, other)]
        case .runDays(let name, let count):
            [.wait(milliseconds: Int64(count) * 86_400_000)]
                + Self.smaller(Int64(count), least: 1).map { .runDays(device: name, Int($0)) }
        case .wait(let span): Self.smaller(span, least: 1).map { .wait(milliseconds: $0) }
        case .cutAfter(let one, let other, let bytes):
            Self.smaller(Int64(bytes), least: 0).map { .cutAfter(one, other, bytes: Int($0)) }
        case .delay(let from, let to, let least, let most):
            (least < most ? [.delay(from: from, to: to, least: most, most: most)] : [])
                + Self.smaller(most, least: 0).map {
                    .delay(from: from, to: to, least: min(least, $0), most: $0)
                }
        case .partition(let groups) where groups.count > 2:
            [.partition([groups[0], groups.dropFirst().flatMap { $0 }])]
        default: []
        }
    }

    private var simplerMishap: [Action] {
        switch self {
        case .losePower(let name): [.crash(name)]
        case .crash(let name): [.close(name)]
        case .crashAfter(let name, let writes):
            [.crash(name)]
                + Self.smaller(Int64(writes), least: 1).map {
                    .crashAfter(name, writes: Int($0))
                }
        case .losePowerAfter(let name, let writes):
            [.losePower(name), .crashAfter(name, writes: writes)]
                + Self.smaller(Int64(writes), least: 1).map {
                    .losePowerAfter(name, writes: Int($0))
                }
        case .restoreBackup(let name, let backup, let manner)
        where manner != .replaced && manner != .unnoticed:
            [.restoreBackup(name, name: backup, .replaced)]
        case .limitDisk(let name, let bytes?) where bytes > 0: [.limitDisk(name, bytes: 0)]
        case .attack(let attack, let name) where attack != .garbage:
            [.attack(.garbage, on: name)]
        default: []
        }
    }

    // MARK: Numbers and values

    private static func smaller(_ number: Int64, least: Int64) -> [Int64] {
        var found: [Int64] = []
        for candidate in [least, number / 8, number / 2, number - 1]
        where candidate >= least && candidate < number && !found.contains(candidate) {
            found.append(candidate)
        }
        return found
    }

    private static let plain = Setting.value(field: "title", .text("a"))

    private static func simpler(_ settings: [Setting]) -> [[Setting]] {
        if settings.count > 1 {
            return settings.indices.map { place in
                var fewer = settings
                fewer.remove(at: place)
                return fewer
            }
        }
        guard let only = settings.first, only != plain else { return [] }
        guard case .value(let field, let literal) = only else { return [[plain]] }
        var found = [[plain]]
        if field == "title", case .text(let text) = literal, text.utf8.count <= 2 { found = [] }
        if case .text(let text) = literal, text.utf8.count > 4 {
            found.append([.value(field: field, .text(String(text.prefix(2))))])
        }
        return found
    }

    // MARK: Items

    /// The same, told of another item.
    func renamingItem(_ old: String, to new: String) -> Action {
        func named(_ item: String) -> String { item == old ? new : item }
        func renamed(_ settings: [Setting]) -> [Setting] {
            settings.map { setting in
                guard case .value(let field, .item(let item)) = setting else { return setting }
                return .value(field: field, .item(named(item)))
            }
        }
        switch self {
        case .create(let device, let item, let settings):
            return .create(device: device, item: named(item), renamed(settings))
        case .edit(let device, let item, let settings):
            return .edit(device: device, item: named(item), renamed(settings))
        case .saveEditor(let device, let item, let settings):
            return .saveEditor(device: device, item: named(item), renamed(settings))
        case .complete(let device, let item): return .complete(device: device, item: named(item))
        case .reopen(let device, let item): return .reopen(device: device, item: named(item))
        case .delete(let device, let item): return .delete(device: device, item: named(item))
        case .restore(let device, let item): return .restore(device: device, item: named(item))
        case .purge(let device, let item, let isForced):
            return .purge(device: device, item: named(item), isForced: isForced)
        case .resolve(let device, let item, let field, let literal):
            return .resolve(device: device, item: named(item), field: field, to: literal)
        case .openEditor(let device, let item):
            return .openEditor(device: device, item: named(item))
        case .receiveUnreadable(let device, let item):
            return .receiveUnreadable(device: device, item: named(item))
        case .attack(.nonsense(let item), let victim):
            return .attack(.nonsense(item: named(item)), on: victim)
        default: return self
        }
    }
}
