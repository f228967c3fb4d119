package tui_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestNewcomersWalk goes from an approval over a rejection and a filter to a
// rollback, and presses only keys that the screen names at that moment.
func TestNewcomersWalk(t *testing.T) {
	b := newBench(t, 100, 30, threeVersions, demo("viewpoint_keeper.md", "research_notes.json", "search_gmail_off.md", "style_memory.md", "word_counts.json"))
	b.wants("▎Your turn 7")

	// To approve: what was not read yet names the key that goes there.
	b.follows("filter").write("word_counts").follows("keep the filter").follows("open").follows("approve")
	b.wants("Read these first")
	b.follows("unseen")
	for range 20 {
		if b.named("unseen") == "" {
			break
		}
		b.follows("unseen")
	}
	b.follows("approve").follows("approve").wants("Live: tool:user/get_word_counts version 1. Press . for the next one")

	// To reject the next one, with a reason.
	b.follows("back").wants("▎Your turn 6")
	b.follows("back").follows("open").follows("reject").write("It takes too much.").follows("done writing").follows("reject it for good")
	b.wants("Rejected: ")

	// To find one by its name.
	b.follows("back").follows("filter").write("viewpoint").follows("keep the filter").wants("tool:user/viewpoint_keeper", "1/1")

	// To restore an earlier version of a tool.
	b.follows("help").press(b.helps("Go to the tools")).follows("filter").write("name_bank").follows("keep the filter").follows("open")
	b.follows("switch").wants("▎Versions", "v3")
	b.press("down").follows("restore").write("The third went wrong.").follows("done writing").follows("propose it")
	b.wants("restore tool:user/name_bank", "○ draft")
	b.follows("submit").follows("submit it").wants("Submitted as #")
}

// named returns the key that the last line of the screen names for a label, ""
// for none.
func (b *bench) named(label string) string {
	for hint := range strings.SplitSeq(lastLine(b), "  ") {
		if key, found := strings.CutSuffix(strings.TrimSpace(hint), " "+label); found && !strings.Contains(key, " ") {
			return key
		}
	}
	return ""
}

// follows presses the key that the screen names for a label.
func (b *bench) follows(label string) *bench {
	b.t.Helper()
	key := b.named(label)
	if key == "" {
		b.t.Fatalf("the screen names no key for %q:\n%s", label, b.screen())
	}
	return b.press(key)
}

// helps returns the key that the help has for what it does.
func (b *bench) helps(what string) string {
	b.t.Helper()
	for range 20 {
		if found := regexp.MustCompile(`(?m)^ +(\S+) .*` + regexp.QuoteMeta(what)).FindStringSubmatch(b.screen()); found != nil {
			return found[1]
		}
		b.press("pgdown")
	}
	b.t.Fatalf("the help has no key for %q:\n%s", what, b.screen())
	return ""
}
