package tui

import (
	"strings"

	"toolcrib/proposals"
	"toolcrib/review/rules"
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// stateWord says where a proposal stands, with a sign and a style.
func (m *Model) stateWord(p proposals.Proposal) (sign, word draw.Safe, style theme.Style) {
	th := m.theme
	if p.WaitsForOthers(m.cfg.Actor) {
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

// severityWord says how bad a finding is.
func (m *Model) severityWord(s rules.Severity) (sign draw.Safe, style theme.Style) {
	switch s {
	case rules.Block:
		return "■ block", m.theme.Bad
	case rules.Warn:
		return "▲ warn", m.theme.Warn
	case rules.Info, rules.Off:
	}
	return "· " + draw.Show(string(s)), m.theme.Info
}

// adviceWord is the recommendation of the Chief of Staff.
func (m *Model) adviceWord(r proposals.Recommendation) (draw.Safe, theme.Style) {
	switch r {
	case proposals.RecommendApprove:
		return draw.Show(wording.Advice(r)), m.theme.Good
	case proposals.RecommendNeedsChanges:
		return draw.Show(wording.Advice(r)), m.theme.Warn
	case proposals.RecommendReject:
		return draw.Show(wording.Advice(r)), m.theme.Bad
	}
	return "–", m.theme.Faint
}

// findingsWord sums the findings of a proposal up.
func (m *Model) findingsWord(s proposals.Summary) (draw.Safe, theme.Style) {
	switch {
	case s.Findings == 0 && s.Recommendation == "":
		return "", m.theme.Faint
	case s.Findings == 0:
		return "none", m.theme.Faint
	case s.Blocks > 0:
		return draw.Show("■ " + wording.Count(s.Blocks, "block", "blocks")), m.theme.Bad
	}
	sign, style := m.severityWord(rules.Severity(s.Worst))
	if s.Worst == string(rules.Block) { // all of them waived
		return draw.Showf("□ %d waived", s.Findings), m.theme.Faint
	}
	mark, word, _ := strings.Cut(string(sign), " ")
	if word == "warn" {
		return draw.Show(mark + " " + wording.Count(s.Findings, "warning", "warnings")), style
	}
	return draw.Showf("%s %d %s", mark, s.Findings, word), style
}
