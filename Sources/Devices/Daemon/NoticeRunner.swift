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
    /// Takes a notice for told before it is; false if this device has told it.
    func claim(_ item: Item) throws(StoreFault) -> Bool
    /// Returns the words of a notice, clean of what would steer a screen.
    func notice(_ item: Item) -> Notice
    /// Lets other devices know that a notice was told here.
    func noteTold(_ item: Item) throws(StoreFault)
}

/// Tells notices through a program, such as `notify-send`.
package struct Notifier: Sendable {
    /// How long the program may take; seconds.
    package static let secondsMax = 30
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
        guard command.first == Self.standard.first else { return text }
        return text.replacing("\\", with: "\\\\").replacing("&", with: "&amp;")
            .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// Starts to tell a notice; nil if there is no such program.
    ///
    /// No shell sees the words, and behind `--` none is taken for an option.
    func start(_ notice: Notice) -> HelperProgram? {
        // A program's words end at a byte of zero.
        let words = [notice.title, written(notice.text)].map { $0.replacing("\0", with: "") }
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
        for item in try source.due().due where try source.claim(item) {
            guard start(source.notice(item))?.waitForEnd() == .exited(0) else {
                failed.append(item)
                continue
            }
            told.append(item)
            try source.noteTold(item)
        }
        return (told, failed)
    }
}

/// Tells what is due in a store for as long as a daemon runs.
///
/// It sleeps until the next notice by the wall clock, and looks again after a change of the store or of the clock.
package final class NoticeRunner<Source: NoticeSource> {
    /// How often it is looked whether the program that tells has ended.
    private static var pollTime: Duration { .milliseconds(50) }
    /// A source that cannot be read is read again after so long.
    private static var retryTime: Duration { .seconds(60) }

    private let source: Source
    private let notifier: Notifier
    private let failed: (String) -> Void
    private let loop: EventLoop
    private var timer: WallTimer?
    private var retry: TimerID?
    private var queue: [Source.Item] = []
    private var telling: (program: HelperProgram, item: Source.Item)?

    /// - Parameters:
    ///   - failed: told of a notice that could not be told, by its title.
    package init(
        _ source: Source, notifier: Notifier, on loop: EventLoop,
        failed: @escaping (String) -> Void
    ) throws(TransportError) {
        self.source = source
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
            let (due, next) = try source.due()
            queue = due
            timer?.set(next)
            tellNext()
        } catch {
            // A busy store or a full disk passes.
            if let retry { loop.cancel(retry) }
            retry = loop.schedule(after: Self.retryTime) { [unowned self] in
                retry = nil
                look()
            }
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

    private func tellNext() {
        while !queue.isEmpty {
            let item = queue.removeFirst()
            // A notice that cannot be noted is not told: it is found again.
            guard (try? source.claim(item)) == true else { continue }
            let notice = source.notice(item)
            guard let program = notifier.start(notice) else {
                failed(notice.title)
                continue
            }
            telling = (program, item)
            return pollLater()
        }
    }

    private func pollLater() {
        loop.schedule(after: Self.pollTime) { [weak self] in
            guard let self, let telling else { return }
            guard let ending = telling.program.poll() else { return pollLater() }
            self.telling = nil
            if ending == .exited(0) {
                // Without it other devices may tell it as well.
                try? source.noteTold(telling.item)
            } else {
                failed(source.notice(telling.item).title)
            }
            look()
        }
    }
}
