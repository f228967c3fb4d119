package decisions

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/desk"
	"toolcrib/tui/pending"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// reader reads proposals that wait for the user or are closed.
type reader struct {
	desk.Desk
	closed map[proposals.ID]bool
}

func (r reader) Show(_ context.Context, _ proposals.Actor, id proposals.ID) (review.Dossier, error) {
	p := proposals.Proposal{ID: id, State: proposals.UserReview, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: string(id)}}
	if r.closed[id] {
		p.State = proposals.Withdrawn
	}
	return review.Dossier{Proposal: p}, nil
}

// window is a shell that records opened dialogs.
type window struct {
	screen.Messenger
	asked []screen.Dialog
}

func (w *window) Frame() screen.Frame { return screen.Frame{Theme: theme.Plain(), Now: time.Now} }
func (w *window) CloseDialog()        {}

func (w *window) Ask(d screen.Dialog) tea.Cmd {
	w.asked = append(w.asked, d)
	return nil
}

// queue is the page with the marks. elsewhere is set if another page is on screen.
type queue struct {
	Pages
	elsewhere bool
	marked    []proposals.Proposal
}

func (q *queue) Tokens() string                   { return "" }
func (q *queue) Deciding() bool                   { return !q.elsewhere }
func (q *queue) Marked() []proposals.Proposal     { return q.marked }
func (q *queue) MarkOnly(ps []proposals.Proposal) { q.marked = ps }

// TestDecideOnMarks checks that the user is asked once for all marked proposals, that the decision continues without
// those that cannot be decided, and that nothing is asked if the user has left the page.
func TestDecideOnMarks(t *testing.T) {
	sh, pages, wrote := new(window), &queue{marked: []proposals.Proposal{{ID: "a"}, {ID: "b"}, {ID: "c"}}}, 0
	m := &Decisions{
		Context: t.Context(), Shell: sh, Pages: pages, Pending: pending.New(time.Now, nil),
		User:  &desk.User{Actor: proposals.Actor{Kind: proposals.User, Name: "mara"}, Desk: reader{closed: map[proposals.ID]bool{"b": true}}},
		Write: func(screen.Write) tea.Cmd { wrote++; return nil },
	}
	read := func(cmd tea.Cmd) { cmd().(screen.Then).Do() }
	pages.elsewhere = true
	if read(m.Decide(proposals.ActReject, pages.marked)); len(sh.asked) != 0 {
		t.Fatal("a dialog is opened over another page")
	}
	pages.elsewhere = false
	read(m.Decide(proposals.ActReject, pages.marked))
	refused := sh.asked[0]
	if refused.Form.Title != "Some decisions are not possible" || refused.Run != nil || len(refused.Keys) != 1 {
		t.Fatalf("%+v is asked", refused.Form)
	}
	read(refused.Keys[0].Do())
	if len(pages.marked) != 2 || len(sh.asked) != 2 || !strings.HasSuffix(sh.asked[1].Form.Title, "2 proposals") {
		t.Fatalf("%d are marked, %d dialogs were opened", len(pages.marked), len(sh.asked))
	}
	if sh.asked[1].Run("Not now."); wrote != 1 {
		t.Errorf("%d writes", wrote)
	}
}
