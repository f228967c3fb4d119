package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/tui"
)

// manyTools is a registry with many tools of two servers and the shipped tools.
type manyTools struct {
	tui.Registry
	tools map[tui.EntryGroup]int
}

func (r manyTools) Groups(_ context.Context, q tui.EntryQuery) (out []tui.GroupCount, _ error) {
	for _, source := range []string{"", "ledger", "tracker"} {
		g := tui.EntryGroup{Layer: registry.LayerUser, Source: source}
		es, _ := r.entries(tui.EntryQuery{Filter: q.Filter, Group: &g, Limit: 1 << 30})
		if len(es) > 0 {
			out = append(out, tui.GroupCount{Group: g, Count: len(es)})
		}
	}
	return out, nil
}

func (r manyTools) Entries(_ context.Context, q tui.EntryQuery) ([]tui.Entry, string, error) {
	es, next := r.entries(q)
	return es, next, nil
}

func (r manyTools) entries(q tui.EntryQuery) (out []tui.Entry, next string) {
	for g, n := range r.tools {
		if q.Group != nil && g != *q.Group {
			continue
		}
		for i := range n {
			id := fmt.Sprintf("%stool_%05d", g.Source, i)
			if !strings.Contains(id, q.Filter) || id <= q.After {
				continue
			}
			if len(out) == q.Limit {
				return out, out[len(out)-1].Subject.ID
			}
			out = append(out, tui.Entry{Subject: registry.Subject{Kind: registry.KindTool, Layer: g.Layer, ID: id}, Source: g.Source, Version: 1})
		}
	}
	return out, ""
}

// TestFoldedRegistry goes through a registry of 10,000 tools by group (T21).
func TestFoldedRegistry(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30)
	group := func(source string) tui.EntryGroup {
		return tui.EntryGroup{Layer: registry.LayerUser, Source: source}
	}
	b.config.Registry = manyTools{b.config.Registry, map[tui.EntryGroup]int{group(""): 3, group("ledger"): 9000, group("tracker"): 1000}}
	b.restart()
	b.press("T").wants("10003 live", "▌▸ user  3", " ▸ user · ledger  9000", " ▸ user · tracker  1000")
	b.press("e").wants("e: no definition is selected; enter folds or unfolds a group")
	b.press("j", "enter").wants("▌▾ user · ledger  9000", "   ledgertool_00000")
	b.press("j", "j").wants("▌  ledgertool_00001", " 5/10003")
	b.press("F").wants("▌▸ user · ledger  9000", " ▸ user · tracker  1000")
	b.press("G", "enter", "G").wants("▌  trackertool_00999", " 10003/10003")
	b.press("E").wants("▌▾ user · tracker  1000") // the first two are folded, so all unfold
	b.press("E").wants("▌▸ user · tracker  1000", " ▸ user  3")
	b.press("/").write("_00007").wants("▌  ledgertool_00007", "   trackertool_00007", " 1/2")
	b.press("enter", "F").wants("▌▸ user · ledger  1", "   trackertool_00007")
	b.press("esc").wants("▌▸ user  3", " ▸ user · ledger  9000")
}
