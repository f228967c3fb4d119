package screen

import (
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
)

// MaxGlance is how long a definition may be, in bytes, for a pane beside a list to
// show it.
const MaxGlance = 64 << 10

// Definition lays out the members of a definition that have a value.
func (f Frame) Definition(page *prose.Page, doc *jsondoc.Node, keys []string) {
	for _, key := range keys {
		v := doc.Get(key)
		switch {
		case v == nil:
		case v.Kind == jsondoc.String && (strings.Contains(v.Text, "\n") || len(v.Text) > 60):
			page.Gap()
			page.Heading(key)
			page.Text("  ", strings.TrimSuffix(v.Text, "\n"))
			page.Blank()
		case v.Kind == jsondoc.String:
			page.Item(draw.Of(f.Theme.Faint, draw.Pad(draw.Show(key), 20)), v.Text)
		default:
			page.Item(draw.Of(f.Theme.Faint, draw.Pad(draw.Show(key), 20)), string(jsondoc.Canonical(v)))
		}
	}
}

// Document returns a definition with the keys it can have.
func Document(kind registry.Kind, definition []byte) (*jsondoc.Node, []string) {
	empty := &jsondoc.Node{Kind: jsondoc.Object}
	if definition == nil {
		return empty, nil
	}
	doc, err := jsondoc.Parse(definition, jsondoc.DefaultLimits)
	if err != nil {
		return empty, nil
	}
	d, err := registry.DecodeDefinition(kind, definition)
	if err != nil {
		return empty, nil
	}
	return doc, d.Keys()
}
