import HTTP

/// Why a request is refused.
package enum GatewayRefusal: Error, Hashable, Sendable {
    // MARK: Who asks

    /// The client gave no name and password of a client, or wrong ones.
    case noClient
    /// Too many wrong passwords came from the client's network; after so many seconds it may try again.
    case tooManyAttempts(seconds: Int)
    /// A page of another site sent the request by a browser.
    case foreignOrigin

    // MARK: Which resource

    /// There is no such resource.
    case noResource
    /// The method is none of the resource; these are.
    case wrongMethod(allowed: [String])
    /// The gateway knows no such method.
    case unknownMethod
    /// The list that the resource would be in is missing.
    case noList
    /// The resource cannot be deleted, moved or made by anybody.
    case protected
    /// A query stands behind the path of a resource that is to be changed.
    case strayQuery

    // MARK: What it says

    /// The body is not the XML that the method needs.
    case malformedBody
    /// The body breaks a limit, or is no XML.
    case badXML(XMLFault)
    /// A header field that decides over the request is malformed.
    case malformedHeader(String)
    /// The request asks for a listing of all levels.
    case infiniteDepth
    /// A condition of the request does not hold.
    case conditionFailed
    /// The body is coded in a way that is not read.
    case encodedBody

    // MARK: Reports

    /// There is no such report of this resource.
    case unsupportedReport
    /// A sync report asks for more than the members of one list.
    case unsupportedSyncLevel
    /// The token is not one from which the store can tell the changes: the client has to read all anew.
    case invalidToken
    /// The filter is malformed.
    case invalidFilter
    /// The filter has a part that is not answered.
    case unsupportedFilter
    /// The filter names an unknown order of letters.
    case unsupportedCollation
    /// To-dos are asked for in another form than iCalendar.
    case unsupportedData

    // MARK: To-dos and lists

    /// The body is not iCalendar.
    case invalidData(detail: String)
    /// The body is no to-do.
    case noToDo
    /// Another resource has the to-do's UID.
    case identifierTaken(path: String)
    /// The to-do of that UID was erased for good.
    case purged
    /// The to-do has more bytes than one may have.
    case tooLarge(byteCountMax: Int)
    /// There is something of that path already.
    case exists
    /// A new collection is asked for that is no list of to-dos.
    case wrongCollection
    /// Lists are made in the home of lists alone.
    case notInHome
    /// There are as many lists with settings as there may be.
    case tooManyLists
    /// The destination of a move is none where a to-do can be.
    case wrongDestination
    /// Something stands at the destination of a move.
    case destinationTaken
    /// The mass-delete guard holds the delete.
    case deletesHeld
    /// A to-do is to be deleted of which the client has read nothing, where edits win over deletes.
    case unread
}

extension GatewayRefusal {
    /// The status of the answer (RFC 9110, section 15).
    package var status: Int {
        switch self {
        case .noClient: 401
        case .tooManyAttempts: 429
        case .noResource: 404
        case .wrongMethod: 405
        case .unknownMethod: 501
        case .noList, .unread: 409
        case .strayQuery, .malformedBody, .badXML, .malformedHeader: 400
        case .conditionFailed, .destinationTaken: 412
        case .encodedBody: 415
        case .tooManyLists: 507
        case .foreignOrigin, .protected, .infiniteDepth, .unsupportedReport, .unsupportedSyncLevel,
            .invalidToken, .invalidFilter, .unsupportedFilter, .unsupportedCollation,
            .unsupportedData, .invalidData, .noToDo, .identifierTaken, .purged, .tooLarge, .exists,
            .wrongCollection, .notInHome, .wrongDestination, .deletesHeld:
            403
        }
    }

    /// The condition that a client's program recognises; nil where the standards have none.
    package var condition: XMLName? {
        switch self {
        case .infiniteDepth: .dav("propfind-finite-depth")
        case .unsupportedReport: .dav("supported-report")
        case .unsupportedSyncLevel: .dav("sync-traversal-supported")
        case .invalidToken: .dav("valid-sync-token")
        case .invalidFilter: .calDAV("valid-filter")
        case .unsupportedFilter: .calDAV("supported-filter")
        case .unsupportedCollation: .calDAV("supported-collation")
        case .unsupportedData: .calDAV("supported-calendar-data")
        case .invalidData: .calDAV("valid-calendar-data")
        case .noToDo: .calDAV("supported-calendar-component")
        case .identifierTaken: .calDAV("no-uid-conflict")
        case .tooLarge: .calDAV("max-resource-size")
        case .exists: .dav("resource-must-be-null")
        case .wrongCollection: .dav("valid-resourcetype")
        case .notInHome, .wrongDestination: .calDAV("calendar-collection-location-ok")
        case .purged: .tandem("purged")
        case .tooManyLists: .dav("quota-not-exceeded")
        case .deletesHeld: .tandem("mass-delete-guard")
        case .unread: .tandem("unread")
        default: nil
        }
    }

