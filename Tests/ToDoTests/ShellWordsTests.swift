import Testing
import ToDo

@Suite("Words of a command line")
struct ShellWordsTests {
    @Test(
        "a quoted word is one word for a shell again",
        arguments: ["milk", "", "oat milk", "don't", "$HOME `x` \"y\"", "+errand", "é"])
    func quoting(word: String) {
        #expect(ShellWords.unquoted(word.shellQuoted) == word)
        if !word.contains("'") { #expect(ShellWords.split(word.shellQuoted) == [word]) }
    }

    @Test("a line parts at blanks outside of quotes; an open quote is no line")
    func splitting() {
        #expect(
            ShellWords.split(#"oat "soy milk" project:'My Home' a\ b don't"#)
                == ["oat", "soy milk", "project:My Home", "a b", "don't"])
        #expect(ShellWords.split("a \"b") == nil)
        #expect(ShellWords.unquoted(#""My Ho"#) == "My Ho")
    }
}
