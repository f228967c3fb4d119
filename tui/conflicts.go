package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// askConflict shows where a proposal and the live version changed the same
// thing, and offers to finish the merge in the editor. Nothing was written.
func (m *Model) askConflict(p proposals.Proposal, c *review.RebaseConflict) tea.Cmd {
	d := &dialog{
		form: proposals.Form{Title: "Conflicts with version " + itoa(c.Live)},
		content: func(m *Model, page *prose.Page) {
			page.Text("", "This proposal and version "+itoa(c.Live)+" conflict. Nothing was saved.")
			for _, f := range c.Fields {
				page.Blank()
				writeConflict(m, page, f)
			}
		},
		other:     map[string]func(*Model) tea.Cmd{},
		otherHelp: [][2]string{{"e", "resolve it in the editor"}},
	}
	d.other["e"] = func(m *Model) tea.Cmd {
		if why := m.noEditor(); why != "" {
			m.say(warning, "e: %s", why)
			return nil
		}
		m.dialog = nil
		return m.edit(m.cfg.Merge(p, c))
	}
	return m.ask(d)
}

// Merge is the manuscript of a rebase that is to be finished by hand.
func (c *Config) Merge(p proposals.Proposal, conflict *review.RebaseConflict) Manuscript {
	text, ext := written(conflict.Draft)
	file := filepath.Join(c.Drafts, fmt.Sprintf("rebase-%s-r%d-v%d%s", p.ID, p.Revision, conflict.Live, ext))
	return Manuscript{p.ID, file, "Rebase of " + wording.Reference(p) + " " + p.Subject.String(), text}
}

// written returns a draft as Markdown, or as JSON where Markdown would lose
// something or bring hidden characters into the user's editor, with the ending
// of the file's name. In JSON they are escapes, which are read back as they were.
func written(d proposals.Draft) (text []byte, ext string) {
	if text, err := d.Markdown(); err == nil && shown(string(text)) {
		return text, ".md"
	}
	return visible.JSON(d.JSON()), ".json"
}

// shown reports whether an editor shows every character of text. A single
// selector after a symbol, which makes an emoji of it, is seen by what it does.
func shown(text string) bool {
	var before rune
	for _, r := range text {
		emoji := (r == '\ufe0e' || r == '\ufe0f') && unicode.Is(unicode.S, before)
		if r != '\n' && r != '\t' && visible.Hidden(r) && !emoji {
			return false
		}
		before = r
	}
	return utf8.ValidString(text)
}

// writeConflict shows the three sides of a field, or of each passage of a text.
func writeConflict(m *Model, page *prose.Page, f diff.FieldConflict) {
	th := m.theme
	side := func(style theme.Style, sign draw.Safe, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			page.Item(draw.Of(style, sign), line)
			sign = draw.Safe(draw.Blank(draw.Width(sign)))
		}
	}
	sides := func(base, ours, theirs string) {
		side(th.Faint, "  was   ", base)
		side(th.Good, "  here  ", ours)
		side(th.Warn, "  live  ", theirs)
	}
	if f.Text == nil {
		page.Line(draw.Of(th.Field, "◆ "+draw.Show(f.Path)).Add(th.Faint, "  the draft keeps this side"))
		sides(nodeText(f.Base), nodeText(f.Ours), nodeText(f.Theirs))
		return
	}
	for _, c := range f.Text.Conflicts {
		page.Line(draw.Of(th.Field, "◆ "+draw.Show(f.Path)).Add(th.Faint, draw.Showf("  line %d, between markers in the draft", c.Ours.Lines.Start+1)))
		sides(passage(c.Base.Text), passage(c.Ours.Text), passage(c.Theirs.Text))
	}
}

func nodeText(n *jsondoc.Node) string {
	switch {
	case n == nil:
		return "nothing"
	case n.Kind == jsondoc.String:
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

func passage(text string) string {
	if text == "" {
		return "nothing"
	}
	return strings.TrimSuffix(text, "\n")
}
