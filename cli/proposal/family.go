// Package proposal has the commands about proposals: propose, revise, list, show,
// compare, review, comment and decide.
package proposal

import (
	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/proposals"
)

// Family returns the commands that propose, review and decide.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupProposals, New: newPropose, Creates: true},
			{Group: command.GroupProposals, New: newRevise},
			{Group: command.GroupProposals, New: newSubmit},
			{Group: command.GroupProposals, New: newList},
			{Group: command.GroupProposals, New: newShow},
			{Group: command.GroupProposals, New: newDiff},
			{Group: command.GroupProposals, New: newReview},
			{Group: command.GroupProposals, New: newTest},
			{Group: command.GroupProposals, New: newApprove},
			{Group: command.GroupProposals, New: newRefusal(proposals.VerdictNeedsChanges, "needs-changes")},
			{Group: command.GroupProposals, New: newRefusal(proposals.VerdictRejected, "reject")},
			{Group: command.GroupProposals, New: newWithdraw},
			{Group: command.GroupProposals, New: newComment},
			{Group: command.GroupProposals, New: newWaiving(false)},
			{Group: command.GroupProposals, New: newWaiving(true)},
			{Group: command.GroupProposals, New: newRebase},
			{Group: command.GroupProposals, New: newRegroup},
			{Group: command.GroupProposals, New: newFork, Creates: true},
			{Group: command.GroupProposals, New: newAssign},
			{Group: command.GroupRegistry, New: newRollback},
		},
		Documents: map[string]any{
			"assessment":    docReview{},
			"behaviour":     docBehaviour{},
			"change_set":    docChangeSet{},
			"comment":       docCommentMade{},
			"decision":      document.DecisionList{},
			"diff":          docDiff{},
			"diff.list":     docDiffList{},
			"proposal":      document.Dossier{},
			"proposal.list": document.ProposalList{},
			"waiver":        docWaiverMade{},
		},
	}
}
