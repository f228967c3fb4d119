package reach

import (
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/review/reach/code"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
	"toolcrib/review/reach/passage"
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
	for p := range passage.Markdown(d.Text) {
		part := d.Part(p.Start, p.End)
		switch p.Kind {
		case passage.Prose:
			prose.Read(part)
		case passage.Code:
			block(part, p.Language)
		case passage.Indented:
			if !shell.Inline(part) {
				prose.Read(part)
			}
		}
	}
}

// shells are the words after a fence of shell commands, as chroma and Linguist name them:
// https://github.com/github-linguist/linguist/blob/main/lib/linguist/languages.yml.
const shells = " sh bash zsh fish shell console terminal shell-session shellscript shellsession ksh bat cmd dosbatch cli "

func isShell(word string) bool { return word != "" && strings.Contains(shells, " "+word+" ") }

// dataFences are the words after a fence of data.
const dataFences = " json jsonc json5 yaml yml toml ini dotenv env "

// block adds the facts of a code block by the word after its fence.
func block(d fact.Doc, word string) {
	switch {
	case isShell(word):
		shell.Read(d, prose.Comment)
	case code.Known(word):
		code.Read(d, word, prose.Comment)
		for at := 0; at < len(d.Text); {
			end := passage.LineEnd(d.Text, at)
			shell.Fetches(d.Part(at, end))
			at = end
		}
	case strings.Contains(dataFences, " "+word+" ") && word != "":
		data(d, word)
	case word == "markdown" || word == "md" || word == "mdx":
		markdown(d)
	default: // a file tree, a log, a diagram, a template: commands by their form alone
		literal.Hidden(d)
		for at := 0; at < len(d.Text); {
			end := passage.LineEnd(d.Text, at)
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
	case "json", "jsonc", "json5", "webmanifest", "code-workspace":
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
