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
	if strings.HasPrefix(strings.TrimSpace(d.Text), "{") { // JSON settings in a file that is named like a document
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

// markdown adds the facts of a Markdown text. It reads the paragraphs as prose, and each code block
// according to its language.
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

// shells are the languages of code fences that contain shell commands. The names are from chroma
// and Linguist: https://github.com/github-linguist/linguist/blob/main/lib/linguist/languages.yml.
const shells = " sh bash zsh fish shell console terminal shell-session shellscript shellsession ksh bat cmd dosbatch cli "

func isShell(word string) bool { return word != "" && strings.Contains(shells, " "+word+" ") }

// dataFences are the languages of code fences that contain data.
const dataFences = " json jsonc json5 yaml yml toml ini dotenv env "

// block adds the facts of a code block. language is the language of the fence, or "".
func block(d fact.Doc, language string) {
	switch {
	case isShell(language):
		shell.Read(d, prose.Comment)
	case code.Known(language):
		code.Read(d, language, prose.Comment)
		for line := range d.Lines() {
			shell.Fetches(line)
		}
	case strings.Contains(dataFences, " "+language+" ") && language != "":
		data(d, language)
	case language == "markdown" || language == "md" || language == "mdx":
		markdown(d)
	default: // for example a file tree, a log, a diagram, or a template; a line is a command only if it has the form of a command
		literal.Hidden(d)
		for line := range d.Lines() {
			if !shell.Inline(line) {
				literal.Scan(line, literal.Data, fact.Literal)
				if language == "" || language == "text" || language == "txt" {
					prose.Comment(line)
				}
			}
		}
	}
}

// data adds the facts of settings in the given format, such as JSON, YAML, or TOML.
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

// maxYAML is the maximum length in bytes of YAML that is parsed. Longer YAML is read line by line.
const maxYAML = 64 << 10
