package document

import (
	"strings"

	"toolcrib/cli/output"
	"toolcrib/history/diff"
	"toolcrib/registry"
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
		case output.IsText(v):
			p.Linef("  %s", key)
			p.Text("    ", v.Text)
		default:
			p.Linef("  %s: %s", key, output.Scalar(v))
		}
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
