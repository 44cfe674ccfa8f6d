/// What devices and relays say to each other.
extension MessageEncoder {
    static func write(_ approach: Approach, to writer: inout CanonicalWriter) {
        let access = approach.access
        let optional =
            (approach.read == nil ? 0 : 2) + (access == nil ? 0 : 2)
            + (access?.succession == nil ? 0 : 1) + (approach.token == nil ? 0 : 1)
        writer.start(.approach(approach), pairs: 6 + optional)
        writeVersions(approach.versionMin, approach.versionMax, to: &writer)
        writer.unsigned(2)
        writer.identifier(approach.space.value)
        writer.unsigned(3)
        writer.identifier(approach.replica.value)
        writer.unsigned(4)
        writer.unsigned(approach.features.rawValue)
        writer.unsigned(5)
        writer.unsigned(UInt64(approach.generation))
        if let read = approach.read {
            writer.unsigned(6)
            writer.identifier(read.relay.value)
            writer.unsigned(7)
            write(read.checkpoint, to: &writer)
        }
        if let access {
            writer.unsigned(8)
            writer.byteString(access.verifier)
            writer.unsigned(9)
            writer.byteString(access.proof)
        }
        if let succession = access?.succession {
            writer.unsigned(10)
            writer.byteString(succession)
        }
        if let token = approach.token {
            writer.unsigned(11)
            writer.text(token)
        }
    }

    static func write(_ welcome: Welcome, to writer: inout CanonicalWriter) {
        let optional = (welcome.uploaded == nil ? 0 : 1) + (welcome.letters == nil ? 0 : 1)
        writer.start(.welcome(welcome), pairs: 5 + optional)
        writeVersions(welcome.versionMin, welcome.versionMax, to: &writer)
        writer.unsigned(2)
        writer.identifier(welcome.relay.value)
        writer.unsigned(3)
        write(welcome.start, to: &writer)
        writer.unsigned(4)
        writer.unsigned(welcome.reached)
        if let uploaded = welcome.uploaded {
            writer.unsigned(5)
            write(uploaded, to: &writer)
        }
        if let letters = welcome.letters {
            writer.unsigned(6)
            writer.array(letters.count * 2)
            for mark in letters {
                writer.byteString(mark.verifier)
                writer.identifier(mark.hash)
            }
        }
    }

    static func write(_ letter: Letter, to writer: inout CanonicalWriter) {
        writer.start(.letter(letter), pairs: 4)
        writer.unsigned(1)
        writer.unsigned(UInt64(letter.generation))
        writer.unsigned(2)
        writer.byteString(letter.verifier)
        writer.unsigned(3)
        writer.byteString(letter.bytes)
    }

    static func write(_ upload: Upload, to writer: inout CanonicalWriter) {
        writer.start(.upload(upload), pairs: 3)
        writer.unsigned(1)
        write(upload.through, to: &writer)
        writer.unsigned(2)
        writer.byteString(upload.statement)
    }

    static func write(_ standing: Standing, to writer: inout CanonicalWriter) {
        writer.start(.standing(standing), pairs: 2 + (standing.notices.isEmpty ? 0 : 1))
        writer.unsigned(1)
        write(standing.through, to: &writer)
        if !standing.notices.isEmpty {
            writer.unsigned(2)
            writer.array(standing.notices.count * 2)
            for notice in standing.notices {
                writer.identifier(notice.replica.value)
                writer.byteString(notice.bytes)
            }
        }
    }

    private static func writeVersions(
        _ least: UInt64, _ most: UInt64, to writer: inout CanonicalWriter
    ) {
        writer.unsigned(1)
        writer.array(2)
        writer.unsigned(least)
        writer.unsigned(most)
    }
}
