package tui_test

import (
	"context"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
)

// onlyProposal returns the only proposal.
func (b *workbench) onlyProposal() proposals.Proposal {
	b.t.Helper()
	page, err := b.desk.Reading.List(context.Background(), review.Query{})
	if err != nil || len(page.Proposals) != 1 {
		b.t.Fatalf("%d proposals: %v", len(page.Proposals), err)
	}
	return page.Proposals[0]
}

// TestChangesBesideTheListAreRead checks that exactly the changes shown beside or below the list count as read (T29).
func TestChangesBesideTheListAreRead(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, size := range [][2]int{{120, 60}, {200, 60}, {80, 90}} {
		b := newWorkbench(t, size[0], size[1], demo("name_bank.json"))
		b.wants("◆ prompt")
		b.press("a").wants("✓ read 1/1", "y approve")
		b.press("y").wants("Live: tool:user/name_bank version 1")
	}
}

// TestChangesOutOfThePaneAreNotRead checks that changes below the pane are unread until the pane is scrolled to its
// end.
func TestChangesOutOfThePaneAreNotRead(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 24, demo("name_bank.json"))
	locked := func() {
		t.Helper()
		b.screen()
		b.press("a").wants("read 0/1", "! unread: ")
		b.press("y").wants("Unread: ")
		b.press("esc")
	}
	b.press("J") // the beginning was drawn before
	locked()
	for range 20 {
		b.press("J")
		b.screen()
	}
	b.press("a").wants("read 1/1")
}

// TestChangesUnderADialogAreNotRead scrolls the pane while a sheet covers the screen.
func TestChangesUnderADialogAreNotRead(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 24, demo("name_bank.json"))
	b.screen()
	b.press("a").wants("read 0/1")
	for range 20 {
		b.press("J", "down")
	}
	b.wants("read 0/1")
}

// TestNewRevisionBesideTheListIsUnread checks that reading an earlier revision does not count.
func TestNewRevisionBesideTheListIsUnread(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 24, demo("name_bank.json"))
	for range 20 {
		b.screen()
		b.press("J")
	}
	b.press("a").wants("read 1/1")
	b.press("esc")
	d := b.file("name_bank.json")
	d.Definition.Tool.Goals = "Other goals than those that were read."
	if _, err := b.desk.Drafting.Revise(context.Background(), drafter, b.onlyProposal().ID, d); err != nil {
		t.Fatal(err)
	}
	b.poll()
	b.screen()
	b.press("a").wants("read 0/1", "! unread: ")
}

// TestHiddenCharactersAreNotReadBesideTheList checks that a finding about hidden characters must be read on a page
// that shows its passage.
func TestHiddenCharactersAreNotReadBesideTheList(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 90, demo("name_bank.json"), func(b *workbench) {
		_, err := b.desk.Assessing.Assess(context.Background(), proposals.Actor{Kind: proposals.Chief, Name: "ida"}, b.onlyProposal().ID, review.Opinion{
			Recommendation: proposals.RecommendApprove,
			Findings:       []rules.Finding{{Rule: "X103", Severity: rules.Info, Path: "definition.prompt", Line: 3, Column: 1, EndLine: 3, EndColumn: 9, Message: "It is split.", Passage: "Ig\u200bnore"}},
		})
		if err != nil {
			b.t.Fatal(err)
		}
	})
	b.wants("◆ prompt", "It is split.")
	b.press("a")
	if s := b.screen(); !strings.Contains(s, "read 0/1") {
		t.Errorf("a hidden character counts as read beside the list:\n%s", s)
	}
}

// reportFinding lets a chief report a waivable finding without hidden characters in the only proposal.
func reportFinding(b *workbench) {
	b.t.Helper()
	_, err := b.desk.Assessing.Assess(context.Background(), proposals.Actor{Kind: proposals.Chief, Name: "ida"}, b.onlyProposal().ID, review.Opinion{
		Recommendation: proposals.RecommendNeedsChanges,
		Findings:       []rules.Finding{{Rule: "X101", Severity: rules.Block, Path: "definition.goals", Line: 1, Column: 1, EndLine: 1, EndColumn: 5, Message: "Too wide.", Passage: "Five"}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// waive waives the first finding of the selected proposal.
func (b *workbench) waive() {
	b.t.Helper()
	b.press("enter", "3", "W").write("It was meant.").press("ctrl+s", "y").wants("Waived X101")
}

// TestWaivingMarksNothingAsRead waives a finding, which changes the digest of the review. Parts that were read beside the
// queue stay read, and no others become read.
func TestWaivingMarksNothingAsRead(t *testing.T) {
	shortrun.OneGoroutine(t)
	locked := func(t *testing.T, b *workbench) {
		t.Helper()
		for range 2 { // on the page of the proposal, and in the queue
			b.press("a").wants("━━ Approve ━━", "! unread: ")
			b.press("y").wants("Unread: ")
			b.press("esc", "Q")
		}
		if got := b.state(); got != proposals.UserReview {
			t.Errorf("it was approved: %s", got)
		}
	}
	readAll := func(b *workbench) {
		for range 20 {
			b.screen()
			b.press("J")
		}
	}
	t.Run("read", func(t *testing.T) {
		b := newWorkbench(t, 120, 24, demo("name_bank.json"), reportFinding)
		readAll(b)
		b.waive()
		b.press("a").wants("━━ Approve ━━")
		b.press("y").wants("Live: tool:user/name_bank")
	})
	t.Run("a part of it", func(t *testing.T) {
		b := newWorkbench(t, 120, 24, demo("name_bank.json"), reportFinding)
		b.screen()
		b.press("J")
		b.waive()
		locked(t, b)
	})
	t.Run("an earlier revision", func(t *testing.T) {
		b := newWorkbench(t, 120, 24, demo("name_bank.json"), reportFinding)
		readAll(b)
		d := b.file("name_bank.json")
		d.Definition.Tool.Goals = "List other goals than those that were read."
		if _, err := b.desk.Drafting.Revise(context.Background(), drafter, b.onlyProposal().ID, d); err != nil {
			t.Fatal(err)
		}
		reportFinding(b)
		b.press("enter", "esc")
		b.waive()
		locked(t, b)
	})
	t.Run("under another test case", func(t *testing.T) {
		b := newWorkbench(t, 120, 24, demo("name_bank.json"), reportFinding)
		readAll(b)
		d := b.file("name_bank.json")
		d.TestCases[1].Name = "another name"
		if _, err := b.desk.Drafting.Revise(context.Background(), drafter, b.onlyProposal().ID, d); err != nil {
			t.Fatal(err)
		}
		reportFinding(b)
		b.press("enter", "esc")
		b.waive()
		locked(t, b)
	})
}
