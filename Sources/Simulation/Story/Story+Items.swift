extension Story {
    /// Every item that is named, in order of first mention.
    package var items: [String] {
        var found: [String] = []
        var seen: Set<String> = []
        for step in steps {
            for item in step.action.items where seen.insert(item).inserted {
                found.append(item)
            }
        }
        return found
    }
}

extension Action {
    /// The items that are named.
    package var items: [String] {
        switch self {
        case .create(_, let item, let settings), .edit(_, let item, let settings),
            .saveEditor(_, let item, let settings):
            [item]
                + settings.compactMap { setting in
                    if case .value(_, .item(let other)) = setting { other } else { nil }
                }
        case .complete(_, let item), .reopen(_, let item), .delete(_, let item),
            .restore(_, let item), .purge(_, let item, _), .resolve(_, let item, _, _),
            .openEditor(_, let item), .createNewer(_, let item), .receiveUnreadable(_, let item),
            .attack(.nonsense(let item), _):
            [item]
        case .expect(let expectation): expectation.claim.items
        default: []
        }
    }
}

extension Claim {
    /// The items that are named.
    package var items: [String] {
        switch self {
        case .shows(let item, _, _), .showsSet(let item, _, _), .holds(let item, _),
            .conflict(let item, _, _), .noConflict(let item), .versionCount(let item, _):
            [item]
        default: []
        }
    }
}
