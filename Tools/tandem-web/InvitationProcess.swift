import Glibc
import JSON
import Page
import Transport

/// An invitation in a process of its own, `tandem invite --json`: it waits and calls relays while the page answers.
final class InvitationProcess: PageInviter {
    private let program: String
    private let folder: String
    private let loop: EventLoop
    private let changed: () -> Void
    private(set) var invitation: PageInvitation?
    private var identifier: pid_t = 0
    private var input: CInt = -1
    private var outputs: [CInt: (registration: EventLoop.Registration, bytes: [UInt8])] = [:]

    /// The most bytes of a line that is waited for.
    private static let lineByteCountMax = 1 << 16

    /// Nobody is invited yet.
    ///
    /// - Parameters:
    ///   - program: the path of the command line.
    ///   - changed: called when something has happened.
    init(_ program: String, folder: String, on loop: EventLoop, changed: @escaping () -> Void) {
        self.program = program
        self.folder = folder
        self.loop = loop
        self.changed = changed
    }

    func begin(relay: String?, address: String?) {
        var words = ["tandem", "--store", folder, "invite", "--json"]
        if let relay { words += ["--relay", relay] }
        if let address { words += ["--address", address] }
        invitation = PageInvitation()
        var (standardInput, standardOutput, standardError) = ([CInt](), [CInt](), [CInt]())
        guard let first = Self.pipe(), let second = Self.pipe(), let third = Self.pipe() else {
            return end("no process can be started")
        }
        (standardInput, standardOutput, standardError) = (first, second, third)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, end) in [standardInput[0], standardOutput[1], standardError[1]].enumerated() {
            posix_spawn_file_actions_adddup2(&actions, end, CInt(number))
        }
        // What this process ignores or blocks, the other one must not: it is told to end by a signal.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        let code = posix_spawn(&identifier, program, &actions, &attributes, &arguments, environ)
        for end in [standardInput[0], standardOutput[1], standardError[1]] { close(end) }
        guard code == 0 else {
            for end in [standardInput[1], standardOutput[0], standardError[0]] { close(end) }
            return end("\(program) cannot be run: \(String(cString: strerror(code)))")
        }
        input = standardInput[1]
        watch(standardOutput[0]) { [weak self] in self?.hear($0) }
        watch(standardError[0]) { [weak self] in self?.hearFault($0) }
    }

    func enter(digits: String) { send(digits + "\n") }

    func stop() {
        guard invitation?.isOver == false, identifier > 0 else { return }
        kill(identifier, SIGTERM)
    }

    // MARK: Pipes

    private static func pipe() -> [CInt]? {
        var ends: [CInt] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    private func send(_ text: String) {
        guard input >= 0 else { return }
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    }

    private func watch(_ descriptor: CInt, _ line: @escaping (String) -> Void) {
        let registration = try? loop.add(descriptor, .readable) { [weak self] _ in
            self?.read(descriptor, line)
        }
        guard let registration else { return end("no process can be listened to") }
        outputs[descriptor] = (registration, [])
    }

    private func read(_ descriptor: CInt, _ line: (String) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0, var output = outputs[descriptor],
            output.bytes.count < Self.lineByteCountMax
        else { return finish(descriptor) }
        output.bytes += buffer[..<count]
        while let feed = output.bytes.firstIndex(of: 10) {
            line(String(decoding: output.bytes[..<feed], as: UTF8.self))
            output.bytes.removeFirst(feed + 1)
        }
        outputs[descriptor] = output
        changed()
    }

    private func finish(_ descriptor: CInt) {
        guard let output = outputs.removeValue(forKey: descriptor) else { return }
        loop.remove(output.registration)
        close(descriptor)
        if outputs.isEmpty { end(nil) }
    }

    private func end(_ fault: String?) {
        if input >= 0 { close(input) }
        input = -1
        if identifier > 0 {
            // Its pipes are closed, so it has ended or does so at once.
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
            identifier = 0
        }
        if let fault { invitation?.fault = fault }
        invitation?.isOver = true
        invitation?.code = nil
        changed()
    }

    // MARK: Lines

    private func hear(_ line: String) {
        guard let value = JSONValue(compactText: line) else { return }
        if let code = value["code"]?.asText { invitation?.code = code }
        guard let kind = value["event"]?.asText else { return }
        invitation?.events.append(
            PageInvitation.Event(
                kind: kind, device: value["device"]?.asText,
                fingerprint: value["fingerprint"]?.asText))
        if kind == "admitted" { invitation?.code = nil }
    }

    private func hearFault(_ line: String) {
        let words = line.hasPrefix("tandem: ") ? String(line.dropFirst(8)) : line
        let before = invitation?.fault
        invitation?.fault = before.map { "\($0) \(words)" } ?? words
    }
}
