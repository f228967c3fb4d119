package seen_test

import (
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/quotes"
	"toolcrib/tui/seen"
	"toolcrib/tui/theme"
)

// TestUnread checks what an approval lacks: the diff, then its parts and the findings about hidden characters that
// were not on screen, and everything again after a change.
func TestUnread(t *testing.T) {
	th := theme.Theme{}
	definition := registry.Definition{Tool: &registry.Tool{ID: "pacer", Prompt: "Count the words."}}
	d := review.Dossier{Proposal: proposals.Proposal{ID: "1"}, Revision: proposals.Revision{Draft: proposals.Draft{Definition: definition}}}
	d.Standing = []review.Standing{{Finding: rules.Finding{Rule: "S104", Path: "definition.prompt", Passage: "\u202e"}}}
	record := seen.New()
	unread := func(want ...string) {
		t.Helper()
		p := record.Progress(d)
		missing := strings.Join(append(p.Unread, p.Missing...), "; ")
		for _, part := range want {
			if !strings.Contains(missing, part) {
				t.Errorf("%q is not among what is unread: %q", part, missing)
			}
		}
		if len(want) == 0 && missing != "" {
			t.Errorf("all was on the screen, but %q is unread", missing)
		}
	}
	unread("the diff")

	findings := [2]*pager.Pager{pager.New(th), pager.New(th)}
	record.Show(d, seen.ContentHash(d), findings)
	list := difflist.New(diff.Contents(diff.Content{}, diff.Content{Definition: definition}), difflist.DefaultContext)
	p := pager.New(th)
	p.SetSize(80, 100)
	p.Replace(list.Rows(th, false))
	reading := record.Reading("1")
	reading.SetDiff(seen.Comparison{New: seen.ContentHash(d)}, list, p)
	unread("prompt", "S104")

	p.MarkSeen()
	unread("S104")
	var q quotes.Quotes
	page := prose.New(th)
	q.Findings(page, th, d, quotes.Rows(d.Standing), reading.Passages)
	findings[1].SetSize(80, 100)
	findings[1].Replace(page.Rows())
	findings[1].MarkSeen()
	unread()

	d.Revision.Draft.Definition.Tool = &registry.Tool{ID: "pacer", Prompt: "Count the letters."}
	record.Show(d, seen.ContentHash(d), findings)
	unread("the changes since")
}
