#if Encryption
    import Core
    import Glibc

    /// The list of all writes, for whoever judges: each before it is begun, and again once it is acknowledged.
    ///
    /// A line goes to the kernel before the next step, so that it outlives this process.
    final class WriteLog {
        /// A write: what it does to a record.
        enum Kind: String {
            /// A new record.
            case insert = "i"
            /// A value for the field that is this device's own.
            case own = "o"
            /// A value for the field that all devices write.
            case shared = "s"
            /// The record is deleted.
            case delete = "d"
        }

        private let descriptor: CInt
        /// The number of the last write of each device that an earlier process listed.
        private(set) var lastNumbers: [Int: Int] = [:]

        /// Opens the list, to go on where an earlier process stopped.
        init(path: String) throws {
            descriptor = open(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
            guard descriptor >= 0 else { throw CrowdFault.failed("\(path): errno \(errno)") }
            var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 20))
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                bytes += buffer[..<count]
            }
            for line in bytes.split(separator: 0x0a) {
                let words = line.split(separator: 0x20)
                guard words.count > 2, let device = Int(String(decoding: words[1], as: UTF8.self)),
                    let number = Int(String(decoding: words[2], as: UTF8.self))
                else { continue }
                lastNumbers[device] = max(lastNumbers[device] ?? 0, number)
            }
            // A line that a kill cut short is none: the next one begins anew.
            if let last = bytes.last, last != 0x0a { append("\n") }
        }

        /// Lists writes that are begun now.
        func begin(_ device: Int, _ writes: [(kind: Kind, record: RecordName, number: Int)]) {
            append(writes.map { line("?", device, $0) }.joined())
        }

        /// Lists writes as acknowledged.
        func end(_ device: Int, _ writes: [(kind: Kind, record: RecordName, number: Int)]) {
            append(writes.map { line("!", device, $0) }.joined())
        }

        private func line(
            _ mark: String, _ device: Int, _ write: (kind: Kind, record: RecordName, number: Int)
        ) -> String {
            "\(mark) \(device) \(write.number) \(write.kind.rawValue) \(write.record.id.hexadecimal)\n"
        }

        private func append(_ text: String) {
            let bytes = Array(text.utf8)
            guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
                CrowdMain.say("crowd: the list of writes cannot be written: errno \(errno)")
                exit(74)
            }
        }
    }
#endif
