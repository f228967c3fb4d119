package diff_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/internal/shortrun"
)

// show formats hunks: spans in brackets, and "~" after a line without a newline.
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

// wordCases have changed lines and the words marked in them, as show formats them.
var wordCases = []struct {
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
		"a coincidence is not a match",
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

func TestWords(t *testing.T) {
	for _, tt := range wordCases {
		t.Run(tt.name, func(t *testing.T) {
			_, got, _ := strings.Cut(show(valid(t, tt.old, tt.new).Unified(3)), "\n")
			if got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// TestLongLines marks changes in single lines of up to millions of bytes.
func TestLongLines(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
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

// TestMark marks a hunk piece by piece and compares the result with Words.
func TestMark(t *testing.T) {
	r := random(16)
	for range 50 {
		lines := prose(r, 150)
		p := diff.Lines(join(lines), join(edited(r, lines, 0.4)))
		want, got := p.Unified(-1)[0].Words(), p.Unified(-1)[0]
		for from := 0; from < len(got.Lines); from += 7 {
			got.Mark(from, from+7)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v\nwant\n%+v", got, want)
		}
	}
}

// TestMarkOnlyInView checks that nothing is marked outside of the requested lines.
func TestMarkOnlyInView(t *testing.T) {
	h := diff.Lines("one a\nstays\ntwo a\n", "one b\nstays\ntwo b\n").Unified(3)[0]
	h.Mark(0, 2)
	if h.Lines[0].Pair != 1 || h.Lines[3].Pair != -1 {
		t.Errorf("lines %+v", h.Lines)
	}
}

// TestLongBlocksHaveNoPairs checks maxBlock.
func TestLongBlocksHaveNoPairs(t *testing.T) {
	old, new := strings.Repeat("one old line\n", 15_000), strings.Repeat("one new line\n", 15_000)
	for _, l := range diff.Lines(old, new).Unified(0)[0].Words().Lines {
		if l.Pair >= 0 || l.Spans != nil {
			t.Fatalf("line %+v", l)
		}
	}
}
