/// A text on its way to a story.
struct StoryReading {
    /// An item that is referred to, by a line that is kept for a fault.
    private struct Reference {
        let mention: StoryLine.Mention
        let line: Int
        let scalars: [Unicode.Scalar]
    }

    private(set) var story = Story()
    private(set) var faults: [StoryFault] = []
    private(set) var isCutShort = false
    private let scope = StoryScope()
    private var references: [Reference] = []
    /// The lines of the headings that can be given once.
    private var headingLines: [String: Int] = [:]
    private var firstActionLine: Int?

    /// Reads the whole text, or as much of it as there is room for faults.
    mutating func read(_ text: String) {
        guard text.utf8.count <= StoryLimits.textByteCountMax else {
            note(
                StorySlip(
                    0..<0, "the text is too long",
                    hint: "a story has at most \(StoryLimits.textByteCountMax) bytes"), 1, [])
            return
        }
        var line: [Unicode.Scalar] = []
        var length = 0
        var number = 1
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            if scalar == "\n" {
                read(line, length, number)
                if isCutShort { return }
                line.removeAll(keepingCapacity: true)
                length = 0
                number += 1
            } else if offset > 0 || scalar != "\u{FEFF}" {
                // A mark of the byte order may stand at the very beginning.
                length += 1
                if length <= StoryLimits.lineLengthMax { line.append(scalar) }
            }
        }
        read(line, length, number)
        checkReferences()
    }

    private mutating func read(_ scalars: [Unicode.Scalar], _ length: Int, _ number: Int) {
        if length == 0 { return }
        do throws(StorySlip) {
            if length > StoryLimits.lineLengthMax {
                throw StorySlip(
                    scalars.count..<scalars.count, "the line is too long",
                    hint: "a line has at most \(StoryLimits.lineLengthMax) characters")
            }
            var line = try StoryLine(scalars, scope)
            guard let first = line.tokens.first else { return }
            let (meaning, step) = try line.step()
            if var step {
                try check(line, step)
                let column = first.range.lowerBound + 1
                step.position = Position(line: number, column: column)
                try add(step, line, number, scalars)
            } else {
                try add(meaning, first, number)
                line.newDevices.forEach { scope.devices.insert($0.name) }
                if case .devices(let devices) = meaning {
                    scope.relays.formUnion(devices.filter(\.isRelay).map(\.name))
                }
            }
        } catch {
            scope.doubt(scalars)
            note(error, number, scalars)
        }
    }

    private mutating func note(_ slip: StorySlip, _ line: Int, _ scalars: [Unicode.Scalar]) {
        if faults.count == StoryLimits.faultCountMax {
            isCutShort = true
        } else {
            faults.append(StoryFault(line: line, of: scalars, slip))
        }
    }

    // MARK: Headings

    private mutating func add(
        _ heading: StoryMeaning, _ first: StoryToken, _ number: Int
    ) throws(StorySlip) {
        let word = first.word ?? ""
        if let firstActionLine {
            throw StorySlip(
                first.range, "`\(word)` comes too late",
                hint: "headings stand before the first action, which is in line \(firstActionLine)")
        }
        if case .devices(let devices) = heading {
            story.devices += devices
            return
        }
        if let line = headingLines.updateValue(number, forKey: word) {
            throw StorySlip(
                first.range, "`\(word)` is given twice", hint: "the first one is in line \(line)")
        }
        switch heading {
        case .title(let title): story.title = title
        case .policy(let policy): story.policy = policy
        case .seed(let seed): story.seed = seed
        case .lenient:
            story.isLenient = true
            scope.isLenient = true
        case .meetingOnlyAtRelays: story.meetsOnlyAtRelays = true
        case .devices, .action, .claim: break
        }
    }

    // MARK: Steps

    private mutating func add(
        _ step: Step, _ line: StoryLine, _ number: Int, _ scalars: [Unicode.Scalar]
    ) throws(StorySlip) {
        if story.steps.count == StoryLimits.stepCountMax {
            isCutShort = true
            throw StorySlip(
                line.tokens[0].range, "the story is too long",
                hint: "a story has at most \(StoryLimits.stepCountMax) steps")
        }
        if firstActionLine == nil { firstActionLine = number }
        story.steps.append(step)
        line.newDevices.forEach { scope.devices.insert($0.name) }
        line.newItems.forEach { scope.items.insert($0.name) }
        line.newBackups.forEach { scope.backups.insert($0.name) }
        line.setFields.forEach { scope.fields.insert($0.name) }
        for mention in line.references where !scope.items.contains(mention.name) {
            references.append(Reference(mention: mention, line: number, scalars: scalars))
        }
    }

    /// Whether what the line speaks of is known.
    private func check(_ line: StoryLine, _ step: Step) throws(StorySlip) {
        if case .delay(_, _, let least, let most) = step.action, least > most {
            throw StorySlip(
                line.tokens[0].range, "the shortest delay is longer than the longest",
                hint: "write the shorter time first")
        }
        try checkRelays(line, step)
        if scope.isLenient || step.refusal != nil { return }
        var foreseeing = "foresee `but is refused: missing`"
        if case .expect(let expectation) = step.action {
            if case .holds(_, .missing) = expectation.claim { return }
            foreseeing = "expect it to be `missing`"
        }
        for mention in line.usedItems {
            try checkItem(mention, "no earlier line", or: foreseeing)
        }
        for mention in line.expectedFields
        where !scope.fields.contains(mention.name) && !scope.doubtful.contains(mention.name) {
            let nearest = StoryScope.nearest(to: mention.name, among: scope.fields.ordered)
            throw StorySlip(
                mention.range, "no line sets a field `\(mention.name)`",
                hint: (nearest.map { "did you mean `\($0)`? " } ?? "")
                    + "built-in fields are " + StoryLine.enumeration(StoryField.builtIn, "and"))
        }
    }

    /// Whether the line has a relay do or suffer only what relays do.
    private func checkRelays(_ line: StoryLine, _ step: Step) throws(StorySlip) {
        func range(_ name: String) -> Range<Int> {
            (line.tokens.first { $0.isWord(name) } ?? line.tokens[0]).range
        }
        if let name = step.action.relay, !scope.relays.contains(name),
            !scope.doubtful.contains(name)
        {
            throw StorySlip(
                range(name), "`\(name)` is no relay",
                hint: "declare a relay with `relay NAME`, in place of `device NAME`")
        }
        if scope.relays.isEmpty { return }
        guard let (name, hint) = step.action.unfitRelay(among: scope.relays) else { return }
        throw StorySlip(range(name), "`\(name)` is a relay", hint: hint)
    }

    private func checkItem(
        _ mention: StoryLine.Mention, _ nobody: String, or otherwise: String
    ) throws(StorySlip) {
        let name = mention.name
        if scope.items.contains(name) || scope.doubtful.contains(name) { return }
        let nearest = StoryScope.nearest(to: name, among: scope.items.ordered)
        let hint = nearest.map { "did you mean `\($0)`? Or " } ?? ""
        throw StorySlip(
            mention.range, "\(nobody) creates `\(name)`",
            hint: hint + "create it with `… creates \(name)`, or \(otherwise)")
    }

    /// Items that values refer to may be created later, but some line must do it.
    private mutating func checkReferences() {
        if scope.isLenient { return }
        for reference in references {
            do throws(StorySlip) {
                try checkItem(reference.mention, "no line", or: "write `lenient`")
            } catch {
                note(error, reference.line, reference.scalars)
                if isCutShort { return }
            }
        }
    }
}
