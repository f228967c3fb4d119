package proposal

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// behaviour is how the test cases came out, with the answers compared.
type behaviour struct {
	impact.Behaviour
	answers []*difflist.List // of each case, nil where the answer is the same
}

// loadTests runs the test cases on recorded answers, when somebody looks at them or
// at how they come out.
func (pp *Page) loadTests() tea.Cmd {
	if pp.Tab != tabTests && pp.frame.Left == 0 || pp.tried != nil || !pp.loaded {
		return nil
	}
	id, revision, desk := pp.id, pp.dossier.Proposal.Revision, pp.Desk
	return func() tea.Msg {
		b, err := desk.Behaviour(pp.ctx, id, false, func(int, int, string) {})
		msg := behaved{revision, compareAnswers(b), err}
		return pp.then(func() tea.Cmd { return pp.testsLoaded(msg) })
	}
}

// compareAnswers compares the answers of each case.
func compareAnswers(b impact.Behaviour) *behaviour {
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

// behaved is how the test cases of a revision came out.
type behaved struct {
	revision int
	made     *behaviour
	err      error
}

func (pp *Page) testsLoaded(msg behaved) tea.Cmd {
	switch {
	case pp.dossier.Proposal.Revision != msg.revision:
	case msg.err != nil:
		pp.Shell.Fail(msg.err)
	default:
		pp.tried = msg.made
		pp.pagers[tabTests].Replace(pp.tests())
		pp.pagers[tabOverview].Replace(pp.overview())
	}
	return nil
}

// askModel has the configured model answer the cases with both versions.
func (pp *Page) askModel() tea.Cmd {
	id, revision, desk := pp.id, pp.dossier.Proposal.Revision, pp.Desk
	answered := make(chan behaved, 1)
	pp.answered = answered
	work := func(ctx context.Context, tell screen.Tell) ([]string, error) {
		b, err := desk.Behaviour(ctx, id, true, func(done, total int, name string) { tell(int64(done), int64(total), name) })
		if err != nil {
			return nil, err
		}
		answered <- behaved{revision, compareAnswers(b), nil}
		changed := 0
		for _, c := range b.Cases {
			if c.Changed() {
				changed++
			}
		}
		return []string{strconv.Itoa(changed) + " of " + strconv.Itoa(len(b.Cases)) + " cases changed."}, nil
	}
	return pp.Shell.Start("Ask the model", work)
}

// takeAnswers shows what the model answered: the page is read again when a job ends.
func (pp *Page) takeAnswers() {
	select {
	case msg := <-pp.answered:
		pp.testsLoaded(msg)
	default:
	}
}

func (pp *Page) cannotAskModel() string {
	switch {
	case pp.Tab != tabTests:
		return "only on the Tests tab"
	case !pp.HasModel:
		return "no model is connected; name one under [model] in your configuration"
	}
	return pp.Busy()
}

// tests shows each case with the live version and with the proposed one.
func (pp *Page) tests() pager.Rows {
	page := prose.New(pp.frame.Theme)
	page.Blank()
	if pp.tried == nil {
		page.Faint("", "Running the test cases…")
		return page.Rows()
	}
	before := "nothing live"
	if pp.tried.Live > 0 {
		before = "version " + strconv.Itoa(pp.tried.Live)
	}
	page.Field("compared", before+", then revision "+strconv.Itoa(pp.dossier.Proposal.Revision))
	if len(pp.tried.Cases) == 0 {
		page.Blank()
		page.Faint("", "There are no test cases.")
	}
	for i, c := range pp.tried.Cases {
		page.Blank()
		page.Stop()
		title := draw.Of(pp.frame.Theme.Field, "◆ "+draw.Show(c.Name)).Add(pp.frame.Theme.Faint, "  should "+draw.Show(string(c.Expect)))
		switch {
		case c.Dropped:
			title = title.Add(pp.frame.Theme.Warn, "  dropped by the proposal")
		case c.Changed():
			title = title.Add(pp.frame.Theme.Accent, "  changed")
		}
		page.Line(title)
		page.FaintItem(draw.Of(pp.frame.Theme.Faint, "  asked   "), c.Input)
		trial(pp.frame.Theme, page, "  before  ", c.Before)
		trial(pp.frame.Theme, page, "  after   ", c.After)
		if l := pp.tried.answers[i]; l != nil {
			rows := l.Rows(pp.frame.Theme, pp.split)
			for n := range rows.Len() {
				page.Row(rows.Row(n))
			}
		}
	}
	return page.Rows()
}

// trial shows how a case came out with one version.
func trial(th theme.Theme, page *prose.Page, when draw.Safe, t impact.Trial) {
	sign, style := draw.Safe("– not run"), th.Faint
	switch t.Outcome {
	case harness.Passed:
		sign, style = "✓ passed", th.Good
	case harness.Failed:
		sign, style = "✗ failed", th.Bad
	case harness.NotRun:
	}
	width := 10
	if t.Live {
		sign, width = sign+" (model)", 18
	}
	page.Item(draw.Of(th.Faint, when).Add(style, draw.Pad(sign, width)).Add(theme.Style(""), " "), t.Reason)
}
