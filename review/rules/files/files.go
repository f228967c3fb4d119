// Package files holds the F family: what skills and instruction files bring besides
// their words.
package files

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/filetext"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/places"
	"toolcrib/review/rules"
)

// Rules is the F family.
func Rules() []rules.Rule {
	return []rules.Rule{
		each("F101", executable), rules.Of("F104", outside), each("F105", permissions), each("F106", binaries), rules.Of("F107", hidden), rules.Of("F108", unparsed), rules.Of("F112", skipped),
		each("F109", encoded), rules.Of("F110", unshown), rules.Of("F111", elsewhere),
	}
}

// changed yields the files that the draft adds or changes, by path, with what they were.
func changed(c *rules.Change, do func(name string, now registry.File, before *registry.File)) {
	f := c.Draft.Definition.Folder()
	if f == nil || c.Draft.Type == proposals.Deactivate {
		return
	}
	var old map[string]registry.File
	if c.Before != nil && c.Before.Definition.Folder() != nil {
		old = c.Before.Definition.Folder().Files
	}
	for _, name := range f.Paths() {
		before, had := old[name]
		switch {
		case !had:
			do(name, f.Files[name], nil)
		case before != f.Files[name]:
			do(name, f.Files[name], &before)
		}
	}
}

// at is the path of a file in a proposal.
func at(name string) string { return jsondoc.Join("definition.files", name) }

func executable(name string, f registry.File, before *registry.File) []rules.Finding {
	if !f.Executable {
		return nil
	}
	what := "is executable and new"
	if before != nil {
		what = "is executable and has changed"
		if !before.Executable {
			what = "becomes executable"
		}
	}
	return []rules.Finding{{Path: at(name), Message: jsondoc.Printable(name) + " " + what + "."}}
}

// each makes a rule of a look at every file that is new or has changed.
func each(id string, look func(name string, f registry.File, before *registry.File) []rules.Finding) rules.Rule {
	return rules.Of(id, func(c *rules.Change) []rules.Finding {
		var found []rules.Finding
		changed(c, func(name string, f registry.File, before *registry.File) {
			found = append(found, look(name, f, before)...)
		})
		return found
	})
}

// pattern compiles an expression when it is first needed.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var climbing = pattern(`(?:\.\./)+[\w][\w./-]*\.\w+`)

// eachText yields the texts of the files of a draft that is to be in force.
func eachText(c *rules.Change, do func(name string, t *rules.Text)) {
	f := c.Draft.Definition.Folder()
	if f == nil || c.Draft.Type == proposals.Deactivate {
		return
	}
	for _, name := range f.Paths() {
		if text := f.Files[name].Text; text != "" {
			do(name, &rules.Text{Path: jsondoc.Join(at(name), "text"), Value: text, Kind: rules.Prose, Visible: true})
		}
	}
}

// outside finds paths that climb out of the folder of a skill: those of Markdown files,
// which programs need for their modules.
func outside(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	if c.Draft.Subject.Kind != registry.KindSkill {
		return nil
	}
	eachText(c, func(name string, t *rules.Text) {
		if !markdown(name) {
			return
		}
		depth := strings.Count(name, "/")
		var spans []rules.Passage
		for _, m := range climbing().FindAllStringIndex(t.Value, -1) {
			if p := t.Value[m[0]:m[1]]; strings.Count(p, "../") > depth {
				spans = append(spans, rules.Passage{Start: m[0], End: m[1]})
			}
		}
		found = append(found, t.Findings(spans, func(p rules.Passage) string {
			return fmt.Sprintf("%s is outside the skill's folder, so the approval does not cover it.", jsondoc.Printable(t.Value[p.Start:p.End]))
		})...)
	})
	return found
}

func markdown(name string) bool {
	return slices.Contains([]string{".md", ".mdc", ".markdown", ".txt", ""}, strings.ToLower(path.Ext(name)))
}

