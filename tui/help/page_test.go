package help

import (
	"strings"
	"testing"

	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

func opened(t *testing.T, width int) *Page {
	t.Helper()
	rows := []Row{
		{Place: "Queue", Keys: "a", Help: "Approve all marked proposals", Name: "approve-marked", Why: "no proposal is selected"},
		{Place: "Everywhere", Keys: "q ctrl+c", Help: "Quit after pending writes", Name: "quit"},
		{Place: "Calls", Keys: "u", Help: "Go to the arguments", Name: "call-unseen", Elsewhere: true},
	}
	p := New(new(screentest.Shell), "Queue", rows, func(page *prose.Page) { page.Heading("Rule X101") })
	if want := screentest.Open(t, p.shell, p, width, 20); want != nil {
		t.Fatalf("the help asks for %v", want)
	}
	return p
}

func TestListsKeys(t *testing.T) {
	for width, wants := range map[int][]string{
		60:  {"Rule X101", "Queue", "a             Approve all marked proposals", "q ctrl+c      Quit after pending writes"},
		120: {"Approve all marked proposals (off now: no proposal is selected)"},
	} {
		text := screentest.View(t, opened(t, width), width)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is not in\n%s", width, want, text)
			}
		}
		if strings.Contains(text, "Go to the arguments") || width < whyFrom && strings.Contains(text, "off now") {
			t.Errorf("%d columns: too much is in\n%s", width, text)
		}
	}
}

// TestFindsKeys looks for a key among those of all pages.
func TestFindsKeys(t *testing.T) {
	p := opened(t, 60)
	want, _ := screentest.Press(t, p.shell, p, "/")
	line, ok := want[0].(*screen.Line)
	if !ok {
		t.Fatalf("/ asks for %#v", want)
	}
	line.Text.Insert("ARG")
	line.Changed()
	text := screentest.View(t, p, 60)
	if !strings.Contains(text, "Go to the arguments") || strings.Contains(text, "Quit") || strings.Contains(text, "Rule X101") {
		t.Errorf("found:\n%s", text)
	}
	line.Text.Insert("!")
	if line.Changed(); !strings.Contains(screentest.View(t, p, 60), "No key matches. esc shows all.") {
		t.Error("what no key has is found")
	}
	if _, left := p.Leave(); !left || p.Filter() != "" {
		t.Error("esc did not end the filter")
	}
	if _, left := p.Leave(); left {
		t.Error("esc stays in the help without a filter")
	}
}
