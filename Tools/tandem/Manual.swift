import Devices
import RelayServer
import Terminal
import ToDo

/// The manual pages, generated from the help.
extension Tandem {
    /// All manual pages.
    static var pages: [ManualPage] {
        [mainPage] + commands.map { page(of: $0) } + [relaySettings]
    }

    private static var mainPage: ManualPage {
        var examples = HelpBlock.blocks(of: examples)
        examples = examples.filter { if case .literal = $0 { true } else { false } }
        let commands = groups.flatMap { group -> [HelpBlock] in
            let title = group.title.prefix(1).uppercased() + group.title.dropFirst()
            let definitions = group.rows.flatMap(\.commands).map { command in
                HelpBlock.Definition("tandem \(command.name)", command.summary)
            }
            return [.prose("\(title):"), .definitions(definitions)]
        }
        let views = ToDoView.allCases.map { view in
            HelpBlock.Definition("tandem \(view.rawValue)", view.summary)
        }
        return ManualPage(
            "tandem", 1, purpose,
            calls: ["tandem COMMAND [OPTION...] [WORD...]"],
            sections: [
                .init("EXAMPLES", examples),
                .init(
                    "DESCRIPTION",
                    [
                        .prose(
                            "Every device has the whole list and works offline. Two devices that "
                                + "connect, directly or through a relay, exchange the changes that "
                                + "each missed. Changes are merged field by field. If two devices "
                                + "changed the same field while apart, both values are kept until you "
                                + "choose one with `tandem resolve`."),
                        .prose("Options may stand before or after words. `--` ends the options."),
                    ]),
                .init("COMMANDS", commands),
                .init(
                    "VIEWS",
                    [.prose("Lists that are commands of their own:"), .definitions(views)]),
                .init("OPTIONS", [.definitions(commonOptions)]),
            ]
                + HelpTopic.allCases.map { topic in
                    .init(
                        topic == .exit ? "EXIT STATUS" : topic.rawValue.uppercased(),
                        HelpBlock.blocks(of: topic.help))
                },
            others: Self.commands.map { ("tandem-\($0.name)", 1) }
                + [(relaySettings.name, relaySettings.section), ("simulate", 1)])
    }

    private static func page(of command: any Command.Type) -> ManualPage {
        let usage = CompletionTable.usage(of: command)
        let call = "tandem \(command.name) [OPTION...]"
        return ManualPage(
            "tandem-\(command.name)", 1, command.summary,
            calls: [usage.isEmpty ? call : "\(call) \(usage)"],
            sections: ManualPage.sections(
                "\(command.summary).", command.help, common: commonOptions),
            others: [("tandem", 1)]
                + (command.name == RelayCommand.name
                    ? [(relaySettings.name, relaySettings.section)] : []))
    }

    /// The page about a relay's file of settings.
    private static var relaySettings: ManualPage {
        let settings = RelaySetting.all.map { setting in
            let standard = setting.standard.isEmpty ? "" : "; default `\(setting.standard)`"
            let restart = setting.isReloadable ? "" : "; a change needs a restart"
            return HelpBlock.Definition(
                "\(setting.name) = \(setting.valueWord)", "\(setting.summary)\(standard)\(restart)")
        }
        let example = [
            "listen = [::]:7718                  # everywhere", "metrics = 127.0.0.1:9717",
            "token-file = /etc/tandem-relay.token", "space-bytes = 1G",
        ]
        return ManualPage(
            "tandem-relay.conf", 5, "settings of a relay", calls: [],
            sections: [
                .init("EXAMPLES", [.literal(example)]),
                .init(
                    "DESCRIPTION",
                    [
                        .prose(
                            "`tandem relay --config FILE` reads settings from a file: lines of "
                                + "name = value; # begins a comment. Settings that are missing have "
                                + "their defaults. Options override environment variables "
                                + "(`\(RelaySetting.variablePrefix)NAME`), and these override the file."
                        ),
                        .prose(
                            "SIGHUP reads the file again. If it has a mistake, the relay logs it and "
                                + "keeps its settings. `tandem relay --config FILE --print-config` "
                                + "shows the settings and where each was set."),
                        .prose(
                            "BYTES is a number, with K, M, G or T for powers of 1024."),
                    ]),
                .init("SETTINGS", [.definitions(settings)]),
            ], others: [("tandem-relay", 1)])
    }
}
