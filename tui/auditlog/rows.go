// This file draws the list of entries, and the selected entry in the side pane.

package auditlog

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// layOut lays out the entries. On a narrow screen, it omits some parts of each entry.
func (p *Page) layOut() {
	th := p.Frame.Theme
	page := prose.New(th)
	width := cmp.Or(p.LeftWidth(p.Layout()), p.Frame.Width)
	for _, e := range p.events {
		page.Stop()
		act := e.Act
		line, actors, acts := draw.Of(th.Faint, draw.Escapef("%4s  ", wording.ShortAge(p.Frame.Now().Sub(e.At)))), 18, 14
		switch {
		case width >= 100:
			line = draw.Of(th.Faint, draw.Escapef("%6d  ", e.Seq)+screen.FormatTime(e.At)+"  ")
		case width >= 80:
			line = draw.Of(th.Faint, draw.Escapef("%6d ", e.Seq)).Add(th.Faint, line[0].Text)
			act, acts = briefAct(act), 8
		default:
			act, actors, acts = briefAct(act), 14, 8
		}
		name := draw.Cut(draw.Escape(act), acts)
		line = line.Add(actorStyle(th, e.Actor), draw.Pad(draw.Escape(e.Actor), actors)+" ").
			Add(actStyle(th, e.Act), name).Add("", draw.Safe(draw.Blank(acts+1-draw.Width(name))))
		text := e.Subject
		if s, err := registry.ParseSubject(text); err == nil {
			draws := labels.Named
			if width < 80 {
				draws = labels.Brief // in each row
			}
			text = ""
			for _, span := range draws(th, s, width-2-line.Width()) {
				text += string(span.Text)
			}
		}
		if width >= 100 {
			text += details(e, width-2-line.Width()-draw.Width(draw.Escape(text)))
		}
		page.Item(line, text)
	}
	p.Pager.Replace(page.Rows())
}

// briefAct returns the name of an action in at most eight cells.
func briefAct(act string) string {
	switch proposals.Act(act) { //nolint:exhaustive // the names of the other acts are short
	case proposals.ActRequestChanges:
		return "changes"
	case proposals.ActApproveCall:
		return "run"
	case proposals.ActRefuseCall:
		return "refuse"
	}
	return act
}

func actorStyle(th theme.Theme, actor string) theme.Style {
	switch proposals.ActorKind(strings.SplitN(actor, ":", 2)[0]) {
	case proposals.Agent:
		return th.Info
	case proposals.User:
		return th.Strong
	case proposals.Chief, proposals.System:
	}
	return th.Faint
}

func actStyle(th theme.Theme, act string) theme.Style {
	switch proposals.Act(act) { //nolint:exhaustive // other acts have the default style
	case proposals.ActApprove, proposals.ActApproveCall:
		return th.Good
	case proposals.ActReject, proposals.ActRefuseCall:
		return th.Bad
	case proposals.ActRequestChanges, proposals.ActWaive:
		return th.Warn
	}
	return th.Title
}

// data contains the fields of an entry's JSON data that the page shows.
type data struct {
	Version        int                      `json:"version"`
	Recommendation proposals.Recommendation `json:"recommendation"`
	Findings       int                      `json:"findings"`
	Note           string                   `json:"note"`
}

// parseData decodes the data of an entry. It returns the zero value if the data is not in the expected form.
func parseData(e history.Event) data {
	var d data
	if json.Unmarshal(e.Data, &d) != nil {
		return data{}
	}
	return d
}

// details formats the details of an entry on one line. It stops before the first detail that does not fit in
// room cells, but always appends the note.
func details(e history.Event, room int) string {
	data := parseData(e)
	var words []string
	if data.Version > 0 {
		words = append(words, "version "+strconv.Itoa(data.Version))
	}
	if data.Recommendation != "" {
		words = append(words, wording.Advice(data.Recommendation), wording.Count(data.Findings, "finding", "findings"))
	}
	text := ""
	for _, word := range words {
		next := "   " + word
		if text != "" {
			next = text + ", " + word
		}
		if draw.Width(next) > room {
			return text
		}
		text = next
	}
	switch {
	case data.Note == "":
		return text
	case text == "":
		return "   " + data.Note
	}
	return text + ", " + data.Note
}

// sidePane draws the side pane, which shows the whole selected entry.
func (p *Page) sidePane() []string {
	e, ok := p.selected()
	if !ok {
		return nil
	}
	page := prose.New(p.Frame.Theme)
	page.Title(e.Act)
	page.Text("", e.Subject)
	page.Blank()
	page.Field("entry", strconv.Itoa(int(e.Seq)))
	page.Field("at", string(screen.FormatTime(e.At)))
	page.Field("by", e.Actor)
	if e.Proposal != "" {
		page.Field("proposal", e.Proposal)
	}
	if doc, err := jsondoc.Parse(e.Data, jsondoc.DefaultLimits); err == nil && doc.Kind == jsondoc.Object {
		page.Blank()
		label := prose.LabelWidth
		for _, member := range doc.Members {
			label = max(label, draw.Width(draw.Escape(member.Key)))
		}
		for _, member := range doc.Members {
			value := string(jsondoc.Canonical(member.Value))
			if member.Value.Kind == jsondoc.String {
				value = member.Value.Text
			}
			page.Item(draw.Of(p.Frame.Theme.Faint, draw.Pad(draw.Escape(member.Key), min(label, p.Frame.Side/2))+" "), value)
		}
	}
	page.Blank()
	hash := e.Hash
	if prose.LabelWidth+len(hash) >= p.Frame.Side {
		hash = wording.Short(hash)
	}
	page.Field("hash", hash)
	return p.preview.View(p.Frame, e.Hash, page)
}
