package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui"
)

// Limits: a key press takes at most 2 ms with a text of 1 MB on a screen of 200 by 60, and the cost of the queue does
// not depend on its length.

// megabyte returns a proposal with a prompt of 1 MB in lines of the given length.
func megabyte(line int) proposals.Draft {
	d := hostile("plain")
	var b strings.Builder
	for n := 0; b.Len() < 1<<20; n++ {
		fmt.Fprintf(&b, "%d ", n)
		b.WriteString(strings.Repeat("word and more ", line/14))
		b.WriteByte('\n')
	}
	d.Definition.Tool.Prompt = b.String()
	return d
}

// oversized is a reader of drafts that exceed the limit of a submission.
type oversized struct {
	tui.Reader
	draft proposals.Draft
}

func (o oversized) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	d, err := o.Reader.Show(ctx, actor, id)
	d.Revision.Draft = o.draft
	return d, err
}

func BenchmarkKeyIn1MB(b *testing.B) {
	for _, c := range []struct {
		name string
		line int
		keys []string
	}{
		{"down", 100, []string{"j"}},
		{"page", 100, []string{"space"}},
		{"split", 100, []string{"j", "j"}},
		{"unwrapped", 100, []string{"j"}},
		{"right-in-one-line", 1 << 20, []string{"l"}},
		{"down-in-one-line", 1 << 20, []string{"j"}},
		{"search", 100, []string{"n"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newBigWorkbench(b, megabyte(c.line))
			w.press("enter", "2")
			switch c.name {
			case "split":
				w.press("s")
			case "unwrapped", "right-in-one-line":
				w.press("w")
			case "search":
				w.press("/", "w", "o", "r", "d", "enter")
			}
			keys := make([]tea.KeyPressMsg, len(c.keys))
			for i, k := range c.keys {
				keys[i] = keyPress(k)
			}
			w.m.Update(keys[0])
			_ = w.m.View()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				w.m.Update(keys[i%len(keys)])
				_ = w.m.View()
			}
		})
	}
}

func newBigWorkbench(tb testing.TB, draft proposals.Draft) *workbench {
	tb.Helper()
	w := newWorkbench(tb, 200, 60)
	if _, err := w.desk.Drafting.Propose(tb.Context(), drafter, []proposals.Draft{hostile("plain")}, true); err != nil {
		tb.Fatal(err)
	}
	desk := tui.DeskOf(w.desk)
	desk.Reader = oversized{desk.Reader, draft}
	w.m = tui.New(tui.Config{
		Desk: desk, Registry: registryPage{w.db}, Actor: mara, Layer: registry.LayerUser, Theme: "dark",
		Getenv: func(string) string { return "" }, Now: w.now, After: w.after,
	})
	w.m.Prime(200, 60)
	return w
}

func BenchmarkQueue(b *testing.B) {
	for _, n := range []int{10, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newWorkbench(b, 200, 60, func(w *workbench) {
				drafts := make([]proposals.Draft, n)
				for i := range drafts {
					drafts[i] = proposals.Draft{Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: fmt.Sprintf("tool_%d", i)}}
				}
				if _, err := w.desk.Drafting.Propose(b.Context(), mara, drafts, false); err != nil {
					b.Fatal(err)
				}
			})
			down := keyPress("j")
			b.Run("first-frame", func(b *testing.B) {
				for b.Loop() {
					m := tui.New(w.config)
					m.Prime(200, 60)
					_ = m.View()
				}
			})
			b.Run("key", func(b *testing.B) {
				for b.Loop() {
					w.m.Update(down)
					_ = w.m.View()
				}
			})
		})
	}
}
