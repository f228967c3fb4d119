// Package reach derives facts about what a definition can reach: hosts, files, commands, settings,
// and credentials. Its subpackages derive facts from different grammars: the form of single words
// (literal), shell commands (shell), calls in programs (code), and sentences (prose). This package
// reads the keys of settings. A fact is not an alarm. fact.Compare compares the facts of two
// definitions.
//
// Every reader accepts any text and takes linear time.
package reach

import (
	"maps"
	"path"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/reach/code"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
	"toolcrib/review/reach/passage"
	"toolcrib/review/reach/prose"
	"toolcrib/review/reach/shell"
)

// Of returns all facts of d except sentences. The path of a fact is a file if d is a skill or
// instructions, and a field if d is any other definition.
func Of(d registry.Definition) []fact.Fact { return of(d, false) }

func of(d registry.Definition, sentences bool) []fact.Fact {
	l := fact.List{Sentences: sentences}
	fields := map[string]string{}
	if t := d.Tool; t != nil {
		fields = map[string]string{
			"usageNotes": t.UsageNotes, "goals": t.Goals, "guardrails": t.Guardrails, "prompt": t.Prompt, "description": t.Description, "shortDescription": t.ShortDescription,
		}
		for channel, text := range t.Guidance {
			fields[jsondoc.Join("guidance", channel)] = text
		}
		if t.Tag != nil {
			fields["tag.example"] = t.Tag.Example
		}
	}
	if a := d.Agent; a != nil {
		fields = map[string]string{
			"description": a.Description, "vibe": a.Vibe, "soul": a.Soul, "promptTemplate": a.PromptTemplate, "operatingModel": a.OperatingModel,
			"interactionLearning": a.InteractionLearning, "onboarding": a.Onboarding,
		}
		for channel, text := range a.ChannelGuidance {
			fields[jsondoc.Join("channelGuidance", channel)] = text
		}
		if o := a.SessionOpen; o != nil {
			fields["sessionOpen.bootstrap"], fields["sessionOpen.returning"] = o.Bootstrap, o.Returning
		}
	}
	for _, at := range slices.Sorted(maps.Keys(fields)) {
		l.Read(at, fields[at], 0, markdown)
	}
	if t := d.Tool; t != nil {
		ofSchema(&l, "inputSchema", t.InputSchema)
		ofSchema(&l, "outputSchema", t.OutputSchema)
		if p := t.Provider; p != nil && p.URL != "" {
			l.Read("provider.url", p.URL, 0, func(d fact.Doc) { literal.Scan(d, literal.Data, "provider") })
		}
	}
	if f := d.Folder(); f != nil {
		for _, name := range f.Paths() {
			file := f.Files[name]
			if file.Link != "" {
				l.Read(name, file.Link, strings.Count(name, "/"), func(d fact.Doc) { literal.Scan(d, literal.Data, "link") })
			}
			l.Read(name, file.Text, strings.Count(name, "/"), func(d fact.Doc) { File(d, name) })
		}
	}
	return l.Facts()
}

// ofSchema adds the facts of the texts and the data in a JSON schema. path is the path of the
// schema. A schema that is not valid JSON is read as a single text.
func ofSchema(l *fact.List, path string, schema []byte) {
	if len(schema) == 0 {
		return
	}
	n, err := jsondoc.Parse(schema, jsondoc.DefaultLimits)
	if err != nil {
		l.Read(path, string(schema), 0, func(d fact.Doc) { literal.Scan(d, literal.Data, fact.Literal) })
		return
	}
	n.Walk(func(n *jsondoc.Node, below func() string) bool {
		if n.Kind == jsondoc.String && n.Text != "" {
			here := below()
			last := here[strings.LastIndexByte(here, '.')+1:]
			if !strings.HasPrefix(here, "[") {
				here = "." + here
			}
			l.Read(path+here, n.Text, 0, func(d fact.Doc) {
				switch meanings()[last] {
				case sentence:
					markdown(d)
				case ignored:
				default:
					literal.Scan(d, literal.Data, fact.Literal)
				}
			})
		}
		return true
	})
}

// format describes how to read the files with the given names or extensions.
type format struct {
	names string // complete file names, separated by spaces
	ends  string // file extensions and names of interpreters, separated by spaces
	says  prosePart
	read  func(d fact.Doc, ext string)
}

