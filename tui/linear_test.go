package tui_test

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/internal/shortrun"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/tui/linear"
)

// dialogue holds a dialogue: each line is typed.
func (b *bench) dialogue(page int, lines ...string) string {
	b.t.Helper()
	return b.dialogueOf(page, &echo{lines: lines})
}

func (b *bench) dialogueOf(page int, in *echo) string {
	b.t.Helper()
	c := linear.Config{Config: b.config, In: in, Out: &in.out, Resolve: b.desk.Resolve, Page: page}
	if err := linear.Run(context.Background(), c); err != nil {
		b.t.Fatal(err)
	}
	for line := range strings.Lines(in.out.String()) {
		if !visible.Clean(line) || strings.ContainsAny(line, "\x1b\r\b") {
			b.t.Errorf("not plain: %q", line)
		}
	}
	return in.out.String()
}

// echo is a terminal that shows what is typed.
type echo struct {
	lines  []string
	out    strings.Builder
	before map[string]func() // done before a line is typed
}

func (e *echo) Read(p []byte) (int, error) {
	if len(e.lines) == 0 {
		return 0, context.Canceled // the line was cut
	}
	if do := e.before[e.lines[0]]; do != nil {
		do()
	}
	line := e.lines[0] + "\n"
	e.lines = e.lines[1:]
	e.out.WriteString(line)
	return copy(p, line), nil
}

func TestDialogue(t *testing.T) {
	b := newBench(t, 80, 24, demo(demoFiles...), assessed)
	out := b.dialogue(0, "help", "list yours", "find name", "diff", "open 1", "diff", "findings", "prompt", "thread", "history", "id",
		"approve", "waive 1", "It is a test.", "", "Nothing more.", ".", "y", "waive 1", "comment prompt 1", "Say why.", ".", "thread",
		"changes", ".", "changes", "Mend it.", ".", "", "changes", "Mend it.", ".", "y", "approve", "back", "tools get_t", "show tool:global/get_tasks",
		"agents", "fork beat_architect", "submit", "y", "nonsense", "open 99", "quit")
	var stable strings.Builder // what the rules of the day say is left out
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "  **") {
			stable.WriteString(line)
		}
	}
	golden.RequireEqual(t, masked(stable.String()))
	if got := b.state(); got != proposals.NeedsChanges {
		t.Errorf("state %s", got)
	}
}

// TestDialogueApproves has to read everything first, and an empty line or
// anything but y is no answer.
func TestDialogueApproves(t *testing.T) {
	b := newBench(t, 80, 24, demo("name_bank.json"))
	out := b.dialogue(5, "open 1", "s", "approve", "diff", "", "s", "approve")
	if !strings.Contains(out, "Not read yet in #1: the diff.") || !strings.Contains(out, "Stopped before the end.") {
		t.Errorf("half a diff is enough:\n%s", out)
	}
	out = b.dialogue(0, "open 1", "diff", "approve", "", "approve", "yes", "approve")
	if got := b.state(); got != proposals.UserReview {
		t.Fatalf("state %s:\n%s", got, out)
	}
	out = b.dialogue(0, "open 1", "diff", "approve", "y")
	if !strings.Contains(out, "Live: tool:user/name_bank version 1.") {
		t.Errorf("it is not approved:\n%s", out)
	}
	if got := b.state(); got != proposals.Approved {
		t.Errorf("state %s", got)
	}
}

// TestDialogueNeedsTheWholeChangeSet reads one member and is told of the other.
func TestDialogueNeedsTheWholeChangeSet(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newBench(t, 80, 24, demo("research_notes.json"))
	out := b.dialogue(0, "open 1", "diff", "approve", "open 2", "diff", "open 3", "diff", "approve", "y")
	if !strings.Contains(out, "Not read yet in #1: the diff.") || !strings.Contains(out, "Live: tool:user/get_research_notes version 1, tool:user/create_research_notes version 1 and tool:user/search_research_notes version 1.") {
		t.Errorf("the change set:\n%s", out)
	}
}

func TestDialogueExplainsAndLists(t *testing.T) {
	b := newBench(t, 80, 24, demo("name_bank.json"))
	out := b.dialogue(0, "rule s101", "rule X9", "log", "find nothing-has-this", "next", "help waive", "list nowhere", "approve")
	for _, want := range []string{
		"Bad: ", "Good: ", "toolcrib has no rule \"X9\"", "submit tool:user/name_bank", "No proposals.", "End of the list.",
		"waive, w NUMBER", "\"nowhere\" is not a state.", "No proposal is open or marked.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
}

func TestDialogueShowsHiddenCharacters(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, text := range hostileTexts {
		f := fake{text: text}
		b := &bench{t: t}
		b.config.Desk, b.config.Registry, b.config.Actor, b.config.Now = f, f, mara, b.now
		in := &echo{lines: []string{"open 1", "diff", "findings", "prompt", "prompt 1 after", "prompt 1", "thread", "history", "tools", "show tool:user/x", "log", "waive 1", "x", ".", "no"}}
		c := linear.Config{Config: b.config, In: in, Out: &in.out}
		if err := linear.Run(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		if !visible.Clean(in.out.String()) {
			t.Errorf("%.20q reaches the screen raw", text)
		}
	}
}

// TestDialogueOpensByNumber opens a row of the list and an issue by their number
// alone; in an open proposal, a number is a command (T21).
func TestDialogueOpensByNumber(t *testing.T) {
	b := newBench(t, 80, 24, demo("name_bank.json", "word_counts.json"))
	out := b.dialogue(0, "2", "1", "#2", "back", "9")
	says(t, out, "queue> 2\nName Bank. new tool:user/name_bank", "#1> 1\nName Bank.", "#1> #2\n", "get_word_counts", "queue> 9\n")
}
