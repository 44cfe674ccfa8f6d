/// The elements that screens are made of.
extension HTML {
    /// A link to another screen.
    static func link(
        _ path: String, _ text: HTML, class name: String? = nil, isCurrent: Bool = false
    ) -> HTML {
        .element(
            "a", [.href(path), .class(name), isCurrent ? .set(.current, "page") : nil], text)
    }

    /// A paragraph.
    static func paragraph(_ text: HTML, class name: String? = nil) -> HTML {
        .element("p", [.class(name)], text)
    }

    /// A text in a line with others.
    static func span(_ name: String, _ text: HTML) -> HTML {
        .element("span", [.class(name)], text)
    }

    /// A text of a person, whose direction is its own.
    static func typed(_ text: String) -> HTML { .element("bdi", [], HTML(text)) }

    /// A list of parts; nothing for none.
    static func list(_ parts: [HTML], class name: String? = nil) -> HTML {
        if parts.isEmpty { return .nothing }
        return .element("ul", [.class(name)], HTML(parts.map { .element("li", [], $0) }))
    }

    /// A heading of a part of a screen.
    static func heading(_ text: HTML, id: String? = nil) -> HTML {
        .element("h2", [id.map { .set(.id, $0) }], text)
    }

    /// A field that is sent along and not shown.
    static func hidden(_ name: String, _ value: String) -> HTML {
        .void("input", [.set(.type, "hidden"), .set(.name, name), .set(.value, value)])
    }

    /// A button that sends its form.
    static func button(
        _ text: HTML, name: String? = nil, value: String? = nil, class style: String? = nil,
        label: String? = nil, key: String? = nil
    ) -> HTML {
        .element(
            "button",
            [
                .set(.type, "submit"), name.map { .set(.name, $0) }, value.map { .set(.value, $0) },
                .class(style), label.map { .set(.label, $0) }, key.map { .set(.dataKey, $0) },
            ], text)
    }

    /// A field of one line with its label.
    static func field(
        _ name: String, _ label: HTML, _ value: String, hint: HTML? = nil,
        isLabelSeen: Bool = true, _ more: [HTMLAttribute?] = []
    ) -> HTML {
        let id = "f-\(name)"
        let input = HTML.void(
            "input",
            [
                .set(.id, id), .set(.name, name), .set(.value, value),
                hint == nil ? nil : .set(.describedBy, "\(id)-hint"),
            ] + (more.isEmpty ? [.set(.type, "text")] : more))
        return labelled(id, label, input, hint, isLabelSeen: isLabelSeen)
    }

    /// A field with its label above and a hint below.
    static func labelled(
        _ id: String, _ label: HTML, _ input: HTML, _ hint: HTML? = nil, isLabelSeen: Bool = true
    ) -> HTML {
        .element(
            "div", [.class("field")],
            .element("label", [.set(.forField, id), .class(isLabelSeen ? nil : "unseen")], label)
                + input
                + (hint.map { .element("p", [.set(.id, "\(id)-hint"), .class("hint")], $0) }
                    ?? .nothing))
    }

    /// A choice among words.
    ///
    /// - Parameter isLabelSeen: whether the label is there for the eye, too.
    static func choice(
        _ name: String, _ label: HTML, _ options: [(value: String, text: HTML)], chosen: String,
        isLabelSeen: Bool = true
    ) -> HTML {
        let id = "f-\(name)"
        let parts = options.map { option in
            HTML.element(
                "option",
                [.set(.value, option.value), .flag("selected", option.value == chosen)],
                option.text)
        }
        return labelled(
            id, label, .element("select", [.set(.id, id), .set(.name, name)], HTML(parts)),
            isLabelSeen: isLabelSeen)
    }

    /// A button that is heard as a box which is ticked or not, and sends its form.
    static func checkBox(
        _ mark: HTML, name: String, value: String, class style: String, label: String,
        isChecked: Bool
    ) -> HTML {
        .element(
            "button",
            [
                .set(.type, "submit"), .set(.role, "checkbox"),
                .set(.checked, isChecked ? "true" : "false"), .set(.name, name),
                .set(.value, value), .class(style), .set(.label, label),
            ], mark)
    }

    /// A box that is ticked or not, with its label behind it.
    static func box(_ name: String, _ label: HTML, isChecked: Bool) -> HTML {
        .element(
            "label", [.class("box")],
            .void(
                "input",
                [
                    .set(.type, "checkbox"), .set(.name, name), .set(.value, "1"),
                    .flag("checked", isChecked),
                ]) + .span("text", label))
    }

    /// A table that moves sideways where it is wider than the screen.
    static func table(
        _ style: String, _ names: [HTML], _ rows: [HTML], foot: HTML = .nothing
    ) -> HTML {
        let head = names.map { HTML.element("th", [.set(.scope, "col")], $0) }
        return .element(
            "div", [.class("wide")],
            .element(
                "table", [.class(style)],
                .element("thead", [], .element("tr", [], HTML(head)))
                    + .element("tbody", [], HTML(rows)) + foot))
    }

    /// Pairs of a name and what it is.
    static func pairs(_ pairs: [(name: HTML, value: HTML)]) -> HTML {
        let parts = pairs.filter { !$0.value.isEmpty }.map { pair in
            HTML.element(
                "div", [], .element("dt", [], pair.name) + .element("dd", [], pair.value))
        }
        return parts.isEmpty ? .nothing : .element("dl", [], HTML(parts))
    }
}
