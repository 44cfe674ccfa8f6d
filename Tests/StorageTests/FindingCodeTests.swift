import Core
import Storage
import TestSupport
import Testing

/// Programs go by these codes: none of them changes.
@Suite("Codes of what is wrong with a store")
struct FindingCodeTests {
    @Test("a finding has a code of its own")
    func findings() {
        let (replica, record) = (ReplicaID(value: 1), RecordName(toDo: RecordID(value: 2)))
        let codes: [StoreFinding: String] = [
            .indexes(detail: "x"): "indexes", .pages(detail: "x"): "pages",
            .misdescribed(kind: "table", name: "x"): "misdescribed",
            .malformedRecord(record): "malformed-record", .digest: "digest",
            .missingReplica(replica): "missing-replica",
            .deferredChecksum(replica): "deferred-checksum", .checksum(replica): "checksum",
            .counts(collection: "x"): "counts", .search(collection: "x"): "search",
        ]
        for (finding, code) in codes { #expect(finding.code == code) }
        #expect(SalvageFinding.header.code == "header")
    }

    @Test("a reason for which a change is deferred has the code with which it is stored")
    func deferrals() {
        #expect(DeferralReason.unreadable(detail: "x").code == "unreadable")
        #expect(DeferralReason.otherCollection.code == "other-collection")
        #expect(DeferralReason.overLimit.code == "over-limit")
    }

    @Test("a fault of a store has a code of its own, whatever it tells besides")
    func faults() {
        #expect(StoreFault.corrupt(path: "/a", detail: "x").code == "corrupt")
        #expect(StoreFault.inUse(by: .processes([])).code == "in-use")
        #expect(StoreFault.database(code: 1, detail: "x", statement: "x").code == "database")
    }
}
