import HTTP
import JSON
import ToDo

/// The changes of to-dos, told to every page that is open: server-sent events with numbers without gaps.
///
/// An event says how many to-dos changed and which; a page asks for what it shows. A page that was away for longer than
/// is remembered is told to look at all anew.
package final class PageEvents {
    /// The most pages that listen at once; the one that came first is cut off.
    package static let listenerCountMax = 32
    /// The events that are remembered for pages that come back.
    package static let rememberedCountMax = 1_000
    /// The most to-dos that an event names; of more, a page looks at all.
    package static let idCountMax = 100

    private var listeners: [HTTPStream] = []
    private var remembered: [(number: Int, text: String)] = []
    private var number = 0
    /// Tells this run of the program from others, whose numbers mean other events.
    private let run: String

    init(run: String = String(UInt32.random(in: 0 ... .max), radix: 16)) {
        self.run = run
    }

    /// The id of the event that came last: a page that was made now has seen all up to it.
    package var lastID: String { id(number) }

    /// How many pages listen.
    package var listenerCount: Int { listeners.count }

    /// A response that stays open.
    func response(_ context: PageContext) -> HTTPResponse {
        let stream = HTTPStream()
        let last = context.request.header("last-event-id") ?? context.request.query("last")
        var text = "retry: 1000\n\n"
        if let last, let missed = missed(after: last) {
            text += missed
        } else if last != nil {
            text += event("all", number: number, "{}")
        } else {
            // The page knows from here on which event is the next.
            text += event("begin", number: number, "{}")
        }
        stream.send(Array(text.utf8))
        listeners.append(stream)
        stream.ended = { [weak self, weak stream] in
            self?.listeners.removeAll { $0 === stream }
        }
        if listeners.count > Self.listenerCountMax { listeners[0].close() }
        return HTTPResponse(
            200, headers: [HTTPHeader("content-type", "text/event-stream; charset=utf-8")],
            body: .stream(stream))
    }

    /// The events behind one; nil if they are not known, or another run sent it.
    private func missed(after last: String) -> String? {
        let parts = last.split(separator: "-")
        guard parts.count == 2, parts[0] == run, let seen = Int(parts[1]), seen <= number,
            number - seen <= remembered.count
        else { return nil }
        return remembered.filter { $0.number > seen }.map(\.text).joined()
    }

    private func id(_ number: Int) -> String { "\(run)-\(number)" }

    private func event(_ kind: String, number: Int, _ data: String) -> String {
        "id: \(id(number))\nevent: \(kind)\ndata: \(data)\n\n"
    }

    /// Tells every page of changed to-dos.
    package func tell(_ ids: [RecordID]) {
        number += 1
        let named = ids.count > Self.idCountMax ? [] : ids.map(\.uuidText)
        let data = JSONValue.named([("count", .number(ids.count)), ("ids", .texts(named))])
        let text = event("changes", number: number, data.compactText)
        remembered.append((number, text))
        remembered = remembered.suffix(Self.rememberedCountMax)
        send(text)
    }

    /// Sends a comment, by which both ends see that the other is there.
    package func ping() { send(": \n\n") }

    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        for stream in listeners { stream.send(bytes) }
    }

    /// Ends all.
    package func close() {
        for stream in listeners { stream.close() }
    }
}
