package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review/approval"
	"toolcrib/review/service"
	"toolcrib/tui"
)

var ada = proposals.Actor{Kind: proposals.User, Name: "ada"}

// twoApprovers makes the desk require the approvals of mara and ada, neither of whom is the author.
func twoApprovers(b *workbench) {
	b.t.Helper()
	every, err := approval.ParsePattern("tool:**")
	if err != nil {
		b.t.Fatal(err)
	}
	policy := policyWithoutRules()
	policy.FourEyes = true
	policy.Approvals = approval.Rules{{Subjects: []approval.Pattern{every}, Owners: []string{mara.String(), ada.String()}, Approvals: 2, From: "user"}}
	now := func() time.Time {
		b.made.seconds++
		return time.Date(2026, 11, 20, 12, 0, b.made.seconds, 0, time.UTC)
	}
	newID := func() string {
		b.made.ids++
		return fmt.Sprintf("01990000-0000-7000-8000-%012x", b.made.ids)
	}
	if b.desk, err = service.New(b.db, policy, now, newID); err != nil {
		b.t.Fatal(err)
	}
}

// as continues as another user in a terminal of the same size.
func (b *workbench) as(who proposals.Actor) *workbench {
	lines := strings.Split(b.screen(), "\n")
	b.config.Actor = who
	b.m = tui.New(b.config)
	b.m.Prime(ansi.StringWidth(lines[0]), len(lines))
	b.drain(b.m.Init())
	return b
}

// read opens the first proposal and reads its diff.
func (b *workbench) read() *workbench {
	return b.press("enter", "2", "space", "space", "space", "space", "1")
}

// TestPolicyScreens checks which missing approvals are shown in the queue, the decision column, and the dialog:
// before the first approval, between the two, and at the last one.
func TestPolicyScreens(t *testing.T) {
	shortrun.OneGoroutine(t)
	endorsed := func(b *workbench) { b.read().press("a", "y").wants("1 of 2, waits for user:ada") }
	for _, s := range []struct {
		name string
		show func(b *workbench)
	}{
		{"dialog-first", func(b *workbench) { b.read().press("a") }},
		{"endorsed", endorsed},
		{"queue-between", func(b *workbench) { endorsed(b); b.as(ada) }},
		{"queue-endorsed", func(b *workbench) { endorsed(b); b.press("esc") }},
		{"column-between", func(b *workbench) { endorsed(b); b.as(ada).press("enter") }},
		{"dialog-again", func(b *workbench) { endorsed(b); b.press("a") }},
		{"dialog-last", func(b *workbench) { endorsed(b); b.as(ada).read().press("a") }},
		{"live", func(b *workbench) { endorsed(b); b.as(ada).read().press("a", "y") }},
	} {
		for _, size := range [][2]int{{80, 24}, {140, 40}} {
			t.Run(fmt.Sprintf("%s/%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				b := newWorkbench(t, size[0], size[1], twoApprovers, demo("name_bank.json"))
				s.show(b)
				checkWidth(t, b.m.View().Content, size[0], size[1])
				golden.RequireEqual(t, masked(trimmed(b.screen())))
			})
		}
	}
}

// TestPolicyRefusals approves as an author and as a user who is not an owner.
func TestPolicyRefusals(t *testing.T) {
	shortrun.OneGoroutine(t)
	for who, why := range map[proposals.Actor]string{
		{Kind: proposals.User, Name: "eve"}: "by policy, only user:ada, user:mara can approve the proposal",
		mara:                                "four-eyes rule: user:mara wrote revision 1, so someone else must approve it",
	} {
		b := newWorkbench(t, 140, 40, twoApprovers, func(b *workbench) {
			author := drafter
			if who == mara {
				author = mara
			}
			if _, err := b.desk.Drafting.Propose(t.Context(), author, []proposals.Draft{b.file("name_bank.json")}, true); err != nil {
				t.Fatal(err)
			}
		})
		b.as(who).read().press("a")
		if got := b.state(); got != proposals.UserReview {
			t.Errorf("%s: state %s", who, got)
		}
		if !strings.Contains(b.screen(), why) {
			t.Errorf("%s: no %q in\n%s", who, why, b.screen())
		}
	}
}
