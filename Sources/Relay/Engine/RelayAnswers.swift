import Core

/// The calls of the store, which are answered at once or later.
extension RelayEngine {
    /// Calls the store.
    ///
    /// - Parameter later: takes an answer that comes after the call has returned, inside of `takeAnswers`.
    /// - Returns: an answer that comes inside of the call.
    func ask<Answer>(
        _ call: (@escaping (Answer) -> Void) -> Void,
        later: @escaping (RelayEngine, Answer) -> Void
    ) -> Answer? {
        let awaited = Awaited<Answer>()
        let start = stages.now()
        defer { excuseAll(since: start) }
        call { [weak self] answer in
            precondition(!awaited.isAnswered, "a store answers each call once")
            awaited.isAnswered = true
            if awaited.isLate {
                self?.add { later($0, answer) }
            } else {
                awaited.answer = answer
            }
        }
        awaited.isLate = true
        return awaited.answer
    }

    /// A shorter call of the store moves no deadline; milliseconds.
    private static let longCallMilliseconds: Int64 = 100

    /// While a call of the store lasts the relay reads no device: after a long one no deadline has come nearer.
    private func excuseAll(since start: Int64) {
        let length = (stages.now() - start) / 1000
        if length < Self.longCallMilliseconds { return }
        for id in conversations.keys { conversations[id]?.session.excuse(milliseconds: length) }
    }

    private final class Awaited<Answer> {
        var answer: Answer?
        var isAnswered = false
        /// Whether the call has returned.
        var isLate = false
    }

    private func add(_ answer: @escaping (RelayEngine) -> Void) {
        answers.append(answer)
        if answers.count == 1 { onAnswer?() }
    }

    /// Whether something waits for `takeAnswers`.
    package var hasAnswers: Bool { !answers.isEmpty }

    /// Takes the answers of the store that have come since the last call, in their order.
    package func takeAnswers(now: Instant) -> [Output] {
        hearAnswers(now: now)
        return finish(now)
    }

    func hearAnswers(now: Instant) {
        self.now = now
        let taken = answers
        answers = []
        for answer in taken {
            answer(self)
            drainQueue(now: now)
        }
    }
}
