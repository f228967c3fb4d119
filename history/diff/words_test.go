package diff_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/history/diff"
)

// show renders hunks for tests: spans in brackets, "~" behind a line without
// a newline.
func show(hunks []diff.Hunk) string {
	var b strings.Builder
	for _, h := range hunks {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		for _, l := range h.Words().Lines {
			b.WriteByte(" -+"[l.Kind])
			at := 0
			for _, s := range l.Spans {
				b.WriteString(l.Text[at:s.Start] + "[" + l.Text[s.Start:s.End] + "]")
				at = s.End
			}
			b.WriteString(l.Text[at:])
			if l.NoNewline {
				b.WriteByte('~')
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestWords(t *testing.T) {
	tests := []struct {
		name, old, new, want string
	}{
		{
			"one word",
			"Read the file and report.\n", "Read the scene and report.\n",
			"-Read the [file] and report.\n+Read the [scene] and report.\n",
		},
		{
			"neighbouring words are one change",
			"Always ask the user first.\n", "Never tell the user first.\n",
			"-[Always ask] the user first.\n+[Never tell] the user first.\n",
		},
		{
			"an insertion begins with a word",
			"Read a file.\n", "Read a whole file.\n",
			"-Read a file.\n+Read a [whole ]file.\n",
		},
		{
			"an added sentence",
			"Read it. Report it.\n", "Read it. Cite it. Report it.\n",
			"-Read it. Report it.\n+Read it. [Cite it. ]Report it.\n",
		},
		{
			"at the end",
			"get, set\n", "get, set, link\n",
			"-get, set\n+get, set[, link]\n",
		},
		{
			"punctuation alone",
			"Stop.\n", "Stop!\n",
			"-Stop[.]\n+Stop[!]\n",
		},
		{
			"an id is one word",
			"use get_task now\n", "use get_tasks now\n",
			"-use [get_task] now\n+use [get_tasks] now\n",
		},
		{
			"numbers in JSON",
			`{"min": 1, "max": 10}` + "\n", `{"min": 2, "max": 20}` + "\n",
			`-{"min": [1], "max": [10]}` + "\n" + `+{"min": [2], "max": [20]}` + "\n",
		},
		{
			"a coincidence is no match",
			"Summarise a manuscript\nend\n", "Investigating a consequence\nend\n",
			"-Summarise a manuscript\n+Investigating a consequence\n end\n",
		},
		{
			"nothing in common",
			"alpha beta\n", "gamma delta\n",
			"-alpha beta\n+gamma delta\n",
		},
		{
			"indentation",
			"  step one of it\n", "    step one of it\n",
			"-[  ]step one of it\n+[    ]step one of it\n",
		},
		{
			"an invisible character is shown alone",
			"pay the password\n", "pay the pass\u200bword\n",
			"-pay the [password]\n+pay the [pass\u200bword]\n",
		},
		{
			"Chinese by character",
			"请先检查场景节奏\n", "请先检查段落节奏\n",
			"-请先检查[场景]节奏\n+请先检查[段落]节奏\n",
		},
		{
			"a combining accent stays with its letter",
			"cafe\u0301 noir now\n", "cafe noir now\n",
			"-[cafe\u0301] noir now\n+[cafe] noir now\n",
		},
		{
			"a flag is not torn",
			"flag 🇩🇪 here\n", "flag 🇩🇰 here\n",
			"-flag [🇩🇪] here\n+flag [🇩🇰] here\n",
		},
		{
			"line end",
			"one line\r\n", "one line\n",
			"-one line[\r]\n+one line\n",
		},
		{
			"only the newline at the end",
			"one line\n", "one line",
			"-one line\n+one line~\n",
		},
		{
			"pairs by likeness, not by place",
			"Check the pacing of each scene.\nend\n",
			"First find the file.\nThen open it.\nCheck the pacing of every scene.\nend\n",
			"-Check the pacing of [each] scene.\n+First find the file.\n+Then open it.\n+Check the pacing of [every] scene.\n end\n",
		},
		{
			"two of three",
			"- read canon files\n- write a long report\n- cite receipts for claims\n",
			"- read all canon files\n- cite receipts for every claim\n",
			"-- read canon files\n-- write a long report\n-- cite receipts for [claims]\n+- read [all ]canon files\n+- cite receipts for [every claim]\n",
		},
		{
			"a no-break space is white space, and seen",
			"ten\u00a0km of it\n", "ten km of it\n",
			"-ten[\u00a0]km of it\n+ten[ ]km of it\n",
		},
		{
			"a rewrapped paragraph",
			"Look at each scene and say where the\npace drops. Name the line. Do not give\nadvice that was not asked for.\n",
			"Look at each scene and say plainly where\nthe pace drops. Name the line. Do not\ngive advice that was not asked for.\n",
			"-Look at each scene and say where the\n-pace drops. Name the line. Do not give\n-advice that was not asked for.\n" +
				"+Look at each scene and say [plainly ]where\n+the pace drops. Name the line. Do not\n+give advice that was not asked for.\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got, _ := strings.Cut(show(valid(t, tt.old, tt.new).Unified(3)), "\n")
			if got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// rest is a line without its spans.
func rest(t *testing.T, l diff.Line) string {
	t.Helper()
	var b strings.Builder
	at := 0
	for i, s := range l.Spans {
		if s.Start < at || s.Start == at && i > 0 || s.End <= s.Start || s.End > len(l.Text) {
			t.Fatalf("span %d of %v in %.100q", i, l.Spans, l.Text)
		}
		if utf8.ValidString(l.Text) && !utf8.ValidString(l.Text[s.Start:s.End]) {
			t.Fatalf("span %v tears a character of %.100q", s, l.Text)
		}
		b.WriteString(l.Text[at:s.Start])
		at = s.End
	}
	return b.String() + l.Text[at:]
}

// validHunks checks what hunks and their words promise.
func validHunks(t *testing.T, p *diff.Patch, before, after string, context int) {
	t.Helper()
	oldLines, newLines := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	deleted, inserted := 0, 0
	for _, h := range p.Unified(context) {
		h = h.Words()
		x, y := h.OldStart, h.NewStart
		if h.OldLines == 0 {
			x++
		}
		if h.NewLines == 0 {
			y++
		}
		endX, endY := x+h.OldLines, y+h.NewLines
		lastPair := -1
		for i, l := range h.Lines {
			whole := l.Text
			if !l.NoNewline {
				whole += "\n"
			}
			if l.Kind != diff.Insert {
				if l.Old != x || oldLines[x-1] != whole {
					t.Fatalf("line %d, %+v, is not old line %d", i, l, x)
				}
				x++
			} else if l.Old != 0 {
				t.Fatalf("inserted line %+v", l)
			}
			if l.Kind != diff.Delete {
				if l.New != y || newLines[y-1] != whole {
					t.Fatalf("line %d, %+v, is not new line %d", i, l, y)
				}
				y++
			} else if l.New != 0 {
				t.Fatalf("deleted line %+v", l)
			}
			switch l.Kind {
			case diff.Delete:
				deleted++
			case diff.Insert:
				inserted++
			case diff.Context:
			}
			if l.Pair < 0 {
				rest(t, l)
				if l.Spans != nil && !l.Rewrapped {
					t.Fatalf("spans without a pair: %+v", l)
				}
				continue
			}
			o := h.Lines[l.Pair]
			if o.Pair != i || l.Kind == diff.Context || o.Kind == diff.Context || o.Kind == l.Kind {
				t.Fatalf("pairs %d %+v and %d %+v", i, l, l.Pair, o)
			}
			if l.Kind == diff.Delete {
				if l.Pair <= lastPair {
					t.Fatalf("pairs cross at %d", i)
				}
				lastPair = l.Pair
			}
			if a, b := rest(t, l), rest(t, o); a != b {
				t.Fatalf("outside the spans %.200q is not %.200q", a, b)
			}
			if len(l.Spans)+len(o.Spans) == 0 && l.NoNewline == o.NoNewline {
				t.Fatalf("lines %q and %q are marked as equal\n%s", l.Text, o.Text, show([]diff.Hunk{h})+show(p.Unified(20)))
			}
		}
		if x != endX || y != endY {
			t.Fatalf("hunk %d,%d %d,%d ends at %d, %d", h.OldStart, h.OldLines, h.NewStart, h.NewLines, x, y)
		}
	}
	ends := [2]bool{strings.HasSuffix(before, "\n"), strings.HasSuffix(after, "\n")}
	if want := ends[0] != ends[1] && before != "" && after != ""; p.NewlineChanged() != want {
		t.Fatalf("NewlineChanged is %t", !want)
	}
	if d, i := p.Changed(); d != deleted || i != inserted {
		t.Fatalf("%d and %d lines changed, %d and %d shown", d, i, deleted, inserted)
	}
}

func TestHunksOfRandomTexts(t *testing.T) {
	r := random(4)
	for n := range 400 {
		lines := prose(r, 1+r.IntN(60))
		before, after := join(lines), join(edited(r, lines, r.Float64()))
		if n%2 == 0 {
			before = strings.TrimSuffix(before, "\n")
		}
		p := valid(t, before, after)
		for _, context := range []int{0, 1, 3, -1, 1 << 62} {
			validHunks(t, p, before, after, context)
		}
		validHunks(t, p.Reverse(), after, before, 3)
	}
}

// TestLongLines marks what changed in single lines of up to millions of bytes.
func TestLongLines(t *testing.T) {
	r := random(15)
	for _, n := range []int{5000, 100_000, 1_000_000, 5_000_000} {
		old := words(r, n/6)
		at := len(old) / 2
		new := old[:at] + " – inserted – " + old[at:]
		p := valid(t, old, new)
		validHunks(t, p, old, new, 3)
		gained := 0
		for _, s := range p.Unified(3)[0].Words().Lines[1].Spans {
			gained += s.End - s.Start
		}
		if gained == 0 || gained > 40 {
			t.Errorf("%d bytes: %d of them marked for %d inserted", n, gained, len(new)-len(old))
		}
	}
}

func TestKinds(t *testing.T) {
	for kind, want := range map[diff.Kind]string{diff.Context: "context", diff.Delete: "delete", diff.Insert: "insert"} {
		if kind.String() != want {
			t.Errorf("%d is %q", kind, kind)
		}
	}
}
