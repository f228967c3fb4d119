package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/harness"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// behaviour is how the test cases came out, with the answers compared.
type behaviour struct {
	review.Behaviour
	answers []*difflist.List // of each case, nil where the answer is the same
}

// behaviourMsg brings it.
type behaviourMsg struct {
	id       proposals.ID
	revision int
	made     *behaviour
	err      error
}

// loadTests runs the test cases on recorded answers, when somebody looks at them or
// at how they come out.
func (pp *proposalPage) loadTests(m *Model) tea.Cmd {
	if pp.Tab != tabTests && m.layout.Left == 0 || pp.tried != nil || !pp.loaded {
		return nil
	}
	id, revision, desk := pp.id, pp.dossier.Proposal.Revision, m.cfg.Desk
	return func() tea.Msg {
		b, err := desk.Behaviour(m.ctx, id, false, func(int, int, string) {})
		return behaviourMsg{id, revision, compareAnswers(b), err}
	}
}

// compareAnswers compares the answers of each case.
func compareAnswers(b review.Behaviour) *behaviour {
	made := &behaviour{b, make([]*difflist.List, len(b.Cases))}
	for i, c := range b.Cases {
		if c.Changed() && c.Before.Text != c.After.Text {
			made.answers[i] = difflist.New([]diff.Field{{
				Path: "answer", Change: diff.Modified, Before: jsondoc.NewString(c.Before.Text), After: jsondoc.NewString(c.After.Text),
			}}, difflist.DefaultContext)
		}
	}
	return made
}

func (pp *proposalPage) testsLoaded(m *Model, msg behaviourMsg) {
	switch {
	case pp.id != msg.id || !pp.loaded || pp.dossier.Proposal.Revision != msg.revision:
	case msg.err != nil:
		m.fail(msg.err)
	default:
		pp.tried = msg.made
		pp.pagers[tabTests].Replace(pp.tests(m))
		pp.pagers[tabOverview].Replace(pp.overview(m))
	}
}

// askModel has the configured model answer the cases with both versions.
func (pp *proposalPage) askModel(m *Model) tea.Cmd {
	id, revision, desk := pp.id, pp.dossier.Proposal.Revision, m.cfg.Desk
	answered := make(chan behaviourMsg, 1)
	pp.answered = answered
	work := func(ctx context.Context, tell Tell) ([]string, error) {
		b, err := desk.Behaviour(ctx, id, true, func(done, total int, name string) { tell(int64(done), int64(total), name) })
		if err != nil {
			return nil, err
		}
		answered <- behaviourMsg{id, revision, compareAnswers(b), nil}
		changed := 0
		for _, c := range b.Cases {
			if c.Changed() {
				changed++
			}
		}
		return []string{itoa(changed) + " of " + itoa(len(b.Cases)) + " cases changed."}, nil
	}
	return m.start("Ask the model", work)
}

// takeAnswers shows what the model answered: the page is read again when a job ends.
func (pp *proposalPage) takeAnswers(m *Model) {
	select {
	case msg := <-pp.answered:
		pp.testsLoaded(m, msg)
	default:
	}
}

func (pp *proposalPage) cannotAskModel(m *Model) string {
	switch {
	case pp.Tab != tabTests:
		return "only on the Tests tab"
	case !m.cfg.HasModel:
		return "no model is connected; name one under [model] in your configuration"
	}
	return m.busy()
}

// tests shows each case with the live version and with the proposed one.
func (pp *proposalPage) tests(m *Model) pager.Rows {
	page := prose.New(m.theme)
	page.Blank()
	if pp.tried == nil {
		page.Faint("", "Running the test cases…")
		return page.Rows()
	}
	before := "nothing live"
	if pp.tried.Live > 0 {
		before = "version " + itoa(pp.tried.Live)
	}
	page.Field("compared", before+", then revision "+itoa(pp.dossier.Proposal.Revision))
	if len(pp.tried.Cases) == 0 {
		page.Blank()
		page.Faint("", "There are no test cases.")
	}
	for i, c := range pp.tried.Cases {
		page.Blank()
		page.Stop()
		title := draw.Of(m.theme.Field, "◆ "+draw.Show(c.Name)).Add(m.theme.Faint, "  should "+draw.Show(string(c.Expect)))
		switch {
		case c.Dropped:
			title = title.Add(m.theme.Warn, "  dropped by the proposal")
		case c.Changed():
			title = title.Add(m.theme.Accent, "  changed")
		}
		page.Line(title)
		page.FaintItem(draw.Of(m.theme.Faint, "  asked   "), c.Input)
		trial(m, page, "  before  ", c.Before)
		trial(m, page, "  after   ", c.After)
		if l := pp.tried.answers[i]; l != nil {
			rows := l.Rows(m.theme, pp.split)
			for n := range rows.Len() {
				page.Row(rows.Row(n))
			}
		}
	}
	return page.Rows()
}

// trial shows how a case came out with one version.
func trial(m *Model, page *prose.Page, when draw.Safe, t review.Trial) {
	sign, style := draw.Safe("– not run"), m.theme.Faint
	switch t.Outcome {
	case harness.Passed:
		sign, style = "✓ passed", m.theme.Good
	case harness.Failed:
		sign, style = "✗ failed", m.theme.Bad
	case harness.NotRun:
	}
	width := 10
	if t.Live {
		sign, width = sign+" (model)", 18
	}
	page.Item(draw.Of(m.theme.Faint, when).Add(style, draw.Pad(sign, width)).Add(theme.Style(""), " "), t.Reason)
}
