package proposal

import (
	"errors"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// Reasons why a key of a proposal has no effect now, shown when it is pressed.

// cannotAct returns why the user cannot do an act, by the tables of authority and
// of states.
func (pp *Page) cannotAct(act proposals.Act) func() string {
	return func() string {
		if !pp.loaded {
			return "it is still loading"
		}
		return wording.Cannot(pp.Actor, act, pp.dossier.Proposal)
	}
}

// notMyTurn reports whether the open proposal waits for nobody's decision.
func (pp *Page) notMyTurn() bool {
	return pp.loaded && pp.dossier.Proposal.State != proposals.UserReview
}

func (pp *Page) cannotApprove() string {
	if !pp.loaded {
		return "it is still loading"
	}
	if why := wording.Obstacles(pp.dossier, wording.Ways{Rebase: "; R rebases it"}); len(why) > 0 {
		if pp.outdated() && pp.cannotReassess() == "" {
			return "the rules or settings changed since its review; ctrl+r reviews it again"
		}
		if errors.Is(pp.dossier.Obstacles[0], review.ErrBlocked) {
			them := "it"
			if pp.dossier.Proposal.Summary.Blocks > 1 {
				them = "them"
			}
			return why[0] + ". Waive " + them + " (3, W) or send it back (c)"
		}
		return why[0]
	}
	return ""
}

// outdated reports whether all that is in the way is an assessment by other
// rules than those in force.
func (pp *Page) outdated() bool {
	o := pp.dossier.Obstacles
	return len(o) == 1 && errors.Is(o[0], review.ErrOutdated) && pp.dossier.Assessment() != nil && pp.dossier.Proposal.State == proposals.UserReview
}

func (pp *Page) cannotReassess() string {
	if !pp.loaded {
		return "it is still loading"
	}
	state := pp.dossier.Proposal.State
	if _, err := proposals.Next(state, proposals.ActAssess); err != nil {
		return wording.Standing(state)
	}
	return ""
}

func (pp *Page) cannotWaive() string {
	s, ok := pp.selectedFinding()
	switch {
	case !pp.loaded:
		return "it is still loading"
	case !ok:
		return "select a finding first, on the tabs Overview, Diff or Assessment"
	}
	return wording.CannotWaive(pp.Actor, pp.dossier.Proposal, s)
}

// canWaive reports whether the footer has the key.
func (pp *Page) canWaive() bool {
	_, ok := pp.selectedFinding()
	return ok && pp.loaded && pp.dossier.Proposal.State.Open()
}

func (pp *Page) cannotRevise() string {
	if why := pp.cannotAct(proposals.ActRevise)(); why != "" {
		return why
	}
	return pp.NoEditor()
}
