// Package files implements the F family: rules about the files of skills and instructions. Other
// packages check the wording of these files.
package files

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"toolcrib/internal/lazyregexp"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/filetext"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/places"
	"toolcrib/review/rules"
)

// Rules returns the F family.
func Rules() []rules.Rule {
	return []rules.Rule{
		fileRule("F101", executable), rules.Of("F104", pathsOutside), fileRule("F105", permissions), fileRule("F106", binaries), rules.Of("F107", hidden), rules.Of("F108", unparsed), rules.Of("F112", skippedByClients),
		fileRule("F109", encoded), rules.Of("F110", undisplayable), rules.Of("F111", misplaced),
	}
}

// eachChanged calls visit for each file that the draft adds or changes, sorted by path. The
// argument base is the live version of the file, or nil for a new file.
func eachChanged(c *rules.Change, visit func(name string, file registry.File, base *registry.File)) {
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
			visit(name, f.Files[name], nil)
		case before != f.Files[name]:
			visit(name, f.Files[name], &before)
		}
	}
}

// filePath returns the JSON path of the file called name in a proposal.
func filePath(name string) string { return jsondoc.Join("definition.files", name) }

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
	return []rules.Finding{{Path: filePath(name), Message: jsondoc.Printable(name) + " " + what + "."}}
}

// fileRule returns a rule that passes every new or changed file to check.
func fileRule(id string, check func(name string, f registry.File, before *registry.File) []rules.Finding) rules.Rule {
	return rules.Of(id, func(c *rules.Change) []rules.Finding {
		var found []rules.Finding
		eachChanged(c, func(name string, f registry.File, before *registry.File) {
			found = append(found, check(name, f, before)...)
		})
		return found
	})
}

var parentPath = lazyregexp.New(`(?:\.\./)+[\w][\w./-]*\.\w+`)

// eachText calls visit for each file that has text. It does nothing if the draft deactivates its
// subject.
func eachText(c *rules.Change, visit func(name string, t *rules.Text)) {
	f := c.Draft.Definition.Folder()
	if f == nil || c.Draft.Type == proposals.Deactivate {
		return
	}
	for _, name := range f.Paths() {
		if text := f.Files[name].Text; text != "" {
			visit(name, &rules.Text{Path: jsondoc.Join(filePath(name), "text"), Value: text, Kind: rules.Prose, Visible: true})
		}
	}
}

// pathsOutside checks the Markdown files of a skill, and reports paths that lead out of the folder
// of the skill. It does not check programs, because programs may import modules by such paths.
func pathsOutside(c *rules.Change) []rules.Finding {
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
		for _, m := range parentPath().FindAllStringIndex(t.Value, -1) {
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

// markdown reports whether the file name has an extension for Markdown or plain text.
func markdown(name string) bool {
	return slices.Contains([]string{".md", ".mdc", ".markdown", ".txt", ""}, strings.ToLower(path.Ext(name)))
}

// binaries reports binary files. Reviewers cannot read them, so an approval covers only their hash.
func binaries(name string, f registry.File, _ *registry.File) []rules.Finding {
	if !f.Binary() {
		return nil
	}
	what := fmt.Sprintf("%s is a binary (%s, %d bytes, SHA-256 %s)", jsondoc.Printable(name), f.Type, f.Size, f.SHA256)
	if filetext.Inert(f.Type) && !f.Executable {
		return []rules.Finding{{Path: filePath(name), Severity: rules.Info, Message: what + "; an approval covers its hash.", Suggestion: "Compare the hash with the hash of the file that you know."}}
	}
	return []rules.Finding{{Path: filePath(name), Message: what + " that cannot be read here. An approval covers only its hash."}}
}

// encoded reports text files in an encoding other than UTF-8.
func encoded(name string, f registry.File, _ *registry.File) []rules.Finding {
	if f.Encoding == "" || f.Text == "" {
		return nil
	}
	t := &rules.Text{Path: jsondoc.Join(filePath(name), "text"), Value: f.Text}
	if f.Encoding != filetext.Bytes {
		message := jsondoc.Printable(name) + " is in " + strings.ToUpper(f.Encoding) + ". The review shows the decoded text; clients that expect UTF-8 read a different text."
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
		return fmt.Sprintf("%s has NULs or bytes that are not UTF-8 (%d). The review shows such bytes in the form %s; clients drop or replace them.", jsondoc.Printable(name), count, f.Text[first.Start:first.End])
	})
}

// asUTF8 returns the beginning of the first long run of ASCII characters in the bytes of f. It
// returns "" if no run is as long as a command. Reviewers see these bytes decoded from UTF-16, as
// letters of another writing system. A program that reads the file as UTF-8 sees the ASCII
// characters, and a shell may run them. Ideographs may contain a long run by chance. The author
// then has to save the file as UTF-8.
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

// undisplayable reports files that cannot be displayed. A proposal with such a file cannot be
// submitted.
func undisplayable(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	eachChanged(c, func(name string, f registry.File, _ *registry.File) {
		if problem := f.Problem(c.Draft.Subject.Kind, name); problem != "" {
			found = append(found, rules.Finding{Path: filePath(name), Message: jsondoc.Printable(name) + " " + problem + "."})
		}
	})
	return found
}

// misplaced reports skills and instructions at a path that no client reads. Approved files are
// written to this path, where other programs may run or obey them. Instructions in Markdown may
// have any path, because other files can import them. misplaced also warns about files with
// settings of a client. The rule skips isolated drafts without a rationale, which are files on disk
// that the restore command does not write.
func misplaced(c *rules.Change) []rules.Finding {
	f, s := c.Draft.Definition.Folder(), c.Draft.Subject
	if f == nil || c.Draft.Type == proposals.Deactivate || c.Isolated && c.Draft.Rationale == "" {
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
		found.Message = "No client reads " + article[s.Kind] + " at " + jsondoc.Printable(f.Path) + ". The restore command would write the files there, and another program may run or follow them."
	}
	return []rules.Finding{found}
}

var article = map[registry.Kind]string{registry.KindSkill: "a skill", registry.KindInstructions: "instructions"}
