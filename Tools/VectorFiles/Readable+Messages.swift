import Core

extension Readable {
    /// A message, under the names of its keys.
    static func message(_ message: Message) -> JSON {
        let (name, pairs) = parts(of: message)
        return .object(
            [.init("kind", .number(message.kind)), .init("message", .text(name))] + pairs)
    }

    private static func parts(of message: Message) -> (String, [JSON.Pair]) {
        switch message {
        case .hello(let hello): ("hello", pairs(hello))
        case .recollect(let memory): ("recollect", [.init("recollection", recollection(memory))])
        case .changes(let batch): ("changes", pairs(batch))
        case .part(let part): ("part", pairs(part))
        case .acknowledge(let count): ("acknowledge", [.init("batches", .number(count))])
        case .caughtUp(let end): ("caught-up", pairs(end))
        case .want(let ids): ("want", [.init("records", .list(ids.map { id($0) }))])
        case .repair: ("repair", [])
        case .askHistory: ("ask-history", [])
        case .history(let history): ("history", pairs(history))
        case .ping(let number): ("ping", [.init("number", .number(number))])
        case .pong(let number): ("pong", [.init("number", .number(number))])
        case .bye: ("bye", [])
        case .error(let error): ("error", pairs(error))
        case .approach(let approach): ("approach", pairs(approach))
        case .welcome(let welcome): ("welcome", pairs(welcome))
        case .upload(let upload):
            (
                "upload",
                [
                    .init("through", checkpoint(upload.through)),
                    .init("statement", .text(Hexadecimal.text(upload.statement))),
                ]
            )
        case .standing(let standing): ("standing", pairs(standing))
        case .letter(let letter): ("letter", pairs(letter))
        case .ignorable: ("ignorable", [])
        }
    }

    private static func pairs(_ hello: Hello) -> [JSON.Pair] {
        var pairs: [JSON.Pair] = [
            .init("versions", .list([.number(hello.versionMin), .number(hello.versionMax)])),
            .init("space", id(hello.space)), .init("policy", .text(hello.policy.name)),
            .init("replica", id(hello.replica)), .init("opening", opening(hello.opening)),
        ]
        if let statement = hello.statement {
            pairs.append(.init("entries", .list(statement.entries.map { entry($0) })))
            pairs.append(.init("digest", digest(statement.digest)))
        }
        pairs.append(.init("features", .number(hello.features.rawValue)))
        if let memory = hello.recollection {
            pairs.append(.init("recollection", recollection(memory)))
        }
        if let reached = hello.reached { pairs.append(.init("reached", .number(reached))) }
        return pairs
    }

    static func opening(_ start: EpochStart) -> JSON {
        .list([epoch(start.epoch), .number(start.counter)])
    }

    static func entry(_ entry: StatementEntry) -> JSON {
        var parts: [JSON] = [id(entry.replica), .number(entry.counter), wide(entry.tally)]
        if !entry.isComplete { parts.append(.number(entry.seen)) }
        return .list(parts)
    }

    static func checkpoint(_ checkpoint: Checkpoint) -> JSON {
        .list([epoch(checkpoint.epoch), .number(checkpoint.sequence)])
    }

    private static func recollection(_ memory: Recollection) -> JSON {
        .object([
            .init("peer", memory.peer.map { id($0) } ?? .null),
            .init("checkpoint", memory.checkpoint.map { checkpoint($0) } ?? .null),
            .init("counter", .number(memory.counter)),
            .init("epoch", memory.epoch.map { epoch($0) } ?? .null),
        ])
    }

    private static func pairs(_ batch: ChangeBatch) -> [JSON.Pair] {
        let changes = batch.changes.map { change in
            JSON.object([
                .init("record", id(change.id)), .init("clock", vector(change.clock)),
                .init("body", .text(Hexadecimal.text(change.body))),
            ])
        }
        var pairs = [JSON.Pair("changes", .list(changes))]
        if let through = batch.through { pairs.append(.init("through", checkpoint(through))) }
        if !batch.openings.isEmpty {
            let openings = batch.openings.map { JSON.list([id($0.replica), opening($0.start)]) }
            pairs.append(.init("openings", .list(openings)))
        }
        let aside = batch.changes.indices.filter { batch.changes[$0].isAside }
        if !aside.isEmpty {
            pairs.append(.init("aside", .list(aside.map { .number(UInt64($0)) })))
        }
        return pairs
    }

    private static func pairs(_ part: BodyPart) -> [JSON.Pair] {
        [
            .init("record", id(part.id)), .init("clock", vector(part.clock)),
            .init("byteCount", .number(UInt64(part.byteCount))),
            .init("offset", .number(UInt64(part.offset))),
            .init("bytes", .text(Hexadecimal.text(part.bytes))),
        ] + (part.isAside ? [.init("aside", .bool(true))] : [])
    }

    private static func pairs(_ end: CaughtUp) -> [JSON.Pair] {
        var pairs = [JSON.Pair("through", checkpoint(end.through))]
        if !end.changed.isEmpty {
            pairs.append(.init("changed", .list(end.changed.map { entry($0) })))
        }
        if let said = end.digest { pairs.append(.init("digest", digest(said))) }
        return pairs
    }

    private static func pairs(_ history: History) -> [JSON.Pair] {
        [
            .init("replica", id(history.replica)), .init("counter", .number(history.counter)),
            .init("openings", .list(history.openings.map { opening($0) })),
        ]
    }

    private static func pairs(_ error: PeerError) -> [JSON.Pair] {
        [
            .init("code", .number(error.code)), .init("what", .text(error.message)),
            .init("side", .number(error.side.rawValue)), .init("advice", .text(error.advice)),
        ] + (error.reasonNumber.map { [.init("reason", .number($0))] } ?? [])
    }
}
