// Package labels contains the words, signs, and styles that represent proposals, findings, and subjects on the
// screen.
package labels

import (
	"strings"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// State returns the label for the state of p from the point of view of the actor, for example "your turn".
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
		return "↺", "sent back", th.Warn
	case proposals.Approved:
		return "✓", "approved", th.Good
	case proposals.Rejected:
		return "✗", "rejected", th.Bad
	case proposals.Withdrawn:
		return "–", "withdrawn", th.Faint
	}
	return "?", draw.Escape(string(p.State)), th.Text
}

// Severity returns the label for a severity, which begins with the sign of the severity.
func Severity(th theme.Theme, s rules.Severity) (word draw.Safe, style theme.Style) {
	switch s {
	case rules.Block:
		return "■ block", th.Bad
	case rules.Warn:
		return "▲ warn", th.Warn
	case rules.Info, rules.Off:
	}
	return "· " + draw.Escape(string(s)), th.Info
}

// SeveritySign returns the sign of a severity and the style of the sign.
func SeveritySign(th theme.Theme, s rules.Severity) (sign draw.Safe, style theme.Style) {
	label, style := Severity(th, s)
	first, _, _ := strings.Cut(string(label), " ")
	return draw.Safe(first), style
}

// Advice returns the label for a recommendation.
func Advice(th theme.Theme, r proposals.Recommendation) (draw.Safe, theme.Style) {
	styles := map[proposals.Recommendation]theme.Style{proposals.RecommendApprove: th.Good, proposals.RecommendNeedsChanges: th.Warn, proposals.RecommendReject: th.Bad}
	if style, known := styles[r]; known {
		return draw.Escape(wording.Advice(r)), style
	}
	return "–", th.Faint
}

// Findings returns a label that summarizes a proposal's findings.
func Findings(th theme.Theme, s proposals.Summary) (draw.Safe, theme.Style) {
	switch {
	case s.Findings == 0 && s.Recommendation == "":
		return "", th.Faint
	case s.Findings == 0:
		return "no findings", th.Faint
	case s.Blocks > 0:
		return draw.Escape("■ " + wording.Count(s.Blocks, "block", "blocks")), th.Bad
	}
	switch {
	case s.Warns > 0:
		sign, style := SeveritySign(th, rules.Warn)
		return sign + draw.Escape(" "+wording.Count(s.Warns, "warning", "warnings")), style
	case s.Worst != string(rules.Info): // all findings are waived
		return "□ waived", th.Faint
	}
	sign, style := SeveritySign(th, rules.Info)
	return sign + draw.Escapef(" %d %s", s.Findings, rules.Info), style
}

// Facts adds the facts about p to page, each with a label. It draws suffix after the state.
func Facts(page *prose.Page, th theme.Theme, actor proposals.Actor, p proposals.Proposal, v facts.View, suffix draw.Safe) {
	for _, f := range facts.All() {
		if f.Label == "" || f.Read(p, v) == "" {
			continue
		}
		label := draw.Of(th.Faint, draw.Pad(draw.Escape(f.Label), prose.LabelWidth))
		switch f.Name {
		case "state":
			sign, word, style := State(th, actor, p)
			page.Line(label.Add(style, sign+" "+word).Add(th.Faint, suffix))
		case "stale":
			page.Line(label.Add(th.Warn, "⚠ "+draw.Escape(f.Read(p, v))))
		case "recommendation":
			advice, style := Advice(th, p.Summary.Recommendation)
			found, foundStyle := Findings(th, p.Summary)
			between := draw.Safe("   ") // blank space before a sign
			if p.Summary.Findings == 0 {
				between = ", "
			}
			page.Line(label.Add(style, advice).Add(th.Faint, between).Add(foundStyle, found))
		default:
			page.Field(f.Label, f.Read(p, v))
		}
	}
}

// Brief draws the layer and the ID of a subject, cut to the given width. It omits the layer "user".
func Brief(th theme.Theme, s registry.Subject, width int) draw.Line {
	if s.Layer == registry.LayerUser {
		return draw.Of(th.Text, draw.Cut(draw.Escape(s.ID), width))
	}
	return layered(th, s, width)
}

// layered draws the layer and the ID of a subject, cut to the given width. If the layer does not fit, it draws
// an ellipsis in place of the layer.
func layered(th theme.Theme, s registry.Subject, width int) draw.Line {
	layer, id := draw.Escape(string(s.Layer)), draw.Escape(s.ID)
	switch left := width - 1 - draw.Width(id); {
	case left < 1:
		return draw.Of(th.Text, draw.Cut(id, width))
	case left < draw.Width(layer):
		layer = "…"
	}
	return draw.Of(th.Faint, layer+"/").Add(th.Text, id)
}

// Named draws the kind, the layer, and the ID of a subject, cut to the given width. If space is short, it
// omits the kind, and then the layer.
func Named(th theme.Theme, s registry.Subject, width int) draw.Line {
	if whole := Subject(th, s); whole.Width() <= width {
		return whole
	}
	return layered(th, s, width)
}

// Subject draws the kind, the layer, and the ID of a subject, with the ID highlighted.
func Subject(th theme.Theme, s registry.Subject) draw.Line {
	return draw.Of(th.Faint, draw.Escape(string(s.Kind))+":"+draw.Escape(string(s.Layer))+"/").Add(th.Text, draw.Escape(s.ID))
}
