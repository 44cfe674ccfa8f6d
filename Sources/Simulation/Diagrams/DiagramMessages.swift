/// The messages of a trace, and the arrows that stand for them.
struct DiagramMessages {
    /// Up to so many messages each has an arrow of its own.
    static let singleCountMax = 8
    /// Up to so many messages only those are one arrow that leave before the other side answers.
    static let runCountMax = 60

    private(set) var arrows: [DiagramArrow] = []
    /// The messages, by their numbers.
    private(set) var messages: [Int: DiagramMessage] = [:]
    /// Which arrow a message belongs to.
    private(set) var arrow: [Int: Int] = [:]

    /// Two columns, in the direction of a message.
    private struct Way: Hashable {
        var from: Int
        var to: Int
    }

    /// Looks through a trace.
    init(_ trace: Trace) {
        collect(trace)
        join(trace)
    }

    private mutating func collect(_ trace: Trace) {
        for entry in trace.entries {
            switch entry.event {
            case .sent(let number, let to, let kind, let byteCount):
                guard let from = entry.deviceIndex, trace.devices.indices.contains(from) else {
                    continue
                }
                messages[number] = DiagramMessage(
                    number: number, from: from,
                    to: trace.devices.indices.contains(to) ? to : from,
                    kind: kind, byteCount: byteCount, time: entry.time)
            case .received(let number): messages[number]?.endTime = entry.time
            case .lost(let number, let why):
                messages[number]?.endTime = entry.time
                messages[number]?.loss = why
            default: break
            }
        }
    }

    /// Makes one arrow of messages that belong together.
    private mutating func join(_ trace: Trace) {
        var open: [Way: Int] = [:]
        for entry in trace.entries {
            switch entry.event {
            case .step: open = [:]
            case .sessionEnded, .opened, .closed, .crashed, .lostPower:
                for way in open.keys
                where way.from == entry.deviceIndex || way.to == entry.deviceIndex {
                    open[way] = nil
                }
            case .sent(let number, _, _, _):
                guard let message = messages[number] else { continue }
                let way = Way(from: message.from, to: message.to)
                if messages.count <= Self.runCountMax {
                    open[Way(from: way.to, to: way.from)] = nil
                }
                let isSingle =
                    message.loss != nil || message.endTime == nil
                    || messages.count <= Self.singleCountMax
                if let joined = open[way], !isSingle {
                    arrow[number] = joined
                    arrows[joined].messages.append(message)
                    continue
                }
                arrow[number] = arrows.count
                if !isSingle { open[way] = arrows.count }
                arrows.append(DiagramArrow(messages: [message]))
            default: break
            }
        }
    }
}

/// A message of a trace: who sent it, and what became of it.
struct DiagramMessage {
    var number: Int
    var from: Int
    var to: Int
    var kind: String
    var byteCount: Int
    /// When it left.
    var time: Int64
    /// When it arrived, or was lost.
    var endTime: Int64?
    /// Why it was lost.
    var loss: String?
}

/// Messages that are drawn as one arrow.
struct DiagramArrow {
    var messages: [DiagramMessage]
    /// The row of the first that left.
    var start: Int?
    /// The row of the first that arrived, or of the loss.
    var end: Int?

    var from: Int { messages[0].from }
    var to: Int { messages[0].to }
    var isLost: Bool { messages[0].loss != nil }
    /// Whether nobody in the picture is meant.
    var isToStranger: Bool { from == to }

    /// The label along it: as much as fits.
    func label(fitting widthMax: Int) -> String {
        let count = Counted.words(messages.count, "message")
        let lost = isLost ? "lost: " : ""
        let shorter = [label, "\(lost)\(count), \(size)", lost + size, size]
        return shorter.first { DiagramText.width(of: $0) <= widthMax } ?? size
    }

    private var size: String {
        Counted.words(messages.reduce(0) { $0 + $1.byteCount }, "byte")
    }

    /// The label along it.
    var label: String {
        var words = "\(messages[0].kind), \(size)"
        if messages.count > 1 {
            let changes = messages.contains { $0.kind == "changes" } ? " with changes" : ""
            words = "\(messages.count) messages\(changes), \(size)"
        }
        if isToStranger { return "to a stranger: " + words }
        if isLost { return "lost: " + words }
        return end == nil ? words + ", still on the way" : words
    }
}
