package diff_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/internal/shortrun"
)

// valid checks all properties of a patch.
func valid(t *testing.T, before, after string) *diff.Patch {
	t.Helper()
	p := diff.Lines(before, after)
	if got, err := p.Apply(before); err != nil || got != after {
		t.Fatalf("Apply(%.200q) = %.200q, %v; want %.200q", before, got, err, after)
	}
	if got, err := p.Reverse().Apply(after); err != nil || got != before {
		t.Fatalf("Reverse().Apply(%.200q) = %.200q, %v; want %.200q", after, got, err, before)
	}
	oldLines, newLines := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	x, y := 0, 0
	for i, e := range p.Edits() {
		if e.Old.Len() < 0 || e.New.Len() < 0 || e.Old.Len()+e.New.Len() == 0 {
			t.Fatalf("edit %d is %+v", i, e)
		}
		if e.Old.Start-x != e.New.Start-y || e.Old.Start < x || i > 0 && e.Old.Start == x {
			t.Fatalf("edit %d, %+v, does not follow %d, %d", i, e, x, y)
		}
		for ; x < e.Old.Start; x, y = x+1, y+1 {
			if oldLines[x] != newLines[y] {
				t.Fatalf("lines %d and %d are kept and differ", x, y)
			}
		}
		x, y = e.Old.End, e.New.End
	}
	return p
}

// changed returns the number of lines that p changes.
func changed(p *diff.Patch) int {
	d, i := p.Changed()
	return d + i
}

func TestApplyOther(t *testing.T) {
	if _, err := diff.Lines("a\n", "b\n").Apply("c\n"); err != diff.ErrOtherText { //nolint:errorlint // returned unwrapped
		t.Fatalf("err = %v", err)
	}
}

func TestAdversarialTextsApply(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, size := range []int{40, 400, 20_000} {
		for _, p := range adversarial(size) {
			t.Run(fmt.Sprint(p.name, " ", size), func(t *testing.T) {
				if size > 1_000 {
					shortrun.NeedsLong(t)
				}
				validHunks(t, valid(t, p.old, p.new), p.old, p.new, 3)
			})
		}
	}
}

// fewest returns the smallest number of changed lines: the lines of both texts
// outside of a longest common subsequence. It computes the length of that with the
// bit-parallel algorithm of Hyyrö ("Bit-parallel LCS-length computation revisited",
// AWOCA 2004), and shares no code with the package.
func fewest(before, after string) int {
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	places := map[string][]uint64{} // positions of each line in a, as bits
	size := len(a)/64 + 1
	for i, line := range a {
		if places[line] == nil {
			places[line] = make([]uint64, size)
		}
		places[line][i/64] |= 1 << (i % 64)
	}
	row := slices.Repeat([]uint64{math.MaxUint64}, size)
	for _, line := range b {
		at := places[line]
		if at == nil {
			continue
		}
		carry := uint64(0)
		for k, v := range row {
			var sum uint64
			sum, carry = bits.Add64(v, v&at[k], carry)
			row[k] = sum | v&^at[k]
		}
	}
	common := 0
	for _, v := range row {
		common += bits.OnesCount64(^v)
	}
	return len(a) + len(b) - 2*common
}

func small(r *rand.Rand) string {
	var b strings.Builder
	alphabet := 1 + r.IntN(6)
	for range r.IntN(30) {
		b.WriteByte(byte('a' + r.IntN(alphabet)))
		b.WriteString([]string{"\n", "\n", "\n", "\r\n", "\n\n"}[r.IntN(5)])
	}
	if r.IntN(2) == 0 {
		b.WriteString("z")
	}
	return b.String()
}

// TestSmallTexts compares the number of changes with the minimum for thousands of
// small texts. Anchors may rarely cause a few more changes.
func TestSmallTexts(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := random(1)
	total, least := 0, 0
	for range 5000 {
		before, after := small(r), small(r)
		p := valid(t, before, after)
		min := fewest(before, after)
		total, least = total+changed(p), least+min
		if changed(p) < min {
			t.Fatalf("%q to %q: %d lines changed, fewer than the %d possible", before, after, changed(p), min)
		}
	}
	if ratio := float64(total) / float64(least); ratio > 1.02 {
		t.Errorf("%d lines changed, %d necessary: %.4f times", total, least, ratio)
	} else {
		t.Logf("%d lines changed, %d necessary: %.4f times", total, least, ratio)
	}
}

// TestRealisticEdits checks that realistic edits result in at most 5 % more changed
// lines than necessary.
func TestRealisticEdits(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	r := random(2)
	check := func(name string, lines []string, part float64) {
		before, after := join(lines), join(edited(r, lines, part))
		got, min := changed(valid(t, before, after)), fewest(before, after)
		t.Logf("%d lines of %s, %.0f %% edited: %d changed, %d necessary: %.4f times", len(lines), name, 100*part, got, min, float64(got)/float64(min))
		if float64(got) > 1.05*float64(min) {
			t.Errorf("%d lines of %s, %.0f %% edited: %d changed, %d necessary", len(lines), name, 100*part, got, min)
		}
	}
	for _, n := range []int{100, 1000, 4000} {
		for _, part := range []float64{0.02, 0.1, 0.3, 0.6} {
			check("prose", prose(r, n), part)
			check("code", code(r, n), part)
		}
	}
	check("prose", prose(r, 14_500), 0.3)
}

// TestLocallyRareLines edits a passage whose lines are frequent elsewhere: too
// frequent to be anchors in the whole text, and the passage is too long for an
// exact search.
func TestLocallyRareLines(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := random(14)
	const n = 6000
	passage := make([]string, n)
	for i := range passage {
		passage[i] = fmt.Sprintf("line %d", i)
	}
	edited, want := slices.Clone(passage), 0
	for i := range edited {
		if r.IntN(5) < 2 {
			edited[i] = passage[r.IntN(n)]
			want += 2
		}
	}
	for i := n - 500; i > 0; i -= 1000 { // blocks longer than a stride of greedy
		block := make([]string, 400)
		for j := range block {
			block[j] = passage[r.IntN(n)]
		}
		edited = slices.Insert(edited, i, block...)
		want += len(block)
	}
	rest := func() []string {
		var out []string
		for range 9 {
			part := slices.Clone(passage)
			r.Shuffle(n, func(i, j int) { part[i], part[j] = part[j], part[i] })
			out = append(out, part...)
		}
		return out
	}
	divider := []string{"the only divider"}
	p := valid(t, join(slices.Concat(passage, divider, rest())), join(slices.Concat(edited, divider, rest())))
	got := 0
	for _, e := range p.Edits() {
		if e.Old.End <= n {
			got += e.Old.Len() + e.New.Len()
		}
	}
	if float64(got) > 1.05*float64(want) {
		t.Errorf("%d lines changed, %d necessary", got, want)
	}
}
