import Core

extension RecordState {
    /// What a device keeps of its own record, when others have filled that up so that nothing more can be written there.
    ///
    /// All that is left out is dropped for everybody, as the record's clock has seen it. Its own single values stay, of each
    /// the one that is shown; its marks of take-backs and forks; and envelopes, from whomever they are, as no other copy of one may
    /// be left. Of each set the latest stay. Revocations are remembered by the store (`RevokedKeys`). Somebody may have written
    /// under its replica id, so that nothing is kept for its author alone.
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
                        number == DeviceRecordRoom.envelopeNumber || write.dot.replica == replica
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

/// What of a device's own record stays when others have filled it.
///
/// Source: Protocol/11-Pairing.md §3.
private enum DeviceRecordRoom {
    static let singleNumbers: [UInt32] = [
        2, TakeBackMarks.keyNumber, 4, 5, 8, MassDeleteGuard.heldField, 11, 12,
    ]
    static let envelopeNumber: UInt32 = 7
    static let setNumbers: [UInt32] = [envelopeNumber, TakeBackMarks.number, ForkMarks.number]
    /// How many elements of each set stay.
    static let elementCountMax = 64
}
