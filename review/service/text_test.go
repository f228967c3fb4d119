package service_test

import (
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestTextsAreLimited uses notes, reasons, and comments that are too long or invalid text. All of them must be rejected
// before anything is written.
func TestTextsAreLimited(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.waiting(scout, "scene_pacer")
	clean := o.propose(scout, storetest.Prompt("chapter_pacer"))
	for name, text := range map[string]string{
		"too long": strings.Repeat("é", proposals.MaxComment+1), "not UTF-8": "bad \xff bytes", "NUL": "a\x00b",
	} {
		t.Run(name, func(t *testing.T) {
			o := testDesk{Database: o.Database, T: t, desk: o.desk}
			for _, try := range []func() error{
				func() error {
					_, err := o.desk.Drafting.Comment(t.Context(), ada, p.ID, text, review.Anchor{})
					return err
				},
				func() error { _, err := o.desk.Deciding.Waive(t.Context(), ada, p.ID, "N103", text, nil); return err },
				func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(clean), text); return err },
				func() error {
					_, err := o.desk.Deciding.Decide(t.Context(), ada, choices(p), proposals.VerdictNeedsChanges, text)
					return err
				},
				func() error {
					_, err := o.desk.Deciding.Decide(t.Context(), ada, choices(p), proposals.VerdictRejected, text)
					return err
				},
				func() error { _, err := o.desk.Drafting.Withdraw(t.Context(), ada, p.ID, text); return err },
			} {
				o.refused(review.ErrText, try)
			}
		})
	}
	just := strings.Repeat("é", proposals.MaxComment)
	if _, err := o.desk.Drafting.Comment(t.Context(), ada, p.ID, just, review.Anchor{}); err != nil {
		t.Error(err)
	}
	if _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(clean), just); err != nil {
		t.Error(err)
	}
	if got := o.show(ada, p).Comments[0].Body; got != just {
		t.Errorf("a comment of %d bytes came back with %d", len(just), len(got))
	}
	o.sound()
}

// TestAnchors attaches comments to passages. Those that do not exist must be rejected.
func TestAnchors(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	d := storetest.Prompt("scene_pacer")
	p := o.propose(scout, d)
	p = o.revise(scout, p, withAlias(d, "pace_scene"))
	for _, at := range []review.Anchor{
		{},
		{Field: "definition.prompt"},
		{Field: "definition.prompt", Line: 1},
		{Field: "definition.prompt", Line: 3},
		{Revision: 1, Field: "rationale"},
		{Field: "definition.aliases[0]"},
		{Field: "testCases[1].checks[0].type", Line: 1},
		{Field: "definition"},
	} {
		c, err := o.desk.Drafting.Comment(t.Context(), rover, p.ID, "Look.", at)
		if err != nil || c.Field != at.Field || c.Line != at.Line || at.Revision == 0 && c.Revision != 2 {
			t.Errorf("%+v: %+v, %v", at, c, err)
		}
	}
	for _, at := range []review.Anchor{
		{Field: "definition.prompt", Line: 4},
		{Field: "definition.prompt", Line: -1},
		{Line: 1},
		{Revision: 3},
		{Revision: -1},
		{Revision: 1, Field: "definition.aliases[0]"},
		{Field: "definition.nothing"},
		{Field: "testCases[9]"},
		{Field: "["},
		{Field: ".."},

		{Field: strings.Repeat("a.", 1<<16)},
	} {
		o.refused(proposals.ErrNotFound, func() error { _, err := o.desk.Drafting.Comment(t.Context(), rover, p.ID, "Look.", at); return err })
	}
}
