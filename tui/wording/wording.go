// Package wording contains texts that several interfaces share, for example the names of proposals and the
// reasons why actions are not possible.
package wording

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/impact"
)

// Reference returns the short name of a proposal. This is its issue number or, if it has no issue yet, the
// beginning of its ID.
func Reference(p proposals.Proposal) string {
	if p.Issue > 0 {
		return "#" + strconv.Itoa(p.Issue)
	}
	return proposals.ShortID(string(p.ID), 0)
}

// Short returns the beginning of a hash, for display.
func Short(hash string) string { return hash[:min(12, len(hash))] }

// Count returns n followed by the noun in the singular or the plural.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// OneLine returns the message of err on one line, without a period at the end.
func OneLine(err error) string {
	text := strings.TrimSuffix(strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "), ".")
	if text == "" {
		return "an error without a message"
	}
	return text
}

// notPermitted contains the reasons why an action is not permitted, by state.
var notPermitted = map[proposals.State]string{
	proposals.Drafted:      "the proposal is a draft; submit it first",
	proposals.ChiefReview:  "the Chief of Staff has not reviewed the proposal yet",
	proposals.UserReview:   "the proposal waits for your decision",
	proposals.NeedsChanges: "the proposal was sent back and has not been revised yet",
	proposals.Approved:     "the proposal is already approved",
	proposals.Rejected:     "the proposal is already rejected",
	proposals.Withdrawn:    "the proposal is already withdrawn",
}

// NotPermitted returns the reason why an action is not permitted on a proposal in state s.
func NotPermitted(s proposals.State) string {
	return cmp.Or(notPermitted[s], "the proposal is in the state "+string(s))
}

// Change returns a word for the kind of change that a proposal makes, for example "new".
func Change(t proposals.Type) string {
	names := map[proposals.Type]string{proposals.Modify: "changed", proposals.Deactivate: "removed", proposals.Reactivate: "re-added", proposals.Restore: "restored"}
	return cmp.Or(names[t], string(t))
}

// Advice returns the words for a recommendation, or "" if r is empty.
func Advice(r proposals.Recommendation) string {
	if r == proposals.RecommendNeedsChanges {
		return "send back"
	}
	return string(r)
}

// RuleCount returns the ID of a rule, followed by the number of its findings if there are several.
func RuleCount(r review.RuleFindings) string {
	if r.Count == 1 {
		return r.Rule
	}
	return r.Rule + " ×" + strconv.Itoa(r.Count)
}

// MaxRules is the maximum number of rules, or of other items, that a text lists by name.
const MaxRules = 4

// Rules lists the IDs of rules with the numbers of their findings. If there are more than MaxRules rules, it
// adds the number of further rules.
func Rules(all []review.RuleFindings) string {
	names := lists.Map(all, RuleCount)
	if n := len(names) - MaxRules; n > 1 {
		names = append(names[:MaxRules], strconv.Itoa(n)+" other rules")
	}
	return Enumerate(names)
}

// Enumerate joins words as in "a, b and c".
func Enumerate(words []string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
}

// FieldName returns the display name of the field at path. For a file of a skill, this is the name of the file.
func FieldName(path string) string {
	if rest, ok := strings.CutPrefix(path, "definition."); ok {
		if name := diff.Label(rest); name != rest {
			return name
		}
	}
	return path
}

// Cannot returns the reason why the actor cannot perform act on p, or "". The reason depends on the actor's
// authority and the state of p.
func Cannot(actor proposals.Actor, act proposals.Act, p proposals.Proposal) string {
	switch err := proposals.Can(actor, act, p); {
	case err == nil:
		return ""
	case errors.Is(err, proposals.ErrState):
		return NotPermitted(p.State)
	default:
		return OneLine(err)
	}
}

// CannotRepropose returns the reason why p cannot be proposed again, or "".
func CannotRepropose(p proposals.Proposal) string {
	switch p.State {
	case proposals.Rejected, proposals.Withdrawn, proposals.NeedsChanges:
		return ""
	case proposals.Approved:
		return "the proposal is approved; restore an earlier version instead"
	case proposals.Drafted, proposals.ChiefReview, proposals.UserReview:
	}
	return "only rejected, withdrawn, or sent-back proposals can be proposed again; to end a waiver, select it"
}

// Remedies contains texts that Obstacles appends to its results. Each text explains how to remove an obstacle
// in the current interface.
type Remedies struct{ Findings, Rebase, Assess string }

// Obstacles returns the reasons why the viewer of d cannot approve the proposal. All open blocking findings are
// a single reason.
func Obstacles(d review.Dossier, ways Remedies) []string {
	var out []string
	for _, o := range d.Obstacles {
		switch {
		case errors.Is(o, review.ErrBlocked):
			n, blocks := 0, review.BlocksByRule(d.Standing)
			for _, b := range blocks {
				n += b.Count
			}
			out = append(out, Count(n, "blocking finding is", "blocking findings are")+" open ("+Rules(blocks)+")"+ways.Findings)
		case errors.Is(o, proposals.ErrState):
			out = append(out, NotPermitted(d.Proposal.State))
		case errors.Is(o, review.ErrStale):
			out = append(out, facts.WhyStale(d.Proposal)+ways.Rebase)
		case errors.Is(o, review.ErrOutdated) && ways.Assess != "":
			out = append(out, "the rules or settings have changed since the review"+ways.Assess)
		default:
			out = append(out, OneLine(o))
		}
	}
	members := d.Together()
	if len(out) > 0 || len(members) < 2 {
		return out
	}
	for _, p := range members {
		switch {
		case p.State != proposals.UserReview:
			return []string{Reference(p) + " of the change set is " + string(p.State)}
		case p.Summary.Blocks > 0:
			return []string{Reference(p) + " of the change set has an open blocking finding"}
		}
	}
	return nil
}

// BeforeApproval describes the approvals of a proposal that several users must approve, and the effect of the
// next approval.
func BeforeApproval(a proposals.Approvals) string {
	so := fmt.Sprintf("%d of %d so far; ", len(a.Given), a.Required)
	if len(a.Given)+1 < a.Required {
		return so + "further approvals are required after yours"
	}
	return so + "yours can be the last"
}

// SubmitProblems returns the reasons why a draft cannot be submitted yet, for example missing parts. It returns
// nil if the proposal is not a draft.
func SubmitProblems(d review.Dossier) []string {
	if d.Proposal.State != proposals.Drafted {
		return nil
	}
	return lists.Map(d.Revision.Draft.Problems(), func(p proposals.Problem) string { return p.String() })
}

// Channels returns a line for each agent with channel prompts that the proposal changes. The line lists the
// channels, followed by the agent's element of notes.
func Channels(d review.Dossier, notes map[string]string) []string {
	byAgent := map[string][]string{}
	var order []string
	for _, key := range slices.Sorted(maps.Keys(d.Rendered)) {
		at := strings.LastIndexByte(key, '#')
		agent, channel := key[:max(0, at)], key[at+1:]
		if byAgent[agent] == nil {
			order = append(order, agent)
		}
		if d.Rendered[key] == "" {
			channel += " (gone)"
		}
		byAgent[agent] = append(byAgent[agent], channel)
	}
	return lists.Map(order, func(agent string) string { return agent + ": " + Enumerate(byAgent[agent]) + notes[agent] })
}

// Becomes describes the version that the approval of p creates, for example "version 3 → 4".
func Becomes(p proposals.Proposal) string {
	if p.BaseVersion == 0 {
		return "becomes version 1"
	}
	return "version " + strconv.Itoa(p.BaseVersion) + " → " + strconv.Itoa(p.BaseVersion+1)
}

// TestChange describes a change of a test case.
type TestChange struct {
	Text   string
	Weaker bool // the test case is removed or changed
}

// TestChanges describes changes of test cases.
func TestChanges(changes []impact.TestChange) []TestChange {
	verbs := map[diff.Change]string{diff.Removed: "drops test case ", diff.Modified: "changes test case ", diff.Added: "adds test case "}
	return lists.Map(changes, func(c impact.TestChange) TestChange {
		return TestChange{verbs[c.Change] + c.Name, c.Change != diff.Added}
	})
}

// Age formats a duration in the largest unit that fits, for example "3 h".
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "<1 min"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " d"
}

// ShortAge is like Age, but the result has no blanks and a unit of one letter, for example "3h". It is used in
// columns.
func ShortAge(d time.Duration) string {
	if d < time.Minute {
		return "now"
	}
	n, unit, _ := strings.Cut(Age(d), " ")
	return n + unit[:1]
}

// DocumentLines returns the lines of a JSON document after formatting it with indentation. If doc is not valid
// JSON, it returns doc as a single line.
func DocumentLines(doc []byte) []string {
	n, err := jsondoc.Parse(doc, jsondoc.DefaultLimits)
	if err != nil {
		return []string{string(doc)}
	}
	return strings.Split(strings.TrimSuffix(string(jsondoc.Indent(n)), "\n"), "\n")
}
