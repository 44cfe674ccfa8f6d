import Core

extension Readable {
    static func pairs(_ approach: Approach) -> [JSON.Pair] {
        var pairs: [JSON.Pair] = [
            .init(
                "versions", .list([.number(approach.versionMin), .number(approach.versionMax)])),
            .init("space", id(approach.space)), .init("replica", id(approach.replica)),
            .init("features", .number(approach.features.rawValue)),
            .init("generation", .number(UInt64(approach.generation))),
        ]
        if let read = approach.read {
            pairs.append(.init("relay", id(read.relay)))
            pairs.append(.init("checkpoint", checkpoint(read.checkpoint)))
        }
        if let access = approach.access {
            pairs.append(.init("verifier", .text(Hexadecimal.text(access.verifier))))
            pairs.append(.init("proof", .text(Hexadecimal.text(access.proof))))
            if let succession = access.succession {
                pairs.append(.init("succession", .text(Hexadecimal.text(succession))))
            }
        }
        if let token = approach.token { pairs.append(.init("token", .text(token))) }
        return pairs
    }

    static func pairs(_ welcome: Welcome) -> [JSON.Pair] {
        var pairs: [JSON.Pair] = [
            .init("versions", .list([.number(welcome.versionMin), .number(welcome.versionMax)])),
            .init("relay", id(welcome.relay)), .init("start", checkpoint(welcome.start)),
            .init("reached", .number(welcome.reached)),
        ]
        if let uploaded = welcome.uploaded {
            pairs.append(.init("uploaded", checkpoint(uploaded)))
        }
        if let letters = welcome.letters {
            let marks = letters.map { mark in
                JSON.object([
                    .init("verifier", .text(Hexadecimal.text(mark.verifier))),
                    .init("hash", .text(Hexadecimal.text(RecordID(value: mark.hash).bytes))),
                ])
            }
            pairs.append(.init("letters", .list(marks)))
        }
        return pairs
    }

    static func pairs(_ letter: Letter) -> [JSON.Pair] {
        [
            .init("generation", .number(UInt64(letter.generation))),
            .init("verifier", .text(Hexadecimal.text(letter.verifier))),
            .init("letter", .text(Hexadecimal.text(letter.bytes))),
        ]
    }

    static func pairs(_ standing: Standing) -> [JSON.Pair] {
        let notices = standing.notices.map { notice in
            JSON.object([
                .init("replica", id(notice.replica)),
                .init("statement", .text(Hexadecimal.text(notice.bytes))),
            ])
        }
        return [
            .init("through", checkpoint(standing.through)), .init("notices", .list(notices)),
        ]
    }

    static func declaration(_ declaration: Declaration) -> JSON {
        let openings = declaration.openings.map { JSON.list([id($0.replica), opening($0.start)]) }
        return .object([
            .init("entries", .list(declaration.statement.entries.map { entry($0) })),
            .init("digest", digest(declaration.statement.digest)),
            .init("openings", .list(openings)),
        ])
    }
}
