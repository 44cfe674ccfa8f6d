/// The script that a shell reads once to complete command lines of this program.
///
/// The script is short, as it asks `tandem complete` at each Tab: what commands, options and values there are is
/// known to the command table alone, and never out of date. Words come in lines, without control characters, and
/// are quoted by the shell itself, so no title, tag or name can be taken for a command of the shell.
enum CompletionScript {
    /// The script for a shell.
    static func text(for shell: CompletionShell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static let bash = #"""
        # bash completion for tandem; made by: tandem completion bash

        _tandem() {
            local rest=${COMP_LINE:0:COMP_POINT} part= typed= before line word note index
            local -a words=()
            COMPREPLY=()
            # bash parts words at colons and equals signs as well; only blanks part them here.
            for ((index = 0; index <= COMP_CWORD; index++)); do
                part=${COMP_WORDS[index]}
                if ((index == 0)) || [[ $rest == [[:space:]]* ]]; then
                    words+=("")
                fi
                rest=${rest#"${rest%%[![:space:]]*}"}
                if ((index == COMP_CWORD)); then
                    part=$rest
                fi
                words[${#words[@]} - 1]+=$part
                rest=${rest#"$part"}
            done
            typed=${words[${#words[@]} - 1]}
            # What bash does not replace: all before the last colon or equals sign, unless quoted.
            before=
            if [[ $typed != [\'\"]* ]]; then
                case $COMP_WORDBREAKS in *:*) [[ $typed == *:* ]] && before=${typed%:*}: ;; esac
                case $COMP_WORDBREAKS in
                    *=*) [[ ${typed#"$before"} == *=* ]] && before=${typed%=*}= ;;
                esac
            fi
            while IFS= read -r line; do
                word=${line%%$'\t'*}
                note=${line#*$'\t'}
                if [[ -z $word ]]; then
                    case $note in
                        files) compopt -o default 2>/dev/null ;;
                        folders) compopt -o dirnames 2>/dev/null ;;
                    esac
                    continue
                fi
                word=${word#"$before"}
                case $typed in
                    \"*) [[ $word == *[\"\$\`\\!]* ]] && continue ;;
                    \'*) [[ $word == *\'* ]] && continue ;;
                    *) printf -v word %q "$word" ;;
                esac
                case $word in *[:=.]) compopt -o nospace 2>/dev/null ;; esac
                # Titles are shown where words are only listed, and never where they are put in.
                case $COMP_TYPE in 33 | 63 | 64) [[ -n $note ]] && word+="  ($note)" ;; esac
                COMPREPLY+=("$word")
            done < <(command tandem complete --quoted -- "${words[@]:1}" 2>/dev/null </dev/null)
            if ((${#COMPREPLY[@]} == 1)); then
                COMPREPLY[0]=${COMPREPLY[0]%%"  ("*}
            fi
            compopt -o nosort 2>/dev/null
        }

        complete -F _tandem tandem

        """#

    private static let zsh = #"""
        #compdef tandem
        # zsh completion for tandem; made by: tandem completion zsh

        _tandem() {
            local line word note
            local -a plain plain_shown open open_shown
            while IFS= read -r line; do
                word=${line%%$'\t'*}
                note=${line#*$'\t'}
                if [[ -z $word ]]; then
                    compset -P '--[a-z-]#='
                    case $note in
                        files) _files; return ;;
                        folders) _files -/; return ;;
                    esac
                fi
                if [[ $word == *[:=.] ]]; then
                    open+=("$word")
                    open_shown+=("$word${note:+  -- $note}")
                else
                    plain+=("$word")
                    plain_shown+=("$word${note:+  -- $note}")
                fi
            done < <(command tandem complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" \
                2>/dev/null </dev/null)
            (($#open)) && compadd -V open -S '' -d open_shown -a open
            (($#plain)) && compadd -V plain -l -d plain_shown -a plain
            (($#open + $#plain))
        }

        if [[ ${funcstack[1]} == _tandem ]]; then
            _tandem "$@"
        elif (($+functions[compdef])); then
            compdef _tandem tandem
        fi

        """#

    private static let fish = #"""
        # fish completion for tandem; made by: tandem completion fish

        function __tandem_complete
            set -l typed (commandline -ct)
            set -l words (commandline -opc)
            set -l plain (string unescape -- $typed)
            or set plain $typed
            command tandem complete -- $words[2..-1] "$plain" 2>/dev/null </dev/null | while read -l line
                switch $line
                    case \tfiles
                        __fish_complete_path $typed
                    case \tfolders
                        __fish_complete_directories $typed ''
                    case '*'
                        printf '%s\n' $line
                end
            end
        end

        complete -c tandem -k -f -a '(__tandem_complete)'

        """#
}

/// The shells that there is a script for.
enum CompletionShell: String, CaseIterable {
    case bash
    case zsh
    case fish
}
