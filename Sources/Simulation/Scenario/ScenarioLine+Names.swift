/// Names and lists of names.
extension ScenarioLine {
    /// The value in a slot.
    mutating func argument(
        for slot: ScenarioSlot, after arguments: ScenarioArguments
    ) throws(ParseError) -> ScenarioArgument {
        let named = arguments.lastField ?? ""
        switch slot {
        case .device, .relay: return .name(try device())
        case .newDevice: return .name(try newDevice())
        case .newDevices:
            return .names(try list { line throws(ParseError) in try line.newDevice() })
        case .newRelay: return .name(try newDevice(.newRelay))
        case .newRelays:
            return .names(try list { line throws(ParseError) in try line.newDevice(.newRelay) })
        case .database: return .name(try name(.database).name)
        case .traits: return .traits(try traits())
        case .groups: return .groups(try groups())
        case .who: return .names(try who())
        case .claim:
            guard case .claim(let claim) = try walk(ScenarioWords.claimTree).1 else {
                preconditionFailure("the table of claims has another form")
            }
            return .claim(claim)
        case .item: return .name(try item { $0.usedItems.append($1) })
        case .newItem: return .name(try item { $0.newItems.append($1) })
        case .backup: return .name(try backup())
        case .newBackup: return .name(try newBackup())
        case .client: return .name(try name(.client).name)
        case .settings: return .settings(try settings())
        case .field: return .name(try knownField())
        case .value: return .value(try value(of: named))
        case .values: return .values(try values(of: named))
        case .shown: return try shown(of: named)
        case .elements: return .elements(try elements())
        case .text: return .text(try quoted())
        case .count: return .number(try number(in: 0...ScenarioLimits.countMax))
        case .bytes: return .number(try number(in: 0...ScenarioLimits.byteCountMax))
        case .span: return .number(try span(in: 0...ScenarioLimits.spanMax))
        case .shift:
            return .number(try span(in: -ScenarioLimits.spanMax...ScenarioLimits.spanMax))
        case .drift:
            return .number(try number(in: -ScenarioLimits.driftMax...ScenarioLimits.driftMax))
        case .date: return .day(try day())
        case .seed: return .seed(try seed())
        }
    }

    // MARK: Single names

    /// A word that may be a name, of which `what` says whose.
    private mutating func name(_ what: ScenarioSlot) throws(ParseError) -> Mention {
        guard let token = current, let word = token.word else {
            throw unfit(hint: "here comes " + what.description)
        }
        if ScenarioWords.reserved.contains(word) {
            throw ParseError(
                token.range, "\(spelling(of: token.range)) cannot be a name",
                hint: "it is a word of the language; here comes " + what.description)
        }
        if word.unicodeScalars.count > ScenarioLimits.nameLengthMax {
            throw ParseError(
                token.range, "the name is too long",
                hint: "a name has at most \(ScenarioLimits.nameLengthMax) letters")
        }
        index += 1
        return Mention(name: word, range: token.range)
    }

    private mutating func device() throws(ParseError) -> String {
        let isFirst = index == 0
        let mention = try name(.device)
        let name = mention.name
        if scope.devices.contains(name) || scope.unread.contains(name) { return name }
        let incarnations = isFirst ? ScenarioWords.lineTree.nodes[0].words.map(\.word) : []
        let nearest = ScenarioScope.nearest(to: name, among: scope.devices.ordered + incarnations)
        let hint = nearest.map { "did you mean `\($0)`? Or " } ?? ""
        var error = ParseError(
            mention.range, "there is no device \(spelling(of: mention.range))",
            hint: hint + "declare it with `devices \(name)`")
        error.unknownDevice = name
        throw error
    }

    private mutating func newDevice(_ what: ScenarioSlot = .newDevice) throws(ParseError) -> String
    {
        let mention = try name(what)
        let name = mention.name
        if scope.devices.contains(name) || newDevices.contains(where: { $0.name == name }) {
            throw ParseError(
                mention.range, "there is a device \(spelling(of: mention.range)) already",
                hint: "give this one another name")
        }
        if scope.devices.ordered.count + newDevices.count == ScenarioLimits.deviceCountMax {
            throw ParseError(
                mention.range, "there are too many devices",
                hint: "a scenario has at most \(ScenarioLimits.deviceCountMax), copies included")
        }
        newDevices.append(mention)
        return name
    }

