extension Story {
    /// Leaves out what speaks of devices and backups that the story does not have by then.
    mutating func dropDangling() {
        var known = Set(devices.map(\.name))
        var backups: Set<String> = []
        statements = statements.compactMap { statement in
            var statement = statement
            switch statement.action {
            case .copy(let device, let twin):
                guard known.contains(device), known.insert(twin).inserted else { return nil }
                return statement
            case .partition(let groups):
                let left = groups.map { $0.filter(known.contains) }.filter { !$0.isEmpty }
                guard left.count > 1 else { return nil }
                statement.action = .partition(left)
                return statement
            case .backUp(_, let name): backups.insert(name)
            case .restoreBackup(_, let name, _): if !backups.contains(name) { return nil }
            default: break
            }
            return statement.action.devices.allSatisfy(known.contains) ? statement : nil
        }
    }
}
