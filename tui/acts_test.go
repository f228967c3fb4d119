package tui_test

import (
	"context"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/service"
	"toolcrib/tui"
)

const nameBank = "tool:user/name_bank"

// state returns the state of the proposal of the name bank.
func (b *workbench) state() proposals.State {
	b.t.Helper()
	page, err := b.desk.Reading.List(context.Background(), review.Query{Subject: nameBank})
	if err != nil || len(page.Proposals) == 0 {
		b.t.Fatalf("%s: %v", nameBank, err)
	}
	return page.Proposals[0].State
}

func TestApprovalIsLockedUntilEverythingWasSeen(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 80, 15, demo("name_bank.json"))
	b.press("enter", "a").wants("! unread: ", "prompt")
	b.press("y").wants("Unread: ")
	if got := b.state(); got != proposals.UserReview {
		t.Fatalf("approved unseen: %s", got)
	}
	b.press("esc", "u") // goes to the diff
	for range 12 {
		b.press("space")
	}
	b.press("a")
	if strings.Contains(b.screen(), "! unread: ") {
		t.Fatalf("still locked:\n%s", b.screen())
	}
	b.press("enter") // does not confirm
	if got := b.state(); got != proposals.UserReview {
		t.Fatalf("enter approved it")
	}
	b.press("y").wants("Live: tool:user/name_bank version 1", "✓ approved")
	if got := b.state(); got != proposals.Approved {
		t.Fatalf("state %s", got)
	}
}

func TestRejectNeedsAReason(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "x", "tab", "y").wants("Give a reason first")
	if got := b.state(); got != proposals.UserReview {
		t.Fatalf("rejected without a reason: %s", got)
	}
	b.write("It hides y in text.").press("tab", "y").wants("Rejected")
	b.press("5").wants("It hides y in text.")
	if got := b.state(); got != proposals.Rejected {
		t.Fatalf("state %s", got)
	}
}

func TestCommentDraftLastsUntilSent(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "C").write("Where does the list").press("esc")
	b.press("C").wants("Where does the list", "Restored your draft")
	b.write(" come from?").press("ctrl+s", "y").wants("Comment sent")
	b.press("5").wants("Where does the list come from?")
	b.press("C")
	if strings.Contains(b.screen(), "Restored your draft") {
		t.Error("a text that was sent is still kept")
	}
}

func TestKeysExplainWhyTheyAreDisabled(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "S").wants("S submit: ")
	b.press("R").wants("R rebase: ")
	b.press("esc", "T", "e").wants("Locked (core)")
	b.press("ctrl+n").wants("set VISUAL or EDITOR first")
}

func TestForkOfACoreTool(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 30)
	b.press("T", "f").wants("beat_architect_custom", "draft")
}

func TestOtherProcessesAppear(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json", "word_counts.json"))
	b.press("j").wants("▌  #1")
	demo("viewpoint_keeper.md")(b)
	b.poll()
	b.wants("tool:user/viewpoint_keeper", "▌  #1")
}

func TestStaleDigestDecidesNothing(t *testing.T) {
	b := newWorkbench(t, 100, 60, demo("name_bank.json"))
	b.press("enter", "2", "3", "a")
	page, err := b.desk.Reading.List(context.Background(), review.Query{})
	if err != nil {
		t.Fatal(err)
	}
	// Another process assesses it again while the dialog is open.
	if _, err := b.desk.Assessing.Reassess(context.Background(), page.Proposals[0].ID); err != nil {
		t.Fatal(err)
	}
	b.press("y").wants("Not decided")
	if got := b.state(); got != proposals.UserReview {
		t.Fatalf("state %s", got)
	}
}

func TestChangeSetIsApprovedTogether(t *testing.T) {
	b := newWorkbench(t, 120, 60, demo("research_notes.json"))
	b.press("enter").wants("Queue › set research-notes", "3 tools: 3 new")
	b.press("a").wants("! unread: ", "of this page")
	b.press("esc", "E", "space", "space", "space", "space", "space").wants("no unread lines")
	b.press("a", "y")
	b.wants("Live: ", "get_research_notes version 1", "create_research_notes version 1")
}

// TestChangeSetsAreGrouped checks that a set whose members are not adjacent is one row until it is unfolded.
func TestChangeSetsAreGrouped(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 30, func(b *workbench) {
		set := b.files("research_notes.json")
		b.propose(set[0])
		b.propose(b.file("name_bank.json"))
		b.propose(set[1])
		b.propose(set[2])
	})
	lines := strings.Split(b.screen(), "\n")
	if !strings.Contains(lines[4], "▸ 3×") || !strings.Contains(lines[4], "research-notes   ") || !strings.Contains(lines[5], "name_bank") {
		t.Errorf("a folded set: %q, %q", lines[4], lines[5])
	}
	b.wants("#3  ", "1 of 4", "F lists its members")
	lines = strings.Split(b.press("F").screen(), "\n")
	for i, sign := range []string{"╭", "│", "╰"} {
		if !strings.Contains(lines[4+i], sign) || !strings.Contains(lines[4+i], "_res") {
			t.Errorf("row %d is %q", i, lines[4+i])
		}
	}
	if !strings.Contains(lines[7], "name_bank") {
		t.Errorf("row 3 is %q", lines[7])
	}
	b.press("F").wants("▸ 3×")
	b.press("j").wants("4 of 4")
	b.press("enter", "M")
	b.wants("M next member: the change set has no other member")
}

// TestOtherRulesRequireAnAssessment checks that an approval requires a new assessment after the configuration has
// changed.
func TestOtherRulesRequireAnAssessment(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 110, 40, demo("word_counts.json"))
	policy := policyWithoutRules()
	policy.Severities["B101"] = rules.Info
	desk, err := service.New(b.db, policy, b.now, func() string { return "01990000-0000-7000-8000-00000000ffff" })
	if err != nil {
		t.Fatal(err)
	}
	b.config.Desk = tui.DeskOf(desk)
	b.restart()
	b.press("enter", "a")
	b.wants("the rules or settings have changed since the review; ctrl+r reviews it again")
	b.desk = desk
	b.press("ctrl+r")
	b.restart()
	b.press("enter", "a")
	b.wants("━━ Approve ━━")
}

func TestWaive(t *testing.T) {
	b := newWorkbench(t, 120, 40, demo("name_bank.json"), assessed)
	b.press("enter", "a")
	b.wants("Can't approve: ", "blocking finding")
	b.press("3", "W").write("The author wrote it so.").press("tab", "y")
	b.wants("Waived X101 in definition.guardrails", "□ waived")
	b.press("j", "j", "k", "enter")
	b.wants("▎Diff")
}
