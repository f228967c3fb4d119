package proposal

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// inDefinition begins the paths of a proposal that the diff shows.
const inDefinition = "definition."

// remark puts a cursor into the diff to choose the line that a comment is
// about, and writes the comment when it is there.
func (pp *Page) remark() tea.Cmd {
	p := pp.Shown()
	if _, picking := p.Picked(); picking {
		return pp.remarkHere()
	}
	first, last := p.Window()
	at := first
	if s := p.StopRow(); s >= first && s < last {
		at = s
	}
	for at < last-1 {
		if _, _, ok := pp.list.At(at, pp.split); ok {
			break
		}
		at++
	}
	p.Pick(at, pp.frame.Theme.Accent)
	return pp.Shell.Say(screen.Remark, "j and k choose a line, enter comments on it, esc leaves")
}

func (pp *Page) cannotRemark() string {
	if why := pp.cannotAct(proposals.ActComment)(); why != "" {
		return why
	}
	switch {
	case pp.Tab != tabDiff:
		return "only on the Diff tab; C comments on the proposal"
	case pp.list == nil:
		return "the diff is still loading"
	}
	return ""
}

// remarkHere asks for a comment on the line with the cursor.
func (pp *Page) remarkHere() tea.Cmd {
	row, _ := pp.Shown().Picked()
	path, line, ok := pp.list.At(row, pp.split)
	if !ok {
		return pp.Shell.Say(screen.Warning, "No line here; j and k choose one")
	}
	at := review.Anchor{Revision: pp.dossier.Revision.Number, Field: inDefinition + path, Line: line}
	if strings.HasPrefix(path, wire.SourcePath) { // a proposal names its source, which stands elsewhere
		at.Field, at.Line = inDefinition+"source", 0
	}
	if _, ok := pp.quote(at); !ok {
		return pp.Shell.Say(screen.Warning, "%s is no longer in revision %d; C comments on the proposal", path, at.Revision)
	}
	pp.Shown().Unpick()
	return pp.askCommentAt(at)
}

// askCommentAt asks for a comment, on a line or on the proposal as a whole.
func (pp *Page) askCommentAt(at review.Anchor) tea.Cmd {
	form, draft := proposals.ActComment.Form(1), draftOf(pp.id, at)
	return pp.Shell.Ask(screen.Dialog{
		Form: form, Draft: draft, About: pp.about(), Writing: true, Label: "Comment",
		Content: func(page *prose.Page) {
			page.Field("on", wording.Reference(pp.dossier.Proposal)+" "+pp.dossier.Proposal.Subject.String())
			if at.Field == "" {
				return
			}
			page.Field("at", place(at))
			if text, ok := pp.quote(at); ok && at.Line > 0 {
				page.Marked("┃ ", text, nil)
			}
		},
		Run: func(body string) tea.Cmd {
			return pp.Shell.Write(screen.Act(screen.Wrote{ID: pp.id, Draft: draft}, form, func(ctx context.Context) (string, error) { return pp.Acts.Comment(ctx, pp.id, body, at) }))
		},
	})
}

// place returns where an anchor is.
func place(at review.Anchor) string {
	where := at.Field
	if at.Line > 0 {
		where += ", line " + strconv.Itoa(at.Line)
	}
	return where + " of revision " + strconv.Itoa(at.Revision)
}

// quote returns the line that an anchor is on, "" for a field as a whole; false
// when there is none.
func (pp *Page) quote(at review.Anchor) (string, bool) {
	if q, known := pp.quotes[at]; known {
		return q.text, q.ok
	}
	var q quoted
	for _, r := range pp.dossier.Revisions {
		if r.Number == at.Revision {
			q = quoteOf(r.Draft, at)
		}
	}
	pp.quotes[at] = q
	return q.text, q.ok
}

// quoted is a line that was looked up.
type quoted struct {
	text string
	ok   bool
}

func quoteOf(d proposals.Draft, at review.Anchor) quoted {
	doc, err := jsondoc.Parse(d.Canonical(), jsondoc.DefaultLimits)
	if err != nil {
		return quoted{}
	}
	field := doc.Find(at.Field)
	switch {
	case field == nil:
		return quoted{}
	case at.Line == 0:
		return quoted{ok: true}
	case field.Kind != jsondoc.String:
		return quoted{string(jsondoc.Canonical(field)), true}
	}
	lines := strings.Split(field.Text, "\n")
	if at.Line > len(lines) {
		return quoted{}
	}
	return quoted{lines[at.Line-1], true}
}

// followComment shows the line that the selected comment is on.
func (pp *Page) followComment() tea.Cmd {
	n := pp.Shown().Stop()
	if n < 0 || n >= len(pp.anchors) || pp.anchors[n].Field == "" {
		return pp.Shell.Say(screen.Warning, "This comment is on the whole proposal")
	}
	at := pp.anchors[n]
	if at.Revision != pp.dossier.Revision.Number {
		pp.Shell.Say(screen.Remark, "The comment is on revision %d; this is revision %d", at.Revision, pp.dossier.Revision.Number)
	}
	pp.leap(tabThread)
	return pp.showLine(at.Field, at.Line)
}

// showLine goes to a line of the proposal in the diff.
func (pp *Page) showLine(field string, line int) tea.Cmd {
	path, ok := strings.CutPrefix(field, inDefinition)
	if !ok && !strings.HasPrefix(field, wire.SourcePath) {
		return pp.Shell.Say(screen.Warning, "%s is not a field of the definition, so it is not in the diff", field)
	}
	if pp.list == nil {
		pp.jump = &anchor{path, line}
		return pp.turn(tabDiff)
	}
	pp.goTo(anchor{path, line})
	return nil
}
