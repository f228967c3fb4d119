package rulebook

import (
	"embed"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/review/rules/scan"
)

//go:embed grammar.toml lexicon rules forms
var files embed.FS

// Rules returns the embedded rules, by id. They are not to be changed.
var Rules = sync.OnceValue(func() []Rule {
	list, err := ReadRules(files)
	if err != nil {
		panic("rulebook: " + err.Error()) // the files are embedded; a test reads them
	}
	return list
})

// Grammar returns the grammar of the embedded rules and lexicon.
var Grammar = sync.OnceValue(func() *scan.Grammar {
	g, err := compile(files, Rules())
	if err != nil {
		panic("rulebook: " + err.Error())
	}
	return g
})

// ReadRules reads the blocks of every file below rules and returns them by id. An
// error names the file and the line.
func ReadRules(fsys fs.FS) ([]Rule, error) {
	seen := map[string]Rule{} // by id and by name
	var list []Rule
	var errs []error
	err := each(fsys, "rules", func(s *source) {
		blocks := map[string]Rule{}
		err := s.decode(&blocks)
		errs = append(errs, err)
		for _, id := range slices.Sorted(maps.Keys(blocks)) {
			r := blocks[id]
			r.ID, r.source, r.Doc = id, s, paragraph(r.Doc)
			for _, problem := range r.problems() {
				errs = append(errs, r.Errorf("", "%s", problem))
			}
			for _, key := range []string{r.ID, r.Name} {
				if first, ok := seen[key]; ok {
					errs = append(errs, r.Errorf(key, "%s stands in %s too", key, first.source.file))
				}
				seen[key] = r
			}
			list = append(list, r)
		}
	})
	slices.SortFunc(list, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return list, errors.Join(append(errs, err)...)
}

// compile reads the lexicon and makes a grammar of it and the frames of rules.
func compile(fsys fs.FS, rules []Rule) (*scan.Grammar, error) {
	var spec struct {
		Common, Coded string
		Lexicon       []string
		Groups        map[string]string
	}
	grammar, err := read(fsys, "grammar.toml")
	if err == nil {
		err = grammar.decode(&spec)
	}
	errs := []error{err}
	var entries []scan.Entry
	for _, file := range spec.Lexicon {
		lexicon, err := read(fsys, "lexicon/"+file+".toml")
		if err == nil {
			var words []scan.Entry
			words, err = lexicon.entries()
			entries = append(entries, words...)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	frames, owners := framesOf(rules)
	g, err := scan.Compile(scan.Spec{Entries: entries, Groups: spec.Groups, Frames: frames, Common: spec.Common, Coded: spec.Coded})
	var bad scan.FrameErrors
	if !errors.As(err, &bad) {
		return g, errors.Join(err, unknownConcepts(g, rules))
	}
	for _, f := range bad {
		errs = append(errs, owners[f.Frame].Errorf("\n"+beginning(frames[f.Frame].Pattern), "%w", f.Err))
	}
	return nil, errors.Join(errs...)
}

// handover begins the frames for parameters where they count in prose.
const handover = "handover ..8 "

// beginning returns the text at the start of a line of the pattern.
func beginning(pattern string) string {
	pattern = strings.TrimPrefix(pattern, handover)
	return pattern[:len(pattern)-len(strings.TrimLeftFunc(pattern, func(r rune) bool { return r != ' ' && r != '|' }))]
}

// framesOf returns the frames of all rules, and the rule of each.
func framesOf(rules []Rule) (frames []scan.Frame, owners []*Rule) {
	for i := range rules {
		r := &rules[i]
		add := func(name, before string, patterns Frames) {
			for _, pattern := range patterns {
				frames = append(frames, scan.Frame{Name: name, Pattern: before + pattern})
				owners = append(owners, r)
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
				add(r.AskName(n, true), handover, ask.Parameter)
			}
			add(r.AskName(n, true), "", ask.Prose)
		}
	}
	return frames, owners
}

// unknownConcepts is an error when an exception or a need names a concept that
// the lexicon lacks.
func unknownConcepts(g *scan.Grammar, rules []Rule) error {
	var errs []error
	for _, r := range rules {
		for _, e := range r.Except {
			for _, c := range e {
				if c.Concepts != "" && g.Concept(c.Concepts) == (scan.Set{}) {
					errs = append(errs, r.Errorf("\nexcept", "no concept %q", c.Concepts))
				}
			}
		}
		for _, d := range r.Defaults {
			if d.Purpose != "" && g.Concept(d.Purpose) == (scan.Set{}) {
				errs = append(errs, r.Errorf("\npurpose", "no concept %q", d.Purpose))
			}
		}
		for _, ask := range r.Asks {
			if ask.Needs != "" && g.Concept(ask.Needs) == (scan.Set{}) {
				errs = append(errs, r.Errorf("\nneeds", "no concept %q", ask.Needs))
			}
		}
	}
	return errors.Join(errs...)
}
