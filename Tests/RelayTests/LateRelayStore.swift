import Core
import Relay
import RelayTestSupport
import Storage
import Testing

/// A store in memory that does and answers each call when the test says so.
final class LateRelayStore: WrappingRelayStore {
    /// The kinds of calls.
    enum Kind { case admit, commit, read }

    /// A call of the engine that is not answered.
    final class Call {
        let kind: Kind
        let space: SpaceID
        /// How many uploads a commit brings.
        let uploadCount: Int
        fileprivate let work: () -> (StoreFault?) -> Void
        fileprivate let fail: (StoreFault) -> Void
        fileprivate var answer: ((StoreFault?) -> Void)?

        fileprivate init(
            _ kind: Kind, _ space: SpaceID, uploadCount: Int = 0,
            fail: @escaping (StoreFault) -> Void, _ work: @escaping () -> (StoreFault?) -> Void
        ) {
            self.kind = kind
            self.space = space
            self.uploadCount = uploadCount
            self.work = work
            self.fail = fail
        }

        /// Whether the store has done it, and only its answer is on the way.
        var isDone: Bool { answer != nil }
    }

    let store: MemoryRelayStore
    /// The calls that are not answered, in their order.
    private(set) var calls: [Call] = []
    /// Whether calls are answered before they return.
    var isPrompt = false
    /// How often it was to answer all.
    private(set) var settleCount = 0

    init(seed: UInt64 = 1) {
        var bits: UInt64 = seed
        store = MemoryRelayStore(on: MemoryRelayDisk(), limits: RelayLimits()) {
            bits += 256
            return bits
        }
    }

    // MARK: The engine's calls

    private func add(_ call: Call) {
        calls.append(call)
        if isPrompt { answer(call) }
    }

    func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?, _ decide: @escaping Decide,
        then: @escaping (Result<RelayAdmission, StoreFault>) -> Void
    ) {
        add(
            Call(.admit, relayHello.space, fail: { then(.failure($0)) }) { [store] in
                let result = Result { () throws(StoreFault) in
                    try store.admit(relayHello, from: visitor, decide)
                }
                return { fault in then(fault.map { .failure($0) } ?? result) }
            })
    }

    func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey,
        then: @escaping (Result<RelayCommit, RelayStoreFault>) -> Void
    ) {
        add(
            Call(
                .commit, key.space, uploadCount: uploads.count,
                fail: { then(.failure(.failed($0))) }
            ) { [store] in
                let result = Result { () throws(RelayStoreFault) in
                    try store.commit(uploads, to: key)
                }
                return { fault in then(fault.map { .failure(.failed($0)) } ?? result) }
            })
    }

    func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey,
        then: @escaping (Result<RelayReading, RelayStoreFault>) -> Void
    ) {
        add(
            Call(.read, key.space, fail: { then(.failure(.failed($0))) }) { [store] in
                let result = Result { () throws(RelayStoreFault) in
                    try store.read(request, of: key)
                }
                return { fault in then(fault.map { .failure(.failed($0)) } ?? result) }
            })
    }

    func settle() {
        settleCount += 1
        while let call = calls.first { answer(call) }
    }

    // MARK: The test's

    /// The calls of a kind that are not answered.
    func calls(_ kind: Kind) -> [Call] { calls.filter { $0.kind == kind } }

    /// Does a call, without an answer.
    func work(_ call: Call) {
        if call.answer == nil { call.answer = call.work() }
    }

    /// Answers a call, and does it before.
    ///
    /// - Parameter fault: what the answer says in place of what was done.
    func answer(_ call: Call, _ fault: StoreFault? = nil) {
        work(call)
        calls.removeAll { $0 === call }
        call.answer?(fault)
    }

    /// Answers a call with a fault, and does not do it.
    func fail(_ call: Call, _ fault: StoreFault) {
        calls.removeAll { $0 === call }
        call.fail(fault)
    }

    func close() {
        settle()
        store.close()
    }
}

extension RelayDesk {
    /// A desk on a store that answers when it is told to.
    static func late(
        _ change: (inout RelayOptions) -> Void = { _ in }
    ) -> (RelayDesk, LateRelayStore) {
        let world = RelayWorld()
        let store = LateRelayStore()
        var options = world.options
        change(&options)
        store.limits = options.limits
        let node = RelayEngine(options: options, access: world, store: store)
        return (RelayDesk(world, node), store)
    }

    /// Takes what the store has answered.
    func takeAnswers() { take(node.takeAnswers(now: world.now)) }

    /// Has the oldest call of a kind answered, if there is any.
    func answer(_ store: LateRelayStore, _ kind: LateRelayStore.Kind, _ fault: StoreFault? = nil) {
        guard let call = store.calls(kind).first else {
            Issue.record("there is no call \(kind)")
            return
        }
        store.answer(call, fault)
        takeAnswers()
    }

    /// Has all calls answered, also those that follow, and commits what waits.
    func answerAll(_ store: LateRelayStore) {
        for _ in 0..<1000 {
            if store.calls.isEmpty, !node.hasWaiting { return }
            while let call = store.calls.first {
                store.answer(call)
                takeAnswers()
            }
            commit()
        }
        Issue.record("the calls have no end")
    }
}
