// Package labels has the words that mark how a proposal and its findings stand, each
// with the style it is drawn in, and most with a sign.
package labels

import (
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// State names the state of a proposal as the actor sees it.
func State(th theme.Theme, actor proposals.Actor, p proposals.Proposal) (sign, word draw.Safe, style theme.Style) {
	if p.WaitsForOthers(actor) {
		return "◑", "others' turn", th.Info
	}
	switch p.State {
	case proposals.Drafted:
		return "○", "draft", th.Faint
	case proposals.ChiefReview:
		return "◔", "with chief", th.Info
	case proposals.UserReview:
		return "●", "your turn", th.Accent
	case proposals.NeedsChanges:
		return "↺", "changes", th.Warn
	case proposals.Approved:
		return "✓", "approved", th.Good
	case proposals.Rejected:
		return "✗", "rejected", th.Bad
	case proposals.Withdrawn:
		return "–", "withdrawn", th.Faint
	}
	return "?", draw.Show(string(p.State)), th.Text
}

// Severity names how bad a finding is, its sign before the word.
func Severity(th theme.Theme, s rules.Severity) (word draw.Safe, style theme.Style) {
	switch s {
	case rules.Block:
		return "■ block", th.Bad
	case rules.Warn:
		return "▲ warn", th.Warn
	case rules.Info, rules.Off:
	}
	return "· " + draw.Show(string(s)), th.Info
}

// Advice names the recommendation of the Chief of Staff.
func Advice(th theme.Theme, r proposals.Recommendation) (draw.Safe, theme.Style) {
	switch r {
	case proposals.RecommendApprove:
		return draw.Show(wording.Advice(r)), th.Good
	case proposals.RecommendNeedsChanges:
		return draw.Show(wording.Advice(r)), th.Warn
	case proposals.RecommendReject:
		return draw.Show(wording.Advice(r)), th.Bad
	}
	return "–", th.Faint
}

// Findings sums the findings of a proposal up.
func Findings(th theme.Theme, s proposals.Summary) (draw.Safe, theme.Style) {
	switch {
	case s.Findings == 0 && s.Recommendation == "":
		return "", th.Faint
	case s.Findings == 0:
		return "none", th.Faint
	case s.Blocks > 0:
		return draw.Show("■ " + wording.Count(s.Blocks, "block", "blocks")), th.Bad
	}
	sign, style := Severity(th, rules.Severity(s.Worst))
	if s.Worst == string(rules.Block) { // all of them waived
		return draw.Showf("□ %d waived", s.Findings), th.Faint
	}
	mark, word, _ := strings.Cut(string(sign), " ")
	if word == "warn" {
		return draw.Show(mark + " " + wording.Count(s.Findings, "warning", "warnings")), style
	}
	return draw.Showf("%s %d %s", mark, s.Findings, word), style
}

// Subject writes a subject with its id brought out.
func Subject(th theme.Theme, s registry.Subject) draw.Line {
	return draw.Of(th.Faint, draw.Show(string(s.Kind))+":"+draw.Show(string(s.Layer))+"/").Add(th.Text, draw.Show(s.ID))
}
