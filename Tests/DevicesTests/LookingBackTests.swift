import Core
import Devices
import Session
import Testing

@Suite("A relay that is read under the previous secret")
struct LookingBackTests {
    @Test(
        "is left for the present one once all was read or it refuses, and not by a goodbye, an error or a cut"
    )
    func ends() {
        #expect(Reconnector.endsLookingBack(.finished, isCaughtUp: true))
        #expect(!Reconnector.endsLookingBack(.finished, isCaughtUp: false))
        #expect(!Reconnector.endsLookingBack(.lost, isCaughtUp: false))
        for side in [SessionSide.ours, .theirs] {
            let refused = PeerError(.refused, "", side: .speaker, advice: "")
            let busy = PeerError(.busy, "", side: .speaker, advice: "")
            let held = PeerError(.deletesHeld, "", side: .speaker, advice: "")
            #expect(Reconnector.endsLookingBack(.failed(refused, side), isCaughtUp: false))
            #expect(!Reconnector.endsLookingBack(.failed(busy, side), isCaughtUp: false))
            #expect(!Reconnector.endsLookingBack(.failed(held, side), isCaughtUp: false))
        }
    }
}
