package help

import (
	"strings"
	"testing"

	"toolcrib/tui/prose"
	"toolcrib/tui/screen/screentest"
)

func opened(t *testing.T, width int) *Page {
	t.Helper()
	rows := []Row{
		{Place: "Queue", Keys: "a", Help: "Approve all marked proposals", Name: "approve-marked", Why: "no proposal is selected"},
		{Place: "Everywhere", Keys: "q ctrl+c", Help: "Quit after pending writes", Name: "quit"},
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
		if width < reasonsMinWidth && strings.Contains(text, "off now") {
			t.Errorf("%d columns: too much is in\n%s", width, text)
		}
	}
}
