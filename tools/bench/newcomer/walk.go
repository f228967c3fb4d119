// Package newcomer walks through the workbench like a new user, and presses only keys that the screen shows at
// that moment. The walk begins with toolcrib demo and includes a rejection with a reason, a rollback, an
// approval, and a filter. A test of package workbench checks the walk, and the pictures of the README record
// it.
package newcomer

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"toolcrib/tools/bench/terminal"
)

// The size of the terminal, in cells.
const (
	Width  = 110
	Height = 30
)

// Step is a key that the screen names, or a text to type, and the expected text on the screen.
type Step struct {
	Label string // of a key in the last line
	Again bool   // press it while the screen names it, possibly never
	Helps string // the help text of the key, or "" for a key of the last line
	Type  string // instead of a key
	Shows []string
}

// Steps are the whole walk.
var Steps = []Step{
	// To approve the first proposal.
	{Label: "open", Shows: []string{"modify tool:user/chapter_summary"}},
	{Label: "approve", Shows: []string{"━━ Approve ━━"}},
	{Label: "next unread", Shows: []string{"a approve"}},
	{Label: "unread", Again: true, Shows: []string{"a approve"}},
	{Label: "approve", Shows: []string{"y approve"}},
	{Label: "approve", Shows: []string{"Live: tool:user/chapter_summary version 2"}},
	{Label: "back", Again: true, Shows: []string{"▎Your turn"}},

	// To reject one of the others, with a reason.
	{Label: "filter", Shows: []string{"enter keep the filter"}},
	{Type: "delete", Shows: []string{"delete_tasks"}},
	{Label: "keep the filter", Shows: []string{"enter open"}},
	{Label: "open", Shows: []string{"Can't be approved yet", "R212"}},
	{Label: "reject", Shows: []string{"Closes the proposal for good", "Reason"}},
	{Type: "Keep asking before a task is deleted.", Shows: []string{"is deleted."}},
	{Label: "done writing", Shows: []string{"y reject it for good"}},
	{Label: "reject it for good", Shows: []string{"Rejected: tool:global/delete_tasks"}},

	// To restore the second version of a tool.
	{Label: "back", Shows: []string{"▎Your turn"}},
	{Label: "commands", Shows: []string{"enter go there"}},
	{Type: "tools", Shows: []string{"Go to the tools"}},
	{Label: "go there", Shows: []string{"▎Tools"}},
	{Label: "filter", Shows: []string{"enter keep the filter"}},
	{Type: "viewpoint", Shows: []string{"1/1"}},
	{Label: "keep the filter", Shows: []string{"enter open"}},
	{Label: "open", Shows: []string{"▎Definition"}},
	{Label: "next section", Shows: []string{"▎Versions", "v4"}},
	{Label: "help", Shows: []string{"▎Help"}},
	{Label: "find", Shows: []string{"enter go there"}},
	{Type: "next item", Shows: []string{"Select the next item of a list"}},
	{Label: "go there", Shows: []string{"▎Versions", "v3"}},
	{Label: "restore", Shows: []string{"━━ Restore a version ━━"}},
	{Type: "The quotes were of use.", Shows: []string{"of use."}},
	{Label: "done writing", Shows: []string{"y propose it"}},
	{Label: "propose it", Shows: []string{"Proposed tool:user/viewpoint_keeper as #18", "● your turn", "▎Diff"}},

	// To approve it, press the key for unread parts that the page names.
	{Label: "approve", Shows: []string{"━━ Approve ━━"}},
	{Label: "next unread", Shows: []string{"a approve"}},
	{Label: "unread", Again: true, Shows: []string{"a approve"}},
	{Label: "approve", Shows: []string{"y approve"}},
	{Label: "approve", Shows: []string{"Live: tool:user/viewpoint_keeper version 5"}},

	// To find an agent's proposals.
	{Label: "back", Again: true, Shows: []string{"▎Your turn"}},
	{Label: "filter", Shows: []string{"enter keep the filter"}},
	{Type: "state:approved author:agent:drafter", Shows: []string{"state:approved author:agent:drafter"}},
	{Label: "keep the filter", Shows: []string{"tool:user/chapter_summary"}},
}

