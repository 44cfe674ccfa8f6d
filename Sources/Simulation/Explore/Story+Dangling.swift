extension Story {
    /// Leaves out what speaks of devices and backups that the story does not have by then.
    mutating func dropDangling() {
        var known = Set(devices.map(\.name))
        var backups: Set<String> = []
        if !devices.contains(where: \.isRelay) { meetsOnlyAtRelays = false }
        steps = steps.compactMap { step in
            var step = step
            switch step.action {
            case .copy(let device, let twin):
                guard known.contains(device), known.insert(twin).inserted else { return nil }
                return step
            case .partition(let groups):
                let left = groups.map { $0.filter(known.contains) }.filter { !$0.isEmpty }
                guard left.count > 1 else { return nil }
                step.action = .partition(left)
                return step
            case .backUp(_, let name): backups.insert(name)
            case .restoreBackup(_, let name, _): if !backups.contains(name) { return nil }
            default: break
            }
            return step.action.devices.allSatisfy(known.contains) ? step : nil
        }
    }
}