// binaries lists the files that are approved by their hash.
func binaries(name string, f registry.File, _ *registry.File) []rules.Finding {
	if !f.Binary() {
		return nil
	}
	what := fmt.Sprintf("%s is a binary (%s, %d bytes, SHA-256 %s)", jsondoc.Printable(name), f.Type, f.Size, f.SHA256)
	if filetext.Inert(f.Type) && !f.Executable {
		return []rules.Finding{{Path: at(name), Severity: rules.Info, Message: what + "; an approval covers its hash.", Suggestion: "Compare the hash with that of the file you know."}}
	}
	return []rules.Finding{{Path: at(name), Message: what + " that cannot be read here. An approval covers only its hash."}}
}

// encoded reports texts that are not UTF-8.
func encoded(name string, f registry.File, _ *registry.File) []rules.Finding {
	if f.Encoding == "" || f.Text == "" {
		return nil
	}
	t := &rules.Text{Path: jsondoc.Join(at(name), "text"), Value: f.Text}
	if f.Encoding != filetext.Bytes {
		message := jsondoc.Printable(name) + " is in " + strings.ToUpper(f.Encoding) + ". It is shown decoded; clients that expect UTF-8 read another text."
		found := rules.Finding{Path: t.Path, Line: 1, Column: 1, Message: message}
		if passage := asUTF8(f); passage != "" {
			found.Severity = rules.Block
			found.Message += " They read, for example, " + jsondoc.Quote(passage) + "."
		}
		return []rules.Finding{found}
	}
	count, _ := filetext.Escapes(f.Text)
	start := max(0, strings.Index(f.Text, "⟨"))
	first := rules.Passage{Start: start, End: start + filetext.EscapeLength(f.Text[start:])}
	return t.Findings([]rules.Passage{first}, func(rules.Passage) string {
		return fmt.Sprintf("%s is not UTF-8: invalid bytes (%d) are shown as in %s; clients drop or replace them.", jsondoc.Printable(name), count, f.Text[first.Start:first.End])
	})
}

// asUTF8 returns the first characters of ASCII that a reader of UTF-8, such as a shell, finds
// in a text of UTF-16 where people are shown letters of other scripts: enough for a command.
// Ideographs can look like that by chance; their file has to be saved as UTF-8.
func asUTF8(f registry.File) string {
	const least = 8
	data, _ := f.Bytes()
	start := 0
	for i, c := range data {
		if c != '\t' && (c < ' ' || c > '~') {
			start = i + 1
		} else if i+1-start == least {
			return string(data[start : i+1])
		}
	}
	return ""
}

// unshown reports files that nobody can be shown. No proposal with one can be submitted.
func unshown(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	changed(c, func(name string, f registry.File, _ *registry.File) {
		if problem := f.Problem(c.Draft.Subject.Kind, name); problem != "" {
			found = append(found, rules.Finding{Path: at(name), Message: jsondoc.Printable(name) + " " + problem + "."})
		}
	})
	return found
}

// elsewhere reports a skill or instructions at a path where no client looks for them:
// approved files are written there, and other programs may run or obey them. Prose may lie
// anywhere, since other files import it. A file on disk that is checked by itself has no
// rationale, and restore does not write it.
func elsewhere(c *rules.Change) []rules.Finding {
	f, s := c.Draft.Definition.Folder(), c.Draft.Subject
	if f == nil || c.Draft.Type == proposals.Deactivate || c.Apart && c.Draft.Rationale == "" {
		return nil
	}
	found := rules.Finding{Path: "definition.path"}
	place, known := places.Find(s.Kind, s.Layer, f.Path)
	switch {
	case known && place.Settings():
		found.Severity = rules.Warn
		found.Message = jsondoc.Printable(f.Path) + " has settings of " + place.Client + ", which can run commands and turn off its hooks."
	case known, s.Kind == registry.KindInstructions && path.Ext(f.Path) != "" && markdown(f.Path):
		return nil
	default:
		found.Message = "No client reads " + article[s.Kind] + " at " + jsondoc.Printable(f.Path) + "; another program may run or follow what restore writes there."
	}
	return []rules.Finding{found}
}

var article = map[registry.Kind]string{registry.KindSkill: "a skill", registry.KindInstructions: "instructions"}
