import Core

extension RecordState {
    /// The part of a device's own record that stays when other members have filled the record, so that nothing more fits.
    ///
    /// The rest is dropped on every device, as the record's clock covers it. These stay:
    ///
    /// - of each single field, the shown value that this device wrote;
    /// - the latest marks of take-backs and forks that this device wrote;
    /// - the latest envelopes, of any author, as there may be no other copy of one.
    ///
    /// Nothing else stays because of its author: another member may have written under this replica id. The store itself
    /// remembers revocations (`RevokedKeys`).
    func withRoom(asOwnOf replica: ReplicaID) -> RecordState {
        var kept: [Field: Set<Dot>] = [:]
        for number in DeviceRecordRoom.singleNumbers {
            let own = survivors(of: .number(number)).filter { $0.write.dot.replica == replica }
            if let shown = own.last { kept[.number(number), default: []].insert(shown.write.dot) }
        }
        for number in DeviceRecordRoom.setNumbers {
            var found: [(write: Write, field: Field)] = []
            for write in writes {
                for assignment in write.assignments {
                    guard case .element(.number(number), _) = assignment.field,
                        number == DeviceFieldNumber.envelopes || write.dot.replica == replica
                    else { continue }
                    found.append((write, assignment.field))
                }
            }
            found.sort { $1.write.isShown(over: $0.write) }
            for (write, field) in found.suffix(DeviceRecordRoom.elementCountMax) {
                kept[field, default: []].insert(write.dot)
            }
        }
        var result = self
        for index in result.writes.indices {
            let dot = result.writes[index].dot
            result.writes[index].assignments.removeAll { kept[$0.field]?.contains(dot) != true }
        }
        result.writes.removeAll(where: \.assignments.isEmpty)
        return result
    }
}

/// The fields of a device's own record that stay when other members have filled it.
///
/// Source: Protocol/11-Pairing.md §3.
private enum DeviceRecordRoom {
    static let singleNumbers = [
        DeviceFieldNumber.name, TakeBackMarks.keyNumber, DeviceFieldNumber.exchangeKey,
        DeviceFieldNumber.mailbox, DeviceFieldNumber.generation, MassDeleteGuard.heldField,
        DeviceFieldNumber.verifier, DeviceFieldNumber.reminders,
    ]
    static let setNumbers = [
        DeviceFieldNumber.envelopes, TakeBackMarks.number, ForkMarks.number,
    ]
    /// How many elements of each set stay.
    static let elementCountMax = 64
}

/// The fields of a device's record that several parts of the store and of `Devices` name.
///
/// Source: Protocol/11-Pairing.md §3.
package enum DeviceFieldNumber {
    /// The name of the device.
    package static let name: UInt32 = 2
    /// The fingerprint of its certificate: 32 bytes.
    package static let fingerprint: UInt32 = 3
    /// Its public X25519 key: 32 bytes.
    package static let exchangeKey: UInt32 = 4
    /// The id of the mailbox of the code with which it joined: 16 bytes.
    package static let mailbox: UInt32 = 5
    /// A set of envelopes with later secrets, closed for this device.
    package static let envelopes: UInt32 = 7
    /// The generation of the secret that it knows.
    package static let generation: UInt32 = 8
    /// The public key by which relays know the secret that it knows: 32 bytes.
    package static let verifier: UInt32 = 11
    /// The reminders that it has told.
    package static let reminders: UInt32 = 12
}
