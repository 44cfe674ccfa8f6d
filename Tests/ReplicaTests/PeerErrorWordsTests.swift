import Core
import Replica
import Session
import Testing

/// The words of errors between two devices; everywhere else tests compare codes.
@Suite("Words of errors between two devices")
struct PeerErrorWordsTests {
    private func answer(to message: Message) throws -> PeerError {
        let world = SyncWorld(seed: 5)
        try world.makeDevice()
        var peer = try RawPeer(calling: world.replica(0))
        try peer.say(message)
        return try #require(peer.error)
    }

    @Test(
        "a hello of a newer version is answered with the versions of both, and with the program to upgrade"
    )
    func versions() throws {
        let error = try answer(to: .hello(RawPeer.hello(to: 7, versions: 2...3)))
        #expect(error.message.contains("versions 1 to 1"))
        #expect(error.message.contains("versions 2 to 3"))
        #expect(error.advice.contains("upgrade the program that speaks versions 1 to 1"))
    }

    @Test("a device that calls itself is advised to check the address")
    func calledItself() throws {
        let world = SyncWorld(seed: 3)
        try world.makeDevice()
        let index = try world.connect(0, 0)
        try world.settle()
        for end in world.links[index].ends {
            guard case .failed(let error, .both)? = end.end else {
                Issue.record("ended with \(String(describing: end.end))")
                continue
            }
            #expect(error.message.contains("a device called itself"))
            #expect(error.advice.contains("check whose address it is"))
        }
    }
}
