import ToDo

/// A part of a page.
///
/// Text comes into it escaped and in no other way: there is no door for source.
package struct HTML: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, Sendable {
    /// The bytes of the page.
    package private(set) var source: String

    private init(source: String) { self.source = source }

    /// Text as people read it; what steers or hides is made visible.
    package init(_ text: String) {
        source = Self.escaped(VisibleText.escaped(text, keepsLineBreaks: true))
    }

    /// Text that was typed in the program, or is put together from such text and values.
    package init(stringLiteral text: String) { self.init(text) }

    /// Parts behind each other.
    package init(arrayLiteral parts: HTML...) { self.init(parts) }

    /// Parts behind each other.
    package init(_ parts: some Sequence<HTML>) {
        source = ""
        for part in parts { source += part.source }
    }

    /// Nothing.
    package static var nothing: HTML { HTML(source: "") }

    /// Whether there is nothing.
    package var isEmpty: Bool { source.isEmpty }

    /// Adds a part behind this one.
    package static func += (page: inout HTML, part: HTML) { page.source += part.source }

    /// Parts behind each other.
    package static func + (one: HTML, other: HTML) -> HTML {
        HTML(source: one.source + other.source)
    }

    /// An element with its content.
    package static func element(
        _ name: StaticString, _ attributes: [HTMLAttribute?] = [], _ content: HTML = .nothing
    ) -> HTML {
        var source = ""
        source.reserveCapacity(content.source.utf8.count + 64)
        source += open(name, attributes)
        source += content.source
        source += "</\(name)>"
        return HTML(source: source)
    }

    /// An element that has no content and no end: `input`, `meta`, `link`.
    package static func void(_ name: StaticString, _ attributes: [HTMLAttribute?]) -> HTML {
        HTML(source: open(name, attributes))
    }

    /// A field of several lines with what stands in it, byte for byte.
    package static func textArea(_ attributes: [HTMLAttribute?], _ text: String) -> HTML {
        // A parser passes over one line feed behind the tag.
        HTML(source: open("textarea", attributes) + "\n" + escaped(text) + "</textarea>")
    }

    /// A whole document.
    package static func document(_ head: HTML, _ body: HTML) -> HTML {
        HTML(
            source: "<!doctype html>\n<html lang=\"en\"><head>\(head.source)</head>"
                + "<body>\(body.source)</body></html>\n")
    }

    private static func open(_ name: StaticString, _ attributes: [HTMLAttribute?]) -> String {
        var source = "<\(name)"
        for case let attribute? in attributes {
            source += " \(attribute.name)"
            if let value = attribute.value { source += "=\"\(escaped(value))\"" }
        }
        return source + ">"
    }

    /// Text without any character that means something in a document or in an attribute.
    private static func escaped(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
                UInt8(ascii: "'"), UInt8(ascii: "\r"), 0:
                false
            default: true
            }
        }
        if isPlain { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
            case UInt8(ascii: "\r"): bytes += Array("&#13;".utf8)
            // No document can hold it.
            case 0: bytes += Array("\u{fffd}".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// An attribute of an element: its name is the program's, its value any text.
///
/// There are none for styles and scripts.
package struct HTMLAttribute: Sendable {
    let name: StaticString
    let value: String?

    private init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }

    /// A flag that is there or not: `checked`.
    package static func flag(_ name: StaticString, _ isSet: Bool = true) -> HTMLAttribute? {
        isSet ? HTMLAttribute(name, nil) : nil
    }

    /// A class; nil for none.
    package static func `class`(_ names: String?) -> HTMLAttribute? {
        names.flatMap { $0.isEmpty ? nil : HTMLAttribute("class", $0) }
    }

    /// A path of this page.
    package static func href(_ path: String) -> HTMLAttribute { link("href", path) }

    /// The path that a form is sent to.
    package static func action(_ path: String) -> HTMLAttribute { link("action", path) }

    /// The path of a script or a picture.
    package static func src(_ path: String) -> HTMLAttribute { link("src", path) }

    /// The field of the head of a response that a `meta` stands for.
    static func equivalent(_ name: String) -> HTMLAttribute { HTMLAttribute("http-equiv", name) }

    /// Any other attribute.
    package static func set(_ name: Named, _ value: String) -> HTMLAttribute {
        HTMLAttribute(name.text, value)
    }

    /// A path alone leads nowhere else, and runs nothing.
    private static func link(_ name: StaticString, _ path: String) -> HTMLAttribute {
        let isOwn = path.hasPrefix("#") || path.hasPrefix("/") && !path.hasPrefix("//")
        return HTMLAttribute(name, isOwn ? path : "/")
    }

    /// The attributes that a page has besides links and flags.
    package enum Named: Sendable {
        case id, name, value, type, method, label, labelledBy, describedBy, live, role, lang
        case autocomplete, rows, columns, placeholder, inputMode, maxLength, list, direction
        case datetime, media, content, charset, rel, current, scope, form, encoding, accept, title
        case hidden, forField, width, height, alternative, viewBox, shortcuts, spellcheck, busy
        case dataKey, dataCode, dataTime, dataScreen, crossOrigin, popoverTarget, minimum, maximum,
            step, pattern, atomic, checked

        var text: StaticString {
            switch self {
            case .id: "id"
            case .name: "name"
            case .value: "value"
            case .type: "type"
            case .method: "method"
            case .label: "aria-label"
            case .labelledBy: "aria-labelledby"
            case .describedBy: "aria-describedby"
            case .live: "aria-live"
            case .role: "role"
            case .lang: "lang"
            case .autocomplete: "autocomplete"
            case .rows: "rows"
            case .columns: "cols"
            case .placeholder: "placeholder"
            case .inputMode: "inputmode"
            case .maxLength: "maxlength"
            case .list: "list"
            case .direction: "dir"
            case .datetime: "datetime"
            case .media: "media"
            case .content: "content"
            case .charset: "charset"
            case .rel: "rel"
            case .current: "aria-current"
            case .scope: "scope"
            case .form: "form"
            case .encoding: "enctype"
            case .accept: "accept"
            case .title: "title"
            case .hidden: "aria-hidden"
            case .forField: "for"
            case .width: "width"
            case .height: "height"
            case .alternative: "alt"
            case .viewBox: "viewBox"
            case .shortcuts: "aria-keyshortcuts"
            case .spellcheck: "spellcheck"
            case .busy: "aria-busy"
            case .dataKey: "data-key"
            case .dataCode: "data-code"
            case .dataTime: "data-time"
            case .dataScreen: "data-screen"
            case .crossOrigin: "crossorigin"
            case .popoverTarget: "popovertarget"
            case .minimum: "min"
            case .maximum: "max"
            case .step: "step"
            case .pattern: "pattern"
            case .atomic: "aria-atomic"
            case .checked: "aria-checked"
            }
        }
    }
}
