#if PostgreSQL
    import Devices
    import Glibc
    import JSON
    import Relay
    import RelayPostgreSQL
    import RelayServer

    /// The devices of spaces in a database, for the operator.
    enum DatabaseDevices {
        /// Lists them all, page by page.
        ///
        /// - Returns: the exit code: 1 if there is none.
        static func list(_ words: RelayWords) throws -> CInt {
            let list = try list(of: words.setup())
            var last: PostgreSQLPutOutList.Entry?
            while true {
                let page = try list.entries(after: last)
                for found in page {
                    guard let fingerprint = Fingerprint(bytes: found.device.fingerprint) else {
                        continue
                    }
                    write(
                        RelayDeviceList.Entry(
                            space: found.space, fingerprint: fingerprint,
                            firstDay: found.device.firstDay, lastDay: found.device.lastDay,
                            isPutOut: found.isPutOut), isJSON: words.isJSON)
                }
                guard let end = page.last else { return last == nil ? 1 : 0 }
                last = end
            }
        }

        private static func write(_ entry: RelayDeviceList.Entry, isJSON: Bool) {
            TandemRelay.tell(
                [
                    JSONMember("space", .text(entry.space.uuidText)),
                    JSONMember("fingerprint", .text(entry.fingerprint.description)),
                    JSONMember("first", .text(entry.firstDate)),
                    JSONMember("last", .text(entry.lastDate)),
                    JSONMember("putOut", .bool(entry.isPutOut)),
                ], isJSON: isJSON, lines: entry.lines)
        }

        /// Puts one out.
        static func putOut(_ words: RelayWords) throws -> CInt {
            guard let device = words.device.flatMap({ RelayDeviceList.device(named: $0) }) else {
                return EX_USAGE
            }
            let outcome = try list(of: words.setup()).putOut(
                device.fingerprint.bytes, of: device.space)
            switch outcome {
            case .putOut:
                TandemRelay.write(
                    "Put out. Have a member run `tandem revoke`: the device still has the secret.\n",
                    to: STDOUT_FILENO)
                return 0
            case .unknownSpace: return missing(.unknownSpace)
            case .unknownDevice: return missing(.unknownDevice)
            }
        }

        private static func missing(_ fault: RelayPutOutFault) -> CInt {
            TandemRelay.say("\(fault); see: tandem relay --devices --store postgresql://HOST/NAME")
            return 1
        }

        private static func list(of setup: RelaySetup) throws -> PostgreSQLPutOutList {
            PostgreSQLPutOutList(
                of: try DatabaseRelay.store(setup, DatabaseRelay.address(setup)))
        }
    }
#endif
