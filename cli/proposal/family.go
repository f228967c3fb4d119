// Package proposal has the commands about proposals: propose, revise, list, show,
// compare, review, comment and decide.
package proposal

import (
	"embed"
	"reflect"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/proposals"
)

//go:embed help
var help embed.FS

// Family returns the commands that propose, review and decide.
func Family() command.Family {
	return command.Family{
		Help: help,
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
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"assessment":    reflect.TypeFor[docReview](),
				"behaviour":     reflect.TypeFor[docBehaviour](),
				"change_set":    reflect.TypeFor[docChangeSet](),
				"comment":       reflect.TypeFor[docCommentMade](),
				"decision":      reflect.TypeFor[document.DecisionList](),
				"diff":          reflect.TypeFor[docDiff](),
				"diff.list":     reflect.TypeFor[docDiffList](),
				"proposal":      reflect.TypeFor[document.Dossier](),
				"proposal.list": reflect.TypeFor[document.ProposalList](),
				"waiver":        reflect.TypeFor[docWaiverMade](),
			}
		},
	}
}
