// This file parses the embedded files and compiles the grammar of the rules.

package rulebook

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"toolcrib/internal/lists"
	"toolcrib/review/rules/scan"
)

//go:embed grammar.toml lexicon rules forms
var files embed.FS

// Rules returns the embedded rules about wording, sorted by id. Callers must not modify the result.
var Rules = sync.OnceValue(func() []Rule {
	list := blocks[Rule]("rules")
	for i := range list {
		list[i].Doc = paragraph(list[i].Doc)
	}
	return list
})

// Forms returns the forms in the given file of the folder forms, sorted by id. If file is "", it
// returns all forms.
func Forms(file string) []Form {
	list := blocks[Form](path.Join("forms", file))
	for i := range list {
		list[i].Doc = paragraph(list[i].Doc)
	}
	return list
}

// blocks parses the blocks of a file, or of all files below a folder, and returns the blocks sorted
// by id. An invalid file causes a panic, because the files are embedded and covered by tests.
func blocks[T any, P interface {
	*T
	named(id string)
}](root string) (list []T) {
	byID := map[string]T{}
	for _, file := range below(root) {
		read(file, &byID)
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		block := byID[id]
		P(&block).named(id)
		list = append(list, block)
	}
	return list
}

// below returns the names of the embedded files below root. If root is a file, it returns root.
func below(root string) (names []string) {
	check(root, fs.WalkDir(files, root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, file)
		}
		return err
	}))
	return names
}

// read decodes an embedded file into v. It panics if the file contains a key that v does not have.
func read(file string, v any) {
	text, err := files.ReadFile(file)
	check(file, err)
	check(file, toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(v))
}

func check(file string, err error) {
	if err != nil {
		panic(fmt.Sprintf("rulebook: %s: %v", file, err))
	}
}

// entries parses an embedded file that contains only string values. It returns an entry for each
// key, in the order of the file.
func entries(file string) (list []scan.Entry) {
	text, err := files.ReadFile(file)
	check(file, err)
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		key := e.Key()
		key.Next()
		list = append(list, scan.Entry{Concept: string(key.Node().Data), Words: string(e.Value().Data)})
	}
	check(file, p.Error())
	return list
}

// Grammar returns the grammar of the embedded rules and lexicon.
var Grammar = sync.OnceValue(func() *scan.Grammar {
	var spec struct {
		Common, Coded string
		Lexicon       []string
		Groups        map[string]string
	}
	read("grammar.toml", &spec)
	words := slices.Concat(lists.Map(spec.Lexicon, func(file string) []scan.Entry { return entries("lexicon/" + file + ".toml") })...)
	g, err := scan.Compile(scan.Spec{Entries: words, Groups: spec.Groups, Frames: framesOf(Rules()), Common: spec.Common, Coded: spec.Coded})
	check("frames", err)
	return g
})

// framesOf returns the frames of the given rules.
func framesOf(rules []Rule) (frames []scan.Frame) {
	for i := range rules {
		r := &rules[i]
		add := func(name, before string, patterns Frames) {
			for _, pattern := range patterns {
				frames = append(frames, scan.Frame{Name: name, Pattern: before + pattern})
			}
		}
		add(r.ID, "", r.Frames)
		add(r.ID, "", r.Translated)
		add(r.CertainName(), "", r.Certain)
		add(r.PlainName(), "", r.Plain)
		add(r.CompleteName(), "", r.Complete)
		for n, ask := range r.Asks {
			add(r.AskName(n, false), "", ask.Parameter)
			if ask.Spoken {
				add(r.AskName(n, true), "handover ..8 ", ask.Parameter)
			}
			add(r.AskName(n, true), "", ask.Prose)
		}
	}
	return frames
}

// paragraph replaces line breaks in text with spaces.
func paragraph(text string) string { return strings.Join(strings.Fields(text), " ") }
