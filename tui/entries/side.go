package entries

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// definitionPreview is the definition of the selected row, for the pane beside the list. It is
// decoded once.
type definitionPreview struct {
	subject registry.Subject
	doc     *jsondoc.Node
	keys    []string
}

// debounce reads the selected definition once the cursor rests on it.
func (r *Page) debounce() tea.Cmd {
	e, ok := r.Selected()
	if !ok || r.Frame.Side == 0 || e.Subject == r.definition.subject {
		return nil
	}
	return r.Debounced(rested{e.Subject})
}

func (r *Page) rested(subject registry.Subject) tea.Cmd {
	if e, ok := r.Selected(); !ok || e.Subject != subject {
		return nil
	}
	return func() tea.Msg {
		text, err := r.registry.Definition(r.ctx, subject)
		if err != nil {
			return nil // the row is enough
		}
		return defined{subject, text}
	}
}

func (r *Page) defined(msg defined) {
	if e, ok := r.Selected(); ok && e.Subject == msg.subject && len(msg.text) <= screen.MaxGlance {
		doc, keys := screen.Document(msg.subject.Kind, msg.text)
		r.definition = definitionPreview{msg.subject, doc, keys}
	}
}

// side draws the pane beside the list: what the selected row is.
func (r *Page) side() []string {
	th := r.Frame.Theme
	e, ok := r.Selected()
	p, _ := r.outline.at(r.cursor)
	if r.Frame.Side == 0 || p == nil {
		return nil
	}
	page := prose.New(th)
	if !ok {
		page.Title(string(p.Layer))
		if p.Source != "" {
			page.Field("from", p.Source)
		}
		page.Field("entries", strconv.Itoa(p.Count))
		return r.Preview.View(r.Frame, "group", page)
	}
	name := e.Name
	if name == "" {
		name = e.Subject.ID
	}
	page.Title(name)
	page.Text("", e.Subject.String())
	state := draw.Of(th.Faint, draw.Showf("version %d", e.Version))
	if e.Locked {
		state = state.Add(th.Warn, "   ▪ Locked (core)")
	}
	page.Line(state)
	for _, hidden := range e.Hides {
		page.Field("over", hidden.String())
	}
	page.Blank()
	if r.definition.subject == e.Subject {
		r.Frame.Definition(page, r.definition.doc, r.definition.keys)
	}
	return r.Preview.View(r.Frame, e.Subject.String(), page)
}
