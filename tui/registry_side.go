package tui

import (
	"encoding/json"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
)

// definitionPreview is the definition of the selected row, for the pane beside the list. It is
// decoded once.
type definitionPreview struct {
	subject registry.Subject
	doc     *jsondoc.Node
	keys    []string
}

// debounce reads the selected definition once the cursor rests on it.
func (r *registryPage) debounce(m *Model) tea.Cmd {
	e, ok := r.selected()
	if !ok || m.layout.Side == 0 || e.Subject == r.definition.subject {
		return nil
	}
	return m.after(debounceDelay, restedMsg{e.Subject})
}

func (r *registryPage) rested(m *Model, subject registry.Subject) tea.Cmd {
	if e, ok := r.selected(); !ok || e.Subject != subject || m.page != page(r) {
		return nil
	}
	return m.loadDefinition(subject)
}

func (r *registryPage) definitionRead(subject registry.Subject, definition json.RawMessage) {
	if e, ok := r.selected(); ok && e.Subject == subject && len(definition) <= maxGlance {
		doc, keys := document(subject.Kind, definition)
		r.definition = definitionPreview{subject, doc, keys}
	}
}

// side draws the pane beside the list: what the selected row is.
func (r *registryPage) side(m *Model) []string {
	e, ok := r.selected()
	p, _ := r.outline.at(r.cursor)
	if m.layout.Side == 0 || p == nil {
		return nil
	}
	page := prose.New(m.theme)
	if !ok {
		page.Title(string(p.Layer))
		if p.Source != "" {
			page.Field("from", p.Source)
		}
		page.Field("entries", strconv.Itoa(p.Count))
		return r.preview.View(m.frame(), "group", page)
	}
	name := e.Name
	if name == "" {
		name = e.Subject.ID
	}
	page.Title(name)
	page.Text("", e.Subject.String())
	state := draw.Of(m.theme.Faint, draw.Showf("version %d", e.Version))
	if e.Locked {
		state = state.Add(m.theme.Warn, "   ▪ Locked (core)")
	}
	page.Line(state)
	for _, hidden := range e.Hides {
		page.Field("over", hidden.String())
	}
	page.Blank()
	if r.definition.subject == e.Subject {
		layDefinition(m, page, r.definition.doc, r.definition.keys)
	}
	return r.preview.View(m.frame(), e.Subject.String(), page)
}
