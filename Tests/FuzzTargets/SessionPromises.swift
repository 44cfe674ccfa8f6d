import Core
import Session

/// Looks at every event and effect of one session, and checks what holds whatever the other side says.
struct SessionPromises {
    /// The most effects of one step, each batch that leaves counted.
    static let effectCountMax = 200
    /// The batches received, with the changes of each.
    private var batches: [[Change]] = []
    /// The changes of the integrations that the store has answered as stored.
    private var stored: Set<Change> = []
    private var asked: [[Change]] = []
    /// The integrations that were answered, and stored what was asked.
    private var storedCount: UInt64 = 0
    private(set) var isClosed = false
    /// Whether a batch that was skipped, as deletes are held, is acknowledged: a relay waits for that.
    private let acknowledgesSkipped: Bool
    private var isHeld = false

    init(acknowledgesSkipped: Bool = false) {
        self.acknowledgesSkipped = acknowledgesSkipped
    }

    /// Notes an event before the session hears it.
    mutating func hear(_ event: SessionEvent) {
        switch event {
        case .received(.changes(let batch)): batches.append(batch.changes)
        case .integrated(let answer, _):
            let changes = asked.isEmpty ? [] : asked.removeFirst()
            if answer.held != nil {
                isHeld = true
            } else {
                stored.formUnion(changes)
                storedCount += 1
            }
        default: break
        }
    }

    /// Checks the effects of one step.
    mutating func check(_ effects: [SessionEffect]) throws {
        try promise(effects.count <= Self.effectCountMax, "\(effects.count) effects of one event")
        for effect in effects {
            try promise(!isClosed, "an effect after the end: \(effect)")
            switch effect {
            case .integrate(let request):
                asked.append(request.changes)
                try promise(asked.count == 1, "two integrations at a time")
            case .close: isClosed = true
            case .send(.acknowledge(let count)): try checkAcknowledged(count)
            default: break
            }
        }
    }

    private func checkAcknowledged(_ count: UInt64) throws {
        if isHeld, acknowledgesSkipped { return }
        try promise(
            count > 0 && count <= storedCount,
            "\(count) batches acknowledged, \(storedCount) stored")
        try promise(count <= batches.count, "\(count) batches acknowledged, \(batches.count) came")
        for change in batches[Int(count) - 1] {
            try promise(
                stored.contains(change), "record \(change.name) is acknowledged, not stored")
        }
    }
}

/// What a store answers at once; the rest waits until the fuzzer has it answer.
enum Promptness: Int {
    case nothing
    case questionsBeforeChanges
    case everything

    func includes(_ answer: SessionEvent) -> Bool {
        switch (self, answer) {
        case (.everything, _), (.questionsBeforeChanges, .greeting),
            (.questionsBeforeChanges, .examined), (.questionsBeforeChanges, .history):
            true
        default: false
        }
    }
}

/// A session under test in a conversation that is made up.
protocol SessionTalk {
    /// The checks of what the session does.
    var promises: SessionPromises { get set }
    /// The answers of the store that wait until the fuzzer gives them.
    var answers: [SessionEvent] { get set }
    /// When the store answers at once.
    var promptness: Promptness { get }

    /// Steps the session.
    mutating func effects(of event: SessionEvent) -> [SessionEffect]

    /// Runs an effect of the session, and gives the store's answer, if it has one.
    mutating func run(_ effect: SessionEffect) -> SessionEvent?
}

extension SessionTalk {
    /// Feeds the session one event, and runs its effects.
    mutating func tell(_ event: SessionEvent) throws {
        var events = [event]
        for _ in 0..<1_000 where !events.isEmpty {
            let next = events.removeFirst()
            promises.hear(next)
            let effects = effects(of: next)
            try promises.check(effects)
            for effect in effects {
                guard let answer = run(effect) else { continue }
                if promptness.includes(answer) {
                    events.append(answer)
                } else {
                    answers.append(answer)
                }
            }
        }
        try promise(events.isEmpty, "a session that asks for ever")
        try promise(answers.count <= 8, "\(answers.count) questions at a time")
    }

    /// Gives the session the store's next answer, changed.
    mutating func answer(_ change: (SessionEvent) -> SessionEvent) throws {
        if !answers.isEmpty { try tell(change(answers.removeFirst())) }
    }
}
