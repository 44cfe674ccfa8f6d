/// The messages of a chronicle, and the arrows that stand for them.
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

    /// Two lanes, in the direction of a message.
    private struct Way: Hashable {
        var from: Int
        var to: Int
    }

    /// Looks through a chronicle.
    init(_ chronicle: Chronicle) {
        collect(chronicle)
        join(chronicle)
    }

    private mutating func collect(_ chronicle: Chronicle) {
        for moment in chronicle.moments {
            switch moment.happening {
            case .sent(let number, let to, let kind, let byteCount):
                guard let from = moment.lane, chronicle.lanes.indices.contains(from) else {
                    continue
                }
                messages[number] = DiagramMessage(
                    number: number, from: from,
                    to: chronicle.lanes.indices.contains(to) ? to : from,
                    kind: kind, byteCount: byteCount, time: moment.time)
            case .received(let number): messages[number]?.endTime = moment.time
            case .lost(let number, let why):
                messages[number]?.endTime = moment.time
                messages[number]?.loss = why
            default: break
            }
        }
    }

    /// Makes one arrow of messages that belong together.
    private mutating func join(_ chronicle: Chronicle) {
        var open: [Way: Int] = [:]
        for moment in chronicle.moments {
            switch moment.happening {
            case .step: open = [:]
            case .sessionEnded, .opened, .closed, .crashed, .lostPower:
                for way in open.keys where way.from == moment.lane || way.to == moment.lane {
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
