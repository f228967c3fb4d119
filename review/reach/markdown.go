// This file derives facts from Markdown and selects the reader of each code block.

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
	if strings.HasPrefix(strings.TrimSpace(d.Text), "{") { // settings under the name of a document, which an agent reads as a text
		if n, err := jsondoc.Parse([]byte(d.Text), jsondoc.DefaultLimits); err == nil {
			tree(d, n, false)
		}
	}
	front, body, ok := mdfile.SplitFront(d.Text)
	if ok {
		tree(d, mdfile.LooseFront(front), true)
	}
	markdown(d.Part(len(d.Text)-len(body), len(d.Text)))
}

// markdown adds the facts of a Markdown text: of its paragraphs as prose, and of its code by
// language.
func markdown(d fact.Doc) {
	for p := range passage.Markdown(d.Text) {
		part := d.Part(p.Start, p.End)
		switch p.Kind {
		case passage.Prose:
			prose.Read(part)
		case passage.Code:
			part.Fence(func(d fact.Doc) { block(d, p.Language) })
		case passage.Indented:
			part.Fence(func(d fact.Doc) {
				if !shell.Inline(d) {
					prose.Read(d)
				}
			})
		}
	}
}

// shells are the languages of code fences with shell commands, by the names in chroma and Linguist:
// https://github.com/github-linguist/linguist/blob/main/lib/linguist/languages.yml.
const shells = " sh bash zsh fish shell console terminal shell-session shellscript shellsession ksh bat cmd dosbatch cli "

func isShell(word string) bool { return word != "" && strings.Contains(shells, " "+word+" ") }

// dataFences are the languages of code fences with data.
const dataFences = " json jsonc json5 yaml yml toml ini dotenv env "

// block adds the facts of a code block; word is the language of the fence.
func block(d fact.Doc, word string) {
	switch {
	case isShell(word):
		shell.Read(d, prose.Comment)
	case code.Known(word):
		code.Read(d, word, prose.Comment)
		for line := range d.Lines() {
			shell.Fetches(line)
		}
	case strings.Contains(dataFences, " "+word+" ") && word != "":
		data(d, word)
	case word == "markdown" || word == "md" || word == "mdx":
		markdown(d)
	default: // such as a file tree, a log, a diagram, or a template: recognize commands only by their form
		literal.Hidden(d)
		for line := range d.Lines() {
			if !shell.Inline(line) {
				literal.Scan(line, literal.Data, fact.Literal)
				if word == "" || word == "text" || word == "txt" {
					prose.Comment(line)
				}
			}
		}
	}
}

// data adds the facts of JSON, YAML, TOML, and other settings.
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

// maxYAML is the maximum number of bytes that are parsed as YAML. Longer texts are read line by
// line.
const maxYAML = 64 << 10