// formats lists the file formats except programs, which package code defines. Any other file is
// read as Markdown.
var formats = []format{
	{ // data tables and lock files; the agent does not follow the addresses in them
		"package-lock.json yarn.lock pnpm-lock.yaml uv.lock poetry.lock Cargo.lock go.sum composer.lock Gemfile.lock bun.lock flake.lock npm-shrinkwrap.json Pipfile.lock",
		"csv tsv jsonl html htm xml svg xsd css scss ipynb",
		nothing,
		func(d fact.Doc, _ string) { literal.Scan(d, literal.Tables, fact.Literal) },
	},
	{"Dockerfile Containerfile Makefile GNUmakefile justfile", "dockerfile mk", comments, func(d fact.Doc, _ string) { recipes(d) }},
	{"requirements.txt requirements-dev.txt requirements.in constraints.txt", "", nothing, func(d fact.Doc, _ string) { requirements(d) }},
	{"", "md mdc markdown txt rst adoc mdx", paragraphs, func(d fact.Doc, _ string) { document(d) }},
	{"", "sh bash zsh fish ksh bats bat cmd", comments, func(d fact.Doc, _ string) { shell.Read(d, prose.Comment) }},
	{".env .npmrc .mcp.json", "json jsonc webmanifest yaml yml toml ini cfg conf env properties npmrc", values, data},
}

// programs is the format of files in a language that package code knows. documents is the format of
// all remaining files.
var (
	programs  = format{says: comments, read: func(d fact.Doc, ext string) { code.Read(d, ext, prose.Comment) }}
	documents = format{says: paragraphs, read: func(d fact.Doc, _ string) { document(d) }}
)

// formatOf returns the format of a file, and its extension or the interpreter in its first line.
// The complete name of the file takes precedence over the interpreter, and the interpreter over the
// extension.
func formatOf(name, text string) (f *format, ext string) {
	base := path.Base(name)
	ext = strings.ToLower(strings.TrimPrefix(path.Ext(base), "."))
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") { // execve(2)
		for word := range strings.FieldsSeq(strings.ReplaceAll(first[2:], "/", " ")) {
			if word = strings.TrimRight(word, "0123456789."); code.Known(word) || isShell(word) {
				ext = word
				break
			}
		}
	}
	for i := range formats {
		if slices.Contains(strings.Fields(formats[i].names), base) {
			return &formats[i], ext
		}
	}
	if code.Known(ext) {
		return &programs, ext
	}
	for i := range formats {
		if ext != "" && slices.Contains(strings.Fields(formats[i].ends), ext) {
			return &formats[i], ext
		}
	}
	return &documents, ext
}

// File adds the facts of d, which is the text of the file with the given name.
func File(d fact.Doc, name string) {
	f, ext := formatOf(name, d.Text)
	literal.Hidden(d)
	if f.says == comments {
		d.Program()
	}
	f.read(d, ext)
}

// requirements adds the packages of a pip requirements file:
// https://pip.pypa.io/en/stable/reference/requirements-file-format/.
func requirements(d fact.Doc) {
	for line := range d.Lines() {
		text := strings.TrimSpace(line.Text)
		switch {
		case text == "" || text[0] == '#':
		case text[0] == '-':
			shell.Read(line.Prefixed("pip install "), nil)
		default:
			name := text
			if i := strings.IndexAny(name, "=<>~!; [#"); i > 0 {
				name = name[:i]
			}
			line.AddKey(0, fact.Run, fact.Package, "pip "+text, fact.Package+"\x00pip "+strings.ToLower(name))
			literal.Scan(line, literal.Data, fact.Package)
		}
	}
}

// recipes adds the facts of a Makefile or a Dockerfile. The commands are the lines that begin with
// a tab in a Makefile, and RUN, CMD, and ENTRYPOINT in a Dockerfile. recipes also adds the base
// images of a Dockerfile (FROM).
func recipes(d fact.Doc) {
	for at := 0; at < len(d.Text); {
		end := passage.LineEnd(d.Text, at)
		for end < len(d.Text) && strings.HasSuffix(d.Text[at:end], "\\\n") {
			end = passage.LineEnd(d.Text, end)
		}
		line := d.Text[at:end]
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "RUN" || word == "CMD" || word == "ENTRYPOINT":
			shell.Read(d.Part(end-len(rest), end), prose.Comment)
		case word == "FROM":
			if image, _, _ := strings.Cut(strings.TrimSpace(rest), " "); image != "" {
				d.Add(at, fact.Run, fact.Package, "image "+image)
			}
		case strings.HasPrefix(line, "\t"):
			body := strings.TrimLeft(line, "\t@-+")
			shell.Read(d.Part(end-len(body), end), prose.Comment)
		default:
			literal.Scan(d.Part(at, end), literal.Data, fact.Literal)
		}
		at = end
	}
}
