package reach

import (
	"strings"

	"toolcrib/internal/commonmark"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/review/reach/code"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
	"toolcrib/review/reach/prose"
	"toolcrib/review/reach/shell"
)

// document adds the facts of a Markdown file with front matter.
func document(d fact.Doc) {
	front, body, ok := mdfile.SplitFront(d.Text)
	if ok {
		tree(d, mdfile.LooseFront(front), true)
	}
	markdown(d.Part(len(d.Text)-len(body), len(d.Text)))
}

// markdown adds the facts of Markdown: its paragraphs as prose, its code by language.
func markdown(d fact.Doc) {
	text := d.Text
	paragraph := -1 // where the open paragraph begins
	flush := func(end int) {
		if paragraph >= 0 {
			prose.Read(d.Part(paragraph, end))
		}
		paragraph = -1
	}
	indented := false // the line before was code by indentation
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		content := strings.TrimLeft(line, " \t>")
		opener := strings.TrimLeft(content, "-*+0123456789. ")
		fence := commonmark.Fence(content)
		if fence == "" && opener != content {
			fence = commonmark.Fence(opener)
		}
		switch {
		case fence != "":
			flush(at)
			word, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(opener), "`~ "), " ")
			from := end
			at = end
			for at < len(text) && !commonmark.Closes(strings.TrimLeft(text[at:lineEnd(text, at)], " \t>"), fence) {
				at = lineEnd(text, at)
			}
			block(d.Part(from, at), strings.ToLower(strings.Trim(word, "{}.,:")))
			at = lineEnd(text, at)
			continue
		case strings.TrimSpace(content) == "":
			flush(at)
		case paragraph < 0 && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) && opener == strings.TrimLeft(line, " \t") && (indented || at == 0 || blankBefore(text, at)):
			if !shell.Inline(d.Part(at, end)) {
				prose.Read(d.Part(at, end))
			}
			indented = true
			at = end
			continue
		case begins(content):
			flush(at)
			paragraph = at
			if content[0] == '#' || content[0] == '|' {
				flush(end)
			}
		case paragraph < 0:
			paragraph = at
		}
		indented = false
		at = end
	}
	flush(len(text))
}

func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

func blankBefore(text string, at int) bool {
	before := text[max(0, at-2):at]
	return before == "\n\n" || strings.HasSuffix(strings.TrimRight(text[max(0, at-200):at], " \t"), "\n\n")
}

// begins reports whether a line starts a block of its own: a heading, an item, a row.
func begins(content string) bool {
	switch content[0] {
	case '#', '|':
		return true
	case '-', '*', '+':
		return len(content) > 1 && content[1] == ' '
	}
	digits := strings.TrimLeft(content, "0123456789")
	return digits != content && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// shells are the words after a fence of shell commands, as chroma and Linguist name them:
// https://github.com/github-linguist/linguist/blob/main/lib/linguist/languages.yml.
const shells = " sh bash zsh fish shell console terminal shell-session shellscript shellsession ksh bat cmd dosbatch cli "

// block adds the facts of a code block by the word after its fence.
func block(d fact.Doc, word string) {
	switch {
	case strings.Contains(shells, " "+word+" ") && word != "":
		shell.Read(d, prose.Comment)
	case code.Known(word):
		code.Read(d, word, prose.Comment)
	case word == "json" || word == "jsonc" || word == "json5":
		data(d, "json")
	case word == "yaml" || word == "yml" || word == "toml" || word == "ini" || word == "dotenv" || word == "env":
		data(d, word)
	case word == "markdown" || word == "md" || word == "mdx":
		markdown(d)
	default: // a file tree, a log, a diagram, a template: commands by their form alone
		literal.Hidden(d)
		for at := 0; at < len(d.Text); {
			end := lineEnd(d.Text, at)
			if line := d.Part(at, end); !shell.Inline(line) {
				literal.Scan(line, literal.Data, fact.Literal)
				if word == "" || word == "text" || word == "txt" {
					prose.Comment(line)
				}
			}
			at = end
		}
	}
}

// data adds the facts of JSON, YAML, TOML and other settings.
func data(d fact.Doc, format string) {
	literal.Hidden(d)
	switch format {
	case "json", "jsonc", "webmanifest", "code-workspace":
		if n, err := jsondoc.Parse([]byte(d.Text), jsondoc.DefaultLimits); err == nil && d.Whole() {
			tree(d, n, false)
			return
		}
	case "yaml", "yml":
		if n, problems := mdfile.ParseYAML(d.Text, 1); len(problems) == 0 && d.Whole() && len(d.Text) < maxYAML {
			tree(d, n, false)
			return
		}
	}
	pairs(d)
}

// maxYAML is the longest text that is parsed as YAML, in bytes; a longer one is read by
// line.
const maxYAML = 64 << 10