// Walk takes the steps in a terminal that shows the queue of toolcrib demo. done
// is called with each step and its keys, when the screen has the step's text.
func Walk(ctx context.Context, t *terminal.Terminal, done func(Step, []string) error) error {
	if _, err := t.Wait(ctx, "▎Your turn 3", "help"); err != nil {
		return err
	}
	for _, s := range Steps {
		keys, err := s.take(ctx, t)
		if err == nil {
			err = done(s, keys)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// limit is how long a step may take.
const limit = 2 * time.Minute

// String names the step for an error.
func (s Step) String() string {
	if s.Type != "" {
		return fmt.Sprintf("type %q", s.Type)
	}
	return fmt.Sprintf("press what the screen names for %q", s.Label+s.Helps)
}

// loading is the reason of a key that was pressed before its page was read, as happens on
// a busy machine: who reads it presses again.
const loading = "the page is still loading"

// take does the step, waits for its text, and returns the keys pressed.
func (s Step) take(ctx context.Context, t *terminal.Terminal) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		keys, err := s.press(ctx, t)
		if err != nil {
			return keys, err
		}
		screen, err := t.Until(ctx, fmt.Sprintf("%q", s.Shows), func(screen string) bool {
			return s.shown(screen) || strings.Contains(screen, loading)
		})
		if err != nil || s.shown(screen) {
			return keys, err
		}
		if screen, err = t.Steady(ctx); err != nil || s.shown(screen) { // the message was still that of the key before
			return keys, err
		}
	}
}

// shown reports whether a screen has all texts of the step.
func (s Step) shown(screen string) bool {
	return !slices.ContainsFunc(s.Shows, func(text string) bool { return !strings.Contains(screen, text) })
}

func (s Step) press(ctx context.Context, t *terminal.Terminal) ([]string, error) {
	switch {
	case s.Type != "":
		return nil, t.Type(ctx, s.Type)
	case s.Helps != "":
		return s.helped(ctx, t)
	case s.Again:
		return s.again(ctx, t)
	}
	key := ""
	if _, err := t.Until(ctx, fmt.Sprintf("a key for %q", s.Label), func(screen string) bool {
		key = named(screen, s.Label)
		return key != ""
	}); err != nil {
		return nil, err
	}
	return []string{key}, t.Press(ctx, pressed(key))
}

// maxAgain is how often a key is pressed again at most.
const maxAgain = 30

// again presses the key as long as the screen names it.
func (s Step) again(ctx context.Context, t *terminal.Terminal) (keys []string, err error) {
	for range maxAgain {
		screen, err := t.Steady(ctx)
		if err != nil {
			return keys, err
		}
		key := named(screen, s.Label)
		if key == "" {
			return keys, nil
		}
		keys = append(keys, key)
		if err := t.Press(ctx, pressed(key)); err != nil {
			return keys, err
		}
	}
	return keys, fmt.Errorf("it is still named after %d times", maxAgain)
}

// helped closes the help with the key that it shows for that, and presses the key that
// it shows for the step.
func (s Step) helped(ctx context.Context, t *terminal.Terminal) ([]string, error) {
	screen, err := t.Screen(ctx)
	if err != nil {
		return nil, err
	}
	found := regexp.MustCompile(`(?m)^ +(\S+) .*` + regexp.QuoteMeta(s.Helps)).FindStringSubmatch(screen)
	if found == nil {
		return nil, fmt.Errorf("the help has no key for %q:\n%s", s.Helps, screen)
	}
	var keys []string
	for strings.Contains(screen, "▎Help") {
		back := named(screen, "back")
		if back == "" {
			return keys, fmt.Errorf("the help names no key that leaves it:\n%s", screen)
		}
		keys = append(keys, back)
		if err := t.Press(ctx, pressed(back)); err != nil {
			return keys, err
		}
		if screen, err = t.Steady(ctx); err != nil {
			return keys, err
		}
	}
	return append(keys, found[1]), t.Press(ctx, pressed(found[1]))
}

// named returns the key that the last line of the screen names for a label, "" for
// none.
func named(screen, label string) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	for hint := range strings.SplitSeq(lines[len(lines)-1], "  ") {
		if key, found := strings.CutSuffix(strings.TrimSpace(hint), " "+label); found && !strings.Contains(key, " ") {
			return key
		}
	}
	return ""
}

// pressed is a key of the screen as tmux names it.
func pressed(key string) string {
	switch key {
	case "enter":
		return "Enter"
	case "esc":
		return "Escape"
	case "tab":
		return "Tab"
	case "↓":
		return "Down"
	}
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return "C-" + rest
	}
	return key
}
