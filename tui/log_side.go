package tui

import (
	"encoding/json"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// told summarizes the data of an entry beyond its act in a few words.
func told(e history.Event) string {
	var data struct {
		Version        int                      `json:"version"`
		Recommendation proposals.Recommendation `json:"recommendation"`
		Findings       int                      `json:"findings"`
		Note           string                   `json:"note"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return "" // it has another form, and says nothing here
	}
	var words []string
	if data.Version > 0 {
		words = append(words, "version "+itoa(data.Version))
	}
	if data.Recommendation != "" {
		words = append(words, wording.Advice(data.Recommendation), wording.Count(data.Findings, "finding", "findings"))
	}
	if data.Note != "" {
		words = append(words, data.Note)
	}
	if len(words) == 0 {
		return ""
	}
	return "   " + strings.Join(words, ", ")
}

// side draws the pane beside the log: all of the selected entry.
func (l *logPage) side(m *Model) []string {
	n := l.pager.Stop()
	if n < 0 || n >= len(l.events) {
		return nil
	}
	e := l.events[n]
	page := prose.New(m.theme)
	page.Title(e.Act)
	page.Text("", e.Subject)
	page.Blank()
	page.Field("entry", itoa(int(e.Seq)))
	page.Field("at", string(m.stampOf(e.At)))
	page.Field("by", e.Actor)
	if e.Proposal != "" {
		page.Field("proposal", e.Proposal)
	}
	if doc, err := jsondoc.Parse(e.Data, jsondoc.DefaultLimits); err == nil && doc.Kind == jsondoc.Object {
		page.Blank()
		for _, member := range doc.Members {
			value := string(jsondoc.Canonical(member.Value))
			if member.Value.Kind == jsondoc.String {
				value = member.Value.Text
			}
			page.Item(draw.Of(m.theme.Faint, draw.Pad(draw.Show(member.Key), prose.LabelWidth)+" "), value)
		}
	}
	page.Blank()
	page.Field("hash", e.Hash)
	return l.preview.view(m, e.Hash, page)
}
