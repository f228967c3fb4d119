package document

import (
	"strings"

	"toolcrib/cli/output"
	"toolcrib/history/diff"
	"toolcrib/registry"
	"toolcrib/registry/wire"
)

// WriteDefinition prints every key of a definition: texts of more than one
// line as such, everything else as JSON.
func WriteDefinition(p *output.Page, d registry.Definition) {
	doc := output.MustParse(d.Canonical())
	for _, key := range d.Keys() {
		v := doc.Get(key)
		switch {
		case v == nil:
		case key == "files" && d.Folder() != nil:
			writeFiles(p, *d.Folder())
		case key == "source" && d.Tool != nil && len(d.Tool.Source.Excluded) > 0:
			p.Linef("  %s: %s", key, output.Scalar(v))
			for _, e := range d.Tool.Source.Excluded {
				p.Linef("    excluded from the pin: %s", e)
			}
		case output.IsText(v):
			p.Linef("  %s", key)
			p.Text("    ", v.Text)
		default:
			p.Linef("  %s: %s", key, output.Scalar(v))
		}
	}
}

// WriteSuggestions prints the parts of a tool that its server seems to change on its own, and
// how to exclude them.
func WriteSuggestions(p *output.Page, suggested []wire.Suggestion, ref string) {
	for _, s := range suggested {
		flags := "--path " + output.ShellWord(s.Path)
		if s.Pattern != "" {
			flags += " --pattern " + output.ShellWord(s.Pattern)
		}
		p.Linef("Characters %d–%d of %s differ between two lists of the server. If they change on their own: toolcrib exclude %s %s", s.From+1, s.To, s.Path, ref, flags)
	}
}

// writeFiles prints the files of a skill, or the one of instructions.
func writeFiles(p *output.Page, f registry.Folder) {
	for _, name := range f.Paths() {
		file := f.Files[name]
		line := name
		if notes := diff.AboutWhole(file); len(notes) > 0 {
			line += ": " + strings.Join(notes, ", ")
		}
		p.Linef("  %s", line)
		if file.Text != "" {
			p.Text("    ", file.Text)
		}
	}
}
