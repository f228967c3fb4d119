// This file implements the undo of decisions.

package desk

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Undoing a decision does not remove it from the log. Instead, a new action proposes the same content again,
// restores the previous version, or deactivates the definition.

// undo returns the action that undoes the given decisions, or nil if the decisions cannot be undone. set is the
// name of the change set that contains all of the proposals, or "".
func (u *User) undo(act proposals.Act, decisions []proposals.Decision, set string) *screen.Undo {
	d, them := decisions[0], "it"
	if len(decisions) > 1 {
		them = "them"
	}
	switch {
	case act == proposals.ActApprove && len(decisions) > 1 && set != "" && d.Version > 0:
		return &screen.Undo{Says: "undoes the approval of all", Ask: func(sh screen.Shell, f screen.Frame) tea.Cmd { return u.AskUndoSet(sh, f, set) }}
	case act != proposals.ActApprove:
		return &screen.Undo{Says: "proposes " + them + " again", Ask: func(sh screen.Shell, f screen.Frame) tea.Cmd { return u.askRepropose(sh, f, decisions) }}
	case len(decisions) > 1 || d.Version == 0:
		return nil
	case d.Version == 1:
		return &screen.Undo{Says: "deactivates it", Ask: func(sh screen.Shell, f screen.Frame) tea.Cmd { return u.askDeactivate(sh, f, d) }}
	}
	return &screen.Undo{Says: "restores version " + strconv.Itoa(d.Version-1), Ask: func(sh screen.Shell, f screen.Frame) tea.Cmd {
		return screen.Restorer{Versions: u.Versions, Restore: u.Restore}.Ask(u.Context, sh, nil, f, d.Subject, d.Version-1)
	}}
}

// askRepropose reads proposals that were rejected or sent back, and opens a dialog to propose them again.
func (u *User) askRepropose(sh screen.Shell, f screen.Frame, decisions []proposals.Decision) tea.Cmd {
	return func() tea.Msg {
		var ds []review.Dossier
		var ps []proposals.Proposal
		for _, d := range decisions {
			read, err := u.Desk.Show(u.Context, u.Actor, d.Proposal)
			if err != nil {
				return screen.Done{Err: err}
			}
			ds, ps = append(ds, read), append(ps, read.Proposal)
		}
		return screen.Then{Do: func() tea.Cmd {
			for _, p := range ps {
				if why := wording.CannotRepropose(p); why != "" {
					return sh.Say(screen.Warning, "%s: %s", wording.Reference(p), why)
				}
			}
			return sh.Ask(f.ReproposeDialog(ps, func() tea.Cmd { return sh.Write(u.reproposeAll(ds)) }))
		}}
	}
}

// reproposeAll returns a write that proposes the content of each dossier again. If ds has only one element, the
// write also opens the new proposal.
func (u *User) reproposeAll(ds []review.Dossier) screen.Write {
	if len(ds) == 1 {
		return screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return u.Repropose(ctx, ds[0]) })
	}
	form := proposals.Form{Undone: "not all proposed again"}
	return screen.Act(screen.Wrote{Made: true}, form, func(ctx context.Context) (string, error) {
		var names []string
		for _, d := range ds {
			p, text, err := u.Repropose(ctx, d)
			if err != nil {
				if len(names) > 0 {
					err = fmt.Errorf("proposed only %d of %d again, as %s: %w", len(names), len(ds), wording.Enumerate(names), err)
				}
				return "", err
			}
			if p.State == proposals.Drafted {
				return text, nil
			}
			names = append(names, wording.Reference(p))
		}
		return "Proposed again as " + wording.Enumerate(names), nil
	})
}

