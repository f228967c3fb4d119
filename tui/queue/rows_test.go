package queue

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/theme"
)

// of returns proposals of a set, numbered from one number to before another.
func of(set string, from, to int) (ps []proposals.Proposal) {
	for i := from; i < to; i++ {
		ps = append(ps, proposals.Proposal{ID: proposals.ID(strconv.Itoa(i)), ChangeSet: set})
	}
	return ps
}

// TestFoldsOverChunks folds a set that goes on in later chunks to one row, read from
// either end, and lists all of it once it is unfolded.
func TestFoldsOverChunks(t *testing.T) {
	for _, backward := range []bool{false, true} {
		rs := newRows(backward, false, map[string]bool{})
		rs.asked = true
		rs.read(0, append(of("", 0, 2), of("a", 2, 5)...), "5")
		rs.read(1, of("a", 5, 9), "9")
		rs.read(2, append(of("a", 9, 11), of("", 11, 12)...), "")
		if rs.total() != 4 || rs.known() != 12 || !rs.whole() {
			t.Fatalf("backward %v: %d rows of %d proposals", backward, rs.total(), rs.known())
		}
		set := rs.find("10")
		if r, ok := rs.at(set); !ok || len(r.members) != 9 || set != rs.find("2") {
			t.Errorf("backward %v: row %d has %d members", backward, set, len(r.members))
		}
		var before []int
		for i := range rs.total() {
			before = append(before, rs.before(i))
		}
		want := "[0 1 2 11]"
		if backward {
			want = "[0 1 10 11]"
		}
		if got := fmt.Sprint(before); got != want {
			t.Errorf("backward %v: above the rows are %s; want %s", backward, got, want)
		}
		rs.unfolded["a"] = true
		if rs.refold(); rs.total() != 12 || rs.known() != 12 {
			t.Errorf("backward %v: unfolded are %d rows of %d proposals", backward, rs.total(), rs.known())
		}
		delete(rs.unfolded, "a")
		if rs.refold(); rs.total() != 4 || len(rs.slots[1].lent) != 4 {
			t.Errorf("backward %v: folded again are %d rows", backward, rs.total())
		}
	}
}

// TestFoldsNoEndlessSet lists what a set has beyond so many chunks: a screen of rows
// never takes a list of any length to fill.
func TestFoldsNoEndlessSet(t *testing.T) {
	rs := newRows(false, false, map[string]bool{})
	for n := range maxFolded + 2 {
		rs.read(n, of("a", n*chunk, (n+1)*chunk), strconv.Itoa((n+1)*chunk))
	}
	if want := 1 + chunk; rs.total() != want {
		t.Errorf("%d rows; want %d", rs.total(), want)
	}
}

// TestNamesOfASetAlike leaves out the kind and the layer of all members where one of them
// has no room for it.
func TestNamesOfASetAlike(t *testing.T) {
	ps := []proposals.Proposal{
		{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "move_file"}},
		{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "list_allowed_directories"}},
	}
	for width, want := range map[int][]string{
		34: {"tool:user/move_file", "tool:user/list_allowed_directories"}, 33: {"user/move_file", "user/list_allowed_directories"}, 28: {"move_file", "list_allowed_directories"},
	} {
		for i, l := range namesOf(theme.Theme{}, ps, width) {
			if got := strings.TrimSpace(l.String(60)); got != want[i] {
				t.Errorf("%d cells: %q", width, got)
			}
		}
	}
}
