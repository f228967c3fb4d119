package rows

import (
	"fmt"
	"strconv"
	"testing"

	"toolcrib/proposals"
)

// of returns proposals of a set, numbered from up to but excluding to.
func of(set string, from, to int) (ps []proposals.Proposal) {
	for i := from; i < to; i++ {
		ps = append(ps, proposals.Proposal{ID: proposals.ID(strconv.Itoa(i)), ChangeSet: set})
	}
	return ps
}

// TestFoldsOverChunks checks that a set across several chunks is one row when read from either end, and is listed
// completely once unfolded.
func TestFoldsOverChunks(t *testing.T) {
	for _, backward := range []bool{false, true} {
		rs := New()
		rs.Backward = backward
		rs.Append("", append(of("", 0, 2), of("a", 2, 5)...), "5")
		rs.Append("5", of("a", 5, 9), "9")
		if _, ok := rs.Append("5", of("a", 5, 9), "9"); ok {
			t.Errorf("backward %v: an answer that came twice is taken", backward)
		}
		rs.Append("9", append(of("a", 9, 11), of("", 11, 12)...), "")
		if rs.Total() != 4 || rs.Loaded() != 12 || !rs.Complete() {
			t.Fatalf("backward %v: %d rows of %d proposals", backward, rs.Total(), rs.Loaded())
		}
		set := rs.Find("10")
		if r, ok := rs.At(set); !ok || len(r.Members) != 9 || set != rs.Find("2") {
			t.Errorf("backward %v: row %d has %d members", backward, set, len(r.Members))
		}
		var before []int
		for i := range rs.Total() {
			before = append(before, rs.Before(i))
		}
		want := "[0 1 2 11]"
		if backward {
			want = "[0 1 10 11]"
		}
		if got := fmt.Sprint(before); got != want {
			t.Errorf("backward %v: above the rows are %s; want %s", backward, got, want)
		}
		if rs.Fold("a"); rs.Total() != 12 || rs.Loaded() != 12 {
			t.Errorf("backward %v: unfolded are %d rows of %d proposals", backward, rs.Total(), rs.Loaded())
		}
		if rs.Fold("a"); rs.Total() != 4 {
			t.Errorf("backward %v: folded again are %d rows", backward, rs.Total())
		}
	}
}

// TestHugeSetTakesSeveralRows checks that the members of a huge set are divided into several rows, so that a screen never
// needs the whole list.
func TestHugeSetTakesSeveralRows(t *testing.T) {
	rs := New()
	for from := 0; from < maxMembers+Chunk; from += Chunk {
		rs.Append(rs.Next, of("a", from, from+Chunk), strconv.Itoa(from+Chunk))
	}
	if want := 2; rs.Total() != want {
		t.Errorf("%d rows; want %d", rs.Total(), want)
	}
}
