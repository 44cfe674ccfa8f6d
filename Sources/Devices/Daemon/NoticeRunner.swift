import Glibc
import Storage
import Transport

/// Something that is told to the person at this device.
package struct Notice: Sendable {
    /// The first line.
    package let title: String
    /// The lines below it.
    package let text: String

    /// A notice.
    package init(title: String, text: String) {
        self.title = title
        self.text = text
    }
}

/// The notices of a store, whatever its records are: what is due, and what was told.
package protocol NoticeSource: AnyObject {
    /// One notice that is due.
    associatedtype Item

    /// Returns what is due now, and when to look again; milliseconds since 1970-01-01 UTC, nil if not before something
    /// changes.
    func due() throws(StoreFault) -> (due: [Item], next: Int64?)
    /// Takes notices for told before they are, all or none; returns those that this device has not told.
    func claim(_ items: [Item]) throws(StoreFault) -> [Item]
    /// Gives back what was claimed and nobody has seen: after a while it is due again, a bounded number of times.
    func release(_ items: [Item]) throws(StoreFault)
    /// Returns the words of a notice, or of several as one, clean of what would steer a screen.
    func notice(_ items: [Item]) -> Notice
    /// Lets other devices know that notices were told here.
    func noteTold(_ items: [Item]) throws(StoreFault)
}

/// Tells notices through a program, such as `notify-send`.
package struct Notifier: Sendable {
    /// How long the program may take; seconds.
    package static let secondsMax = 30
    /// The most that are told one by one; more that are due at once are told as one.
    package static let singleCountMax = 5
    /// The most characters of a title or a text: the kernel bounds the words of a program.
    package static let characterCountMax = 2_000
    /// The program of desktops, and its words.
    package static let standard = ["notify-send", "--app-name=Tandem"]

    /// The program and its words.
    package let command: [String]

    /// Tells through a program, whose last words are `--`, the title and the text of a notice.
    package init(command: [String] = Notifier.standard) { self.command = command }

    /// Whether there is such a program.
    package var isThere: Bool {
        guard let program = command.first, !program.isEmpty else { return false }
        if program.contains("/") { return access(program, X_OK) == 0 }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// The text as the program takes it: `notify-send` reads backslashes, and desktops the marks of HTML.
    private func written(_ text: String) -> String {
        // It may be named by its path.
        let name = command.first?.split(separator: "/").last.map { String($0) }
        guard name == Self.standard.first else { return text }
        return text.replacing("\\", with: "\\\\").replacing("&", with: "&amp;")
            .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private func bounded(_ text: String) -> String {
        let start = text.prefix(Self.characterCountMax)
        return start.endIndex == text.endIndex ? text : start + "…"
    }

    /// Returns what is due as it is told: one by one, or all as one.
    static func groups<Item>(_ due: [Item]) -> [[Item]] {
        due.count > singleCountMax ? [due] : due.map { [$0] }
    }

    /// Starts to tell a notice; nil if there is no such program.
    ///
    /// No shell sees the words, and behind `--` none is taken for an option.
    func start(_ notice: Notice) -> HelperProgram? {
        // A program's words end at a byte of zero.
        let words = [bounded(notice.title), written(bounded(notice.text))]
            .map { $0.replacing("\0", with: "") }
        return HelperProgram(
            command + ["--"] + words, secondsMax: Self.secondsMax, showsErrors: true)
    }

    /// Tells what is due, and waits until it is told.
    ///
    /// - Returns: what was told, and what was not.
    package func tellAll<Source: NoticeSource>(
        of source: Source
    ) throws(StoreFault) -> (told: [Source.Item], failed: [Source.Item]) {
        var told: [Source.Item] = []
        var failed: [Source.Item] = []
        for group in Self.groups(try source.due().due) {
            let items = try source.claim(group)
            if items.isEmpty { continue }
            let ending = start(source.notice(items))?.waitForEnd() ?? .noProgram
            if ending == .exited(0) {
                told += items
                try source.noteTold(items)
            } else {
                failed += items
                if ending.isUnseen { try source.release(items) }
            }
        }
        return (told, failed)
    }
}

extension HelperProgram.Ending {
    /// Whether the program says itself that it has told nothing; one that was ended may have.
    fileprivate var isUnseen: Bool {
        switch self {
        case .noProgram: true
        case .exited(let code): code != 0
        case .ended: false
        }
    }
}

/// Tells what is due in a store for as long as a daemon runs.
///
/// It sleeps until the next notice by the wall clock, and looks again after a change of the store or of the clock. What
/// the store cannot be read or written for now, it does later.
package final class NoticeRunner<Source: NoticeSource> {
    /// How often it is looked whether the program that tells has ended.
    private static var pollTime: Duration { .milliseconds(50) }
    /// A source that cannot be read or written is asked again after so long.
    package static var retryTime: Duration { .seconds(60) }

    private let source: Source
    private let notifier: Notifier
    private let failed: (String) -> Void
    private let loop: EventLoop
    private let retryTime: Duration
    private var timer: WallTimer?
    private var retry: TimerID?
    private var queue: [[Source.Item]] = []
    private var telling: (program: HelperProgram, items: [Source.Item])?
    /// The items that nobody has seen, until their claims are given back.
    private var unseen: [Source.Item] = []

    /// - Parameters:
    ///   - retryTime: a source that cannot be read or written is asked again after so long.
    ///   - failed: told of a notice that could not be told, by its title.
    package init(
        _ source: Source, notifier: Notifier, on loop: EventLoop,
        retryTime: Duration = NoticeRunner.retryTime, failed: @escaping (String) -> Void
    ) throws(TransportError) {
        self.source = source
        self.retryTime = retryTime
        self.notifier = notifier
        self.loop = loop
        self.failed = failed
        timer = try WallTimer(on: loop) { [unowned self] in look() }
    }

    /// Looks at what is due; again after each change of the store.
    package func look() {
        // A notice that is due while another one is told is found again behind that.
        guard telling == nil else { return }
        do throws(StoreFault) {
            if !unseen.isEmpty { try source.release(unseen) }
            unseen = []
            let (due, next) = try source.due()
            queue = Notifier.groups(due)
            timer?.set(next)
            try tellNext()
        } catch {
            // A busy store or a full disk passes. Nothing that cannot be claimed is told.
            queue = []
            look(after: retryTime)
        }
    }

    private func look(after time: Duration) {
        if let retry { loop.cancel(retry) }
        retry = loop.schedule(after: time) { [unowned self] in
            retry = nil
            look()
        }
    }

    /// Tells no more.
    package func end() {
        timer?.close()
        timer = nil
        if let retry { loop.cancel(retry) }
        retry = nil
        queue = []
        telling?.program.end()
        telling = nil
    }

    private func tellNext() throws(StoreFault) {
        while !queue.isEmpty {
            let items = try source.claim(queue.removeFirst())
            if items.isEmpty { continue }
            let notice = source.notice(items)
            if let program = notifier.start(notice) {
                telling = (program, items)
                return pollLater()
            }
            failed(notice.title)
            unseen += items
        }
        // When they are due again is not known before they are given back.
        if !unseen.isEmpty { look(after: Self.pollTime) }
    }

    private func pollLater() {
        loop.schedule(after: Self.pollTime) { [weak self] in
            guard let self, let telling else { return }
            guard let ending = telling.program.poll() else { return pollLater() }
            self.telling = nil
            if ending == .exited(0) {
                // Without it other devices may tell it as well.
                try? source.noteTold(telling.items)
            } else {
                failed(source.notice(telling.items).title)
                if ending.isUnseen { unseen += telling.items }
            }
            look()
        }
    }
}