    private mutating func item(
        _ note: (inout ScenarioLine, Mention) -> Void
    ) throws(ParseError) -> String {
        let mention = try name(.item)
        note(&self, mention)
        return mention.name
    }

    private mutating func backup() throws(ParseError) -> String {
        let mention = try name(.backup)
        let name = mention.name
        if scope.backups.contains(name) || scope.unread.contains(name) { return name }
        let nearest = ScenarioScope.nearest(to: name, among: scope.backups.ordered)
        let hint = nearest.map { "did you mean `\($0)`? Or " } ?? ""
        throw ParseError(
            mention.range, "there is no backup \(spelling(of: mention.range))",
            hint: hint + "make it before with `… is backed up as \(name)`")
    }

    private mutating func newBackup() throws(ParseError) -> String {
        let mention = try name(.newBackup)
        if scope.backups.contains(mention.name) {
            throw ParseError(
                mention.range, "there is a backup \(spelling(of: mention.range)) already",
                hint: "give this one another name")
        }
        newBackups.append(mention)
        return mention.name
    }

    // MARK: Lists

    /// `a`, `a and b`, `a, b and c`.
    mutating func list<Element>(
        _ element: (inout ScenarioLine) throws(ParseError) -> Element
    ) throws(ParseError) -> [Element] {
        var list = [try element(&self)]
        while skips(symbol: ",") || skips("and") {
            if list.count == ScenarioLimits.listCountMax {
                throw ParseError(
                    position, "the list is too long",
                    hint: "a list has at most \(ScenarioLimits.listCountMax) members")
            }
            list.append(try element(&self))
        }
        return list
    }

    /// Devices that differ from each other and from those before.
    private mutating func devices(apartFrom before: [String] = []) throws(ParseError) -> [String] {
        var devices = before
        repeat {
            let position = position
            let device = try device()
            if devices.contains(device) {
                throw ParseError(
                    position, "\(spelling(of: position)) is named twice", hint: "leave it out once")
            }
            devices.append(device)
        } while skips(symbol: ",")
        return Array(devices.dropFirst(before.count))
    }

    /// `everyone`, or devices.
    private mutating func who() throws(ParseError) -> [String]? {
        if skips("everyone") { return nil }
        if let word = current?.word, ScenarioWords.claimTree.nodes[0].children[word] != nil,
            !scope.devices.contains(word)
        {
            throw unfit(hint: "before it comes of whom: `everyone` or names of devices")
        }
        var devices = try devices()
        while skips("and") { devices += try self.devices(apartFrom: devices) }
        return devices
    }

    /// `a, b and c`: commas within a group, `and` between groups.
    private mutating func groups() throws(ParseError) -> [[String]] {
        var groups = [try devices()]
        while skips("and") {
            groups.append(try devices(apartFrom: groups.flatMap { $0 }))
        }
        return groups
    }

    /// The traits of a device, joined by `and`.
    private mutating func traits() throws(ParseError) -> DeviceTraits {
        var traits = DeviceTraits("")
        repeat {
            guard let known = Self.traits.first(where: { comes($0.words) }) else {
                let words = Self.traits.map { "`\($0.words.joined(separator: " "))`" }
                throw unfit(hint: "a device " + Self.enumeration(words, "or"))
            }
            if traits[keyPath: known.path] {
                throw ParseError(position, "this is said twice", hint: "leave it out once")
            }
            traits[keyPath: known.path] = true
            index += known.words.count
        } while skips("and")
        return traits
    }

    /// Whether these words come next.
    private func comes(_ words: [String]) -> Bool {
        tokens[index...].prefix(words.count).map(\.word) == words
    }

    private static var traits: [(words: [String], path: WritableKeyPath<DeviceTraits, Bool>)] {
        [
            (["flushes", "every", "commit"], \.isDurable),
            (["runs", "a", "newer", "version"], \.isNewer),
            (["is", "of", "another", "space"], \.isForeign),
        ]
    }
}