// Repropose proposes the content of a closed or sent-back proposal again. The earlier decision stays in the
// log. A sent-back proposal is withdrawn, because the new proposal replaces it. If a member of the change set
// was rejected, the set can no longer be approved, so the new proposal does not join it.
func (u *User) Repropose(ctx context.Context, d review.Dossier) (proposals.Proposal, string, error) {
	draft := d.Revision.Draft
	if slices.ContainsFunc(d.Members, func(p proposals.Proposal) bool { return p.State == proposals.Rejected }) {
		draft.ChangeSet = ""
	}
	ps, err := u.Desk.Propose(ctx, u.Actor, []proposals.Draft{draft}, false)
	if err != nil {
		return proposals.Proposal{}, "", err
	}
	if d.Proposal.State == proposals.NeedsChanges {
		if _, err := u.Desk.Withdraw(ctx, u.Actor, d.Proposal.ID, "Proposed again as "+wording.Reference(ps[0])+"."); err != nil {
			return ps[0], "", err
		}
	}
	p, outcome := u.submit(ctx, ps[0])
	return p, outcome + ", with the content of " + wording.Reference(d.Proposal), nil
}

// AskUndoSet opens a dialog to undo the approval of a change set. This proposes a new change set that restores
// the earlier versions.
func (u *User) AskUndoSet(sh screen.Shell, f screen.Frame, set string) tea.Cmd {
	return sh.Ask(screen.Dialog{
		Form: proposals.Form{Title: "Undo a change set", Verb: "propose it"}, NoteOptional: true,
		About: "set " + set, Subject: draw.Escape("set " + set),
		Facts: func() []draw.Line {
			return []draw.Line{draw.Of(f.Theme.Text, "restores the earlier versions and deactivates new definitions"), draw.Of(f.Theme.Faint, "The change takes effect when you approve it.")}
		},
		Content: func(page *prose.Page) { page.Text("", "On the command line: toolcrib rollback 'set:"+set+"'") },
		Run: func(note string) tea.Cmd {
			return sh.Write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) {
				ps, err := u.Desk.RollbackSet(ctx, u.Actor, set, note)
				if err != nil {
					return proposals.Proposal{}, "", err
				}
				return ps[0], "Proposed " + strconv.Itoa(len(ps)) + " restores as the set " + ps[0].ChangeSet + "; press a to approve it", nil
			}))
		},
	})
}

// askDeactivate opens a dialog to deactivate a definition that has just become live. The dialog requires a
// reason.
func (u *User) askDeactivate(sh screen.Shell, f screen.Frame, d proposals.Decision) tea.Cmd {
	subject := d.Subject.String()
	return sh.Ask(screen.Dialog{
		Form: proposals.Form{Title: "Deactivate", Verb: "propose it", Reason: true}, Writing: true,
		About: subject, Subject: draw.Escape(subject + "  v1 → v2, deactivated"),
		Facts: func() []draw.Line {
			return []draw.Line{draw.Of(f.Theme.Text, "no agent can use the definition anymore"), draw.Of(f.Theme.Faint, "The change takes effect when you approve it.")}
		},
		Content: func(page *prose.Page) { page.Field("deactivate", subject) },
		Run: func(reason string) tea.Cmd {
			return sh.Write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) {
				return u.deactivate(ctx, d, reason)
			}))
		},
	})
}

// deactivate proposes to deactivate the definition that became live with the given decision. The proposal has
// the same examples and test cases as the definition.
func (u *User) deactivate(ctx context.Context, decision proposals.Decision, reason string) (proposals.Proposal, string, error) {
	approved, err := u.Desk.Show(ctx, u.Actor, decision.Proposal)
	if err != nil {
		return proposals.Proposal{}, "", err
	}
	was := approved.Revision.Draft
	ps, err := u.Desk.Propose(ctx, u.Actor, []proposals.Draft{{
		Type: proposals.Deactivate, Subject: decision.Subject, BaseVersion: &decision.Version, Rationale: reason, Examples: was.Examples, TestCases: was.TestCases,
	}}, false)
	if err != nil {
		return proposals.Proposal{}, "", err
	}
	p, outcome := u.submit(ctx, ps[0])
	return p, outcome + "; press a to approve it", nil
}
