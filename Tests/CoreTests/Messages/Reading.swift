import Core

/// The result of reading bytes: a value or the fault.
enum Reading {
    /// Reads one item with a reader of its own, to its end.
    static func item<T>(
        _ bytes: [UInt8], _ body: (inout CanonicalReader) throws(WireFault) -> T
    ) -> Result<T, WireFault> {
        bytes.withUnsafeBytes { buffer in
            var reader = CanonicalReader(buffer)
            do throws(WireFault) {
                let value = try body(&reader)
                try reader.finish()
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Reads a value beside a clock.
    static func value(
        _ bytes: [UInt8], in clock: VersionVector = VersionVector()
    )
        -> Result<Value, WireFault>
    {
        item(bytes) { reader throws(WireFault) in try reader.value(in: clock) }
    }

    /// Reads a body beside a clock.
    static func body(_ bytes: [UInt8], _ clock: VersionVector) -> Result<RecordState, WireFault> {
        do throws(WireFault) {
            return .success(try BodyCodec.decode(bytes, clock: clock).record)
        } catch {
            return .failure(error)
        }
    }

    /// Reads a message.
    static func message(_ bytes: [UInt8]) -> Result<Message, WireFault> {
        do throws(WireFault) {
            return .success(try Message.decode(bytes))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the first frame of a stream; nil while it is not whole.
    static func frame(_ bytes: [UInt8], hasChecksum: Bool = true) -> Result<Message?, WireFault> {
        var decoder = FrameDecoder(hasChecksum: hasChecksum)
        decoder.append(bytes)
        do throws(WireFault) {
            return .success(try decoder.next())
        } catch {
            return .failure(error)
        }
    }
}

extension Result where Failure == WireFault {
    /// The fault, if it is one.
    var fault: WireFault? {
        if case .failure(let fault) = self { fault } else { nil }
    }
}