    /// The refusal in words: object, reason, next step.
    ///
    /// - Parameter commands: the next steps that are commands.
    package func words(_ commands: [GatewayCommand: String]) -> String {
        func command(_ command: GatewayCommand) -> String {
            commands[command] ?? "the command line"
        }
        return switch self {
        case .noClient:
            "The name and password are none of a client. Make some with: \(command(.addClient))"
        case .tooManyAttempts(let seconds):
            "Too many wrong passwords came from there. Try again in \(seconds) s."
        case .foreignOrigin: "The request came from a page of another site, so nothing was done."
        case .noResource: "There is no such resource."
        case .wrongMethod: "The resource takes no such request."
        case .unknownMethod: "The gateway knows no such request."
        case .noList: "There is no such list. Make the list first."
        case .protected: "This resource stays as it is and where it is."
        case .strayQuery: "A query stands behind the path, so nothing was done."
        case .malformedBody: "The body is not what the request needs."
        case .badXML(let fault): "The body is refused: \(fault.words)."
        case .malformedHeader(let name): "The header field \(name) is malformed."
        case .infiniteDepth: "Ask with a Depth of 0 or 1."
        case .conditionFailed: "The resource is not as the request's condition says. Read it anew."
        case .encodedBody: "The body is compressed. Send it as it is."
        case .unsupportedReport: "The resource has no such report."
        case .unsupportedSyncLevel: "Only the members of one list can be asked for: sync-level 1."
        case .invalidToken:
            "The store cannot tell what changed since that token. Read the list anew."
        case .invalidFilter: "The filter is malformed."
        case .unsupportedFilter: "The filter has a condition that is not answered."
        case .unsupportedCollation: "The filter names an order of letters that is not known."
        case .unsupportedData: "To-dos are given as text/calendar, version 2.0, alone."
        case .invalidData(let detail): "The to-do is no valid iCalendar: \(detail)."
        case .noToDo: "The resource is no to-do (VTODO); the lists have nothing else."
        case .identifierTaken: "Another resource has that UID."
        case .purged: "The to-do of that UID was erased for good. Make one with another UID."
        case .tooLarge(let byteCountMax): "The to-do has more than \(byteCountMax) bytes."
        case .exists: "There is something of that path already."
        case .wrongCollection: "Only lists of to-dos can be made: calendars for VTODO."
        case .notInHome: "Lists can be made in /lists/ alone."
        case .tooManyLists: "There are too many lists. Delete one first."
        case .wrongDestination: "A to-do can be moved to another list, under the name that it has."
        case .destinationTaken: "There is a to-do at the destination already."
        case .deletesHeld:
            "The mass-delete guard of this device holds the delete: too many of its to-dos would be gone. "
                + "Nothing was deleted. If it is meant, run there: \(command(.acceptDeletes)), and delete again"
        case .unread:
            "This program has read nothing of the to-do, and in this space an edit wins over a delete that had not "
                + "seen it. Nothing was deleted. Read the to-do, and delete it again"
        }
    }

    /// The answer.
    ///
    /// - Parameter commands: the next steps that are commands.
    package func response(_ commands: [GatewayCommand: String]) -> HTTPResponse {
        var headers = [HTTPHeader("cache-control", "no-store")]
        switch self {
        case .noClient:
            headers.append(
                HTTPHeader("www-authenticate", GatewayChallenge.basic.rawValue))
        case .tooManyAttempts(let seconds): headers.append(HTTPHeader("retry-after", "\(seconds)"))
        case .wrongMethod(let allowed):
            headers.append(HTTPHeader("allow", allowed.joined(separator: ", ")))
        default: break
        }
        guard let condition else { return .plain(status, headers: headers, words(commands)) }
        var content: XMLText = .nothing
        if case .identifierTaken(let path) = self { content = .href(path) }
        let body = XMLText.document(
            .dav("error"),
            .element(condition, [], content) + .element(.tandem("reason"), text: words(commands)))
        headers.insert(HTTPHeader("content-type", "application/xml; charset=utf-8"), at: 0)
        return HTTPResponse(status, headers: headers, body: .bytes(body))
    }
}

/// The challenges by which a client is asked who it is.
///
/// Source: RFC 7617, 2.
private enum GatewayChallenge: String {
    /// A name and a password.
    case basic = #"Basic realm="Tandem", charset="UTF-8""#
}
