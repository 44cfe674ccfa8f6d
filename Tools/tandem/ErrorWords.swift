import Devices
import RelayServer
import Terminal
import ToDo

/// The errors of all modules in words, with their exit codes.
extension CommandFailure {
    /// The failure that an error of any module stands for.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let fault as DeviceFault: self.init(fault)
        case let fault as CopyFault: self.init(fault)
        case let fault as ToDoNameFault: self.init(fault)
        case let fault as StoreFault: self.init(Self.code(fault), fault.words)
        case let error as TransportError: self.init(Self.code(error), error.words)
        case let problem as PairingProblem: self.init(Self.code(problem), problem.words)
        case let fault as JoiningFault: self.init(Self.code(fault), fault.words.shownInLine)
        case let fault as RelayPutOutFault: self.init(.configuration, "\(fault)")
        case let error as PeerError:
            self.init(
                Self.code(JoiningFault.refused(by: "", error)), error.words.shownInLine)
        case let error as FormatFault: self.init(.badData, "\(error)".shownInLine)
        case let fault as ConflictChoiceFault: self.init(fault)
        case let error as ToDoWordsError: self.init(.usage, "\(error)")
        case let error as DatePhraseError: self.init(.usage, "\(error)")
        case let fault as UserSettingsFault: self.init(fault)
        case let fault as SavedViewFault: self.init(fault)
        case let error as TimeZoneFault: self.init(.configuration, "\(error)")
        default:
            if let fault = DeviceFault(ofKeys: error) {
                self.init(fault)
            } else {
                self.init(.software, "\(error)")
            }
        }
    }

    private static func code(_ fault: StoreFault) -> ExitCode {
        switch fault {
        case .noStore, .newerStore, .notAStore: .configuration
        case .storeExists, .recordDeleted, .recordPurged, .conflictOpen, .notDeleted, .recordExists:
            .refused
        case .busy, .inUse, .schemaChanged, .foreignOwnWrites, .unreachable: .retryLater
        case .diskFull, .inputOutput, .readOnly, .untrustedFile: .inputOutput
        case .corrupt, .overLimit: .badData
        case .noSuchRecord: .nothing
        case .database, .nestedTransaction, .closed, .cannotSeal: .software
        }
    }

    private static func code(_ problem: PairingProblem) -> ExitCode {
        switch problem {
        case .noMeeting, .strayCharacter, .mistyped, .cutOff, .tooLong: .badData
        }
    }

    private static func code(_ fault: JoiningFault) -> ExitCode {
        switch fault {
        case .refused(_, let error):
            switch error.known {
            case .refused: .refused
            case .busy, .overLimit: .retryLater
            default: .unavailable
            }
        case .wrongInviter: .refused
        case .noAnswer: .unavailable
        }
    }

    private static func code(_ error: TransportError) -> ExitCode {
        switch error {
        case .invalidAddress: .usage
        case .insecureListen, .insecureDial, .plainForbidden, .foreignAccount, .openFolder,
            .noWebProgram:
            .refused
        case .security where !error.mayPass: .refused
        default: .unavailable
        }
    }
}
