import Core
import Storage
import TestSupport
import Testing
import ToDo

@Suite("The cost of serving clients")
struct ServedCostTests {
    private func world(_ count: Int) throws -> (world: ServedWorld, ids: [RecordID]) {
        let world = try ServedWorld()
        let items = (0..<count).map { number in
            var item = ToDoItem(title: "to-do \(number)")
            item.notes = "a note of some words"
            item.due = .day(20_700 + Int32(number % 300))
            item.setTags(["one", "two"])
            item.project = "Home"
            return item
        }
        return (world, try world.todos.add(items))
    }

    // Goal: what a put and a look at one to-do cost is the same in a large store.
    // Method: operations of SQLite's machine, which are the same everywhere.
    @Test("a put, a delete and a look cost the same among many")
    func flat() throws {
        var costs: [[String: Int]] = []
        for count in [20, 2_000] {
            let (world, ids) = try world(count)
            _ = try world.served.serve(ids)
            var cost: [String: Int] = [:]
            func measure(_ name: String, _ body: () throws -> Void) throws {
                let before = world.gateway.operationCount
                try body()
                cost[name] = world.gateway.operationCount - before
            }
            let served = try world.get(ids[7])
            try measure("look") { _ = try world.served.look([ids[7]]) }
            try measure("serve") { _ = try world.served.serve([ids[7]]) }
            try measure("put") {
                let text = served.replacing("to-do 7", "changed")
                try world.put(served.name, text, list: "Home", ifMatch: [served.tag])
            }
            try measure("make") {
                let text = ServedWorld.text("new", ["SUMMARY:new"])
                try world.put("new.ics", text, list: "Home", isNew: true)
            }
            try measure("name") { _ = try world.served.identifier(named: served.name) }
            try measure("delete") { _ = try world.served.delete(ids[7], ifMatch: nil) }
            costs.append(cost)
        }
        for (name, few) in costs[0] {
            let many = costs[1][name] ?? 0
            #expect(many <= few + few / 2 + 200, "\(name): \(few) among 20, \(many) among 2,000")
        }
    }

    @Test("to-dos that are served as before are written nowhere")
    func unchanged() throws {
        let (world, ids) = try world(TestSettings.number("TANDEM_SERVED_COUNT") ?? 200)
        let first = try world.served.serve(ids)
        let spaces = ["served", "served-texts"].map { "\($0)\n\(world.client.identifier)" }
        let before = try spaces.map { try world.gateway.localMetadata(in: $0) }
        let counter = try world.gateway.summary().counter
        world.world.now += 86_400_000
        let clock = ContinuousClock()
        var again: [ServedDocument] = []
        let time = try clock.measure { again = try world.served.serve(ids) }
        #expect(try spaces.map { try world.gateway.localMetadata(in: $0) } == before)
        #expect(try world.gateway.summary().counter == counter)
        #expect(again.map(\.tag) == first.map(\.tag))
        // 10 times what 3,000 in two seconds would be, for machines under load.
        #expect(time < .seconds(max(2, ids.count / 100)), "\(time)")
        if ids.count > 200 { print("\(ids.count) to-dos served again: \(time)") }
    }

    // Goal: a power cut takes nothing back that a client was told, at the price of one flush an answer.
    // Method: the flushes of each call, and of the same once more by a process that knows nothing of them.
    @Test("what a client is told is flushed before, once an answer, and a text that is known never")
    func flushes() throws {
        let (world, ids) = try world(20)
        func expect(_ count: Int, _ what: String, _ body: () throws -> Void) throws {
            let before = world.gateway.flushCount
            try body()
            #expect(world.gateway.flushCount - before == count, "\(what)")
        }
        try expect(1, "serve") { _ = try world.served.serve(ids) }
        try expect(0, "serve again") { _ = try world.served.serve(ids) }
        let served = try world.get(ids[7])
        let text = served.replacing("to-do 7", "changed")
        try expect(1, "put") { try world.put(served.name, text, list: "Home") }
        // It writes nothing, but is committed, and the first one might have been cut short.
        try expect(1, "put again") { try world.put(served.name, text, list: "Home") }
        try expect(1, "make") {
            try world.put("new.ics", ServedWorld.text("new", ["SUMMARY:new"]), isNew: true)
        }
        try expect(1, "move") { _ = try world.served.move(ids[8], to: "Work") }
        try expect(1, "delete") { _ = try world.served.delete(ids[9], ifMatch: nil) }
        try expect(1, "settings") {
            try world.served.keep(ListSettings(segment: "work", project: "Work"))
        }
        try expect(1, "told as gone") {
            _ = try world.todos.delete([ids[10]])
            try world.served.noteGone([ids[10]])
        }
        // What a killed process committed it may not have flushed.
        try world.restart()
        try expect(1, "serve after a restart") { _ = try world.served.serve([ids[1]]) }
    }
}
