import DeviceTestSupport
import Devices
import Glibc
import Testing

@Suite("The daemon as a service of the login")
struct LoginServiceTests {
    private let folder = TemporaryFolder()

    private func service(
        _ command: [String] = ["/usr/bin/tandem", "daemon"], store: String = "/stores/one"
    ) -> LoginService {
        LoginService(command: command, store: store, configuration: folder.path + "/config")
    }

    private func text(_ service: LoginService) -> String? {
        (try? PrivateFile.read(service.path, isSecret: false)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("words with blanks, quotes, percent and dollar signs are quoted as systemd reads them")
    func quoting() {
        let unit = service(["/a b/100%/$x/tandem", "daemon", "--store", "/s \"q\"\\ %h ${HOME}\n"])
            .unit
        #expect(
            unit.contains(
                #"ExecStart="/a b/100%%/$x/tandem" "daemon" "--store" "/s \"q\"\\ %%h $${HOME}\n""#
                    + "\n"))
    }

    @Test("installing writes the unit and starts it; again it changes nothing and starts it")
    func installing() throws {
        let service = service()
        var calls: [[String]] = []
        func run(_ command: [String]) -> Bool? {
            calls.append(command)
            return true
        }
        #expect(try service.install(run: run) == .complete)
        #expect(text(service) == service.unit)
        let words = calls.map { $0.joined(separator: " ") }
        #expect(
            words == [
                "systemctl --user daemon-reload", "systemctl --user daemon-reload",
                "systemctl --user enable tandem.service", "systemctl --user restart tandem.service",
            ])
        calls = []
        #expect(try service.install(run: run) == .complete)
        #expect(calls.last == ["systemctl", "--user", "start", "tandem.service"])
        #expect(text(service) == service.unit)
    }

    @Test(
        "without systemd nothing is written; where it does not answer the calls are left to the user"
    )
    func withoutSystemd() throws {
        let service = service()
        #expect(try service.install { _ in nil } == .noSystemd)
        #expect(text(service) == nil)
        guard case .unanswered(let commands) = try service.install(run: { _ in false }) else {
            Issue.record("answered")
            return
        }
        #expect(commands.count == 3 && text(service) == service.unit)
        guard case .unanswered(let stops) = try service.uninstall(run: { _ in false }) else {
            Issue.record("answered")
            return
        }
        #expect(stops.first == ["systemctl", "--user", "stop", "tandem.service"])
        #expect(text(service) == nil)
        #expect(try service.uninstall { _ in true } == .notInstalled)
    }

    @Test("a unit of somebody else, a link, and the unit of another store stay as they are")
    func foreign() throws {
        let service = service()
        _ = try service.install { _ in true }
        let other = self.service(store: "/stores/two")
        let fault = LoginService.Fault.otherStore(path: service.path, store: "\"/stores/one\"")
        #expect(throws: fault) { try other.install { _ in true } }
        #expect(throws: fault) { try other.uninstall { _ in true } }
        #expect(text(service) == service.unit)
        try PrivateFile.write(Array("[Unit]\nX=1\n".utf8), to: service.path, replaces: true)
        let foreign = LoginService.Fault.foreignUnit(path: service.path)
        #expect(throws: foreign) { try service.install { _ in true } }
        #expect(throws: foreign) { try service.uninstall { _ in true } }
        #expect(text(service) == "[Unit]\nX=1\n")
        unlink(service.path)
        #expect(symlink("/dev/null", service.path) == 0)
        #expect(throws: foreign) { try service.install { _ in true } }
        #expect(throws: foreign) { try service.uninstall { _ in true } }
    }

    @Test("a program whose path systemd does not take is refused, and bytes that are no UTF-8")
    func unusable() {
        for path in ["/it's/tandem", "/\"/tandem", "/\\/tandem", "/\n/tandem", "/\u{fffd}/tandem"] {
            #expect(throws: LoginService.Fault.unusablePath(path)) {
                try service([path, "daemon"]).install { _ in true }
            }
        }
        #expect(throws: LoginService.Fault.unusablePath("/\u{fffd}")) {
            try service(store: "/\u{fffd}").install { _ in true }
        }
    }

    @Test("removing stops it, and takes away the link by which it is started")
    func uninstalling() throws {
        let service = service()
        _ = try service.install { _ in true }
        let wants = folder.path + "/config/systemd/user/default.target.wants"
        #expect(mkdir(wants, 0o700) == 0)
        #expect(symlink(service.path, wants + "/tandem.service") == 0)
        var calls: [[String]] = []
        let outcome = try service.uninstall { command in
            calls.append(command)
            return true
        }
        #expect(outcome == .complete)
        #expect(calls.first == ["systemctl", "--user", "disable", "--now", "tandem.service"])
        var status = stat()
        #expect(lstat(wants + "/tandem.service", &status) != 0 && lstat(service.path, &status) != 0)
    }

    @Test("a process is the service's if the unit is a part of its control group's path")
    func processes() throws {
        let groups = [
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/tandem.service\n": true,
            "0::/user.slice/app.slice/other-tandem.service\n": false,
            "0::/user.slice/tandem.service.d\n1:cpu:/\n": false, "": false,
        ]
        for (index, (group, isService)) in groups.enumerated() {
            let process = Int32(index + 1)
            #expect(mkdir("\(folder.path)/\(process)", 0o700) == 0)
            try PrivateFile.write(
                Array(group.utf8), to: "\(folder.path)/\(process)/cgroup", replaces: true)
            #expect(LoginService.isService(process, in: folder.path) == isService, "\(group)")
        }
        #expect(!LoginService.isService(99, in: folder.path))
    }

    @Test("a program that takes too long is ended, one that is missing is told apart")
    func helpers() {
        #expect(LoginService.call(["true"]) == true)
        #expect(LoginService.call(["false"]) == false)
        #expect(LoginService.call(["/no/such/program"]) == nil)
    }
}
