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

// testsPane is the tab with the test cases, run with the live and with the proposed version.
type testsPane struct {
	pane
	results  *behaviour // nil before the first run
	finished chan testRun
}

// Fill implements tab.
func (t *testsPane) Fill() { t.pager.Replace(t.rows()) }

// Load implements tab.
func (t *testsPane) Load() tea.Cmd { return t.LoadVisible() }

// behaviour is the result of the test cases, with diffs of the answers.
type behaviour struct {
	impact.Behaviour
	answers []*difflist.List // by case; nil if the answers are equal
}

// LoadVisible implements tab. It runs the test cases on recorded answers once their outcomes are visible.
func (t *testsPane) LoadVisible() tea.Cmd {
	if t.Tab != tabTests && t.frame.Left == 0 || t.results != nil || !t.loaded {
		return nil
	}
	id, revision, desk := t.id, t.dossier.Proposal.Revision, t.Desk
	return func() tea.Msg {
		b, err := desk.Behaviour(t.ctx, id, false, func(int, int, string) {})
		msg := testRun{revision, compareAnswers(b), err}
		return t.host.then(func() tea.Cmd { return t.showRun(msg) })
	}
}

// compareAnswers computes the diff of the answers of each case.
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

// testRun is the result of the test cases of one revision.
type testRun struct {
	revision int
	results  *behaviour
	err      error
}

func (t *testsPane) showRun(msg testRun) tea.Cmd {
	switch {
	case t.dossier.Proposal.Revision != msg.revision:
	case msg.err != nil:
		t.Shell.Fail(msg.err)
	default:
		t.results = msg.results
		t.host.fill()
	}
	return nil
}

// runWithModel runs the test cases of both versions with the configured model.
func (t *testsPane) runWithModel() tea.Cmd {
	id, revision, desk := t.id, t.dossier.Proposal.Revision, t.Desk
	answered := make(chan testRun, 1)
	t.finished = answered
	work := func(ctx context.Context, tell screen.Tell) ([]string, error) {
		b, err := desk.Behaviour(ctx, id, true, func(done, total int, name string) { tell(int64(done), int64(total), name) })
		if err != nil {
			return nil, err
		}
		answered <- testRun{revision, compareAnswers(b), nil}
		changed := 0
		for _, c := range b.Cases {
			if c.Changed() {
				changed++
			}
		}
		return []string{strconv.Itoa(changed) + " of " + strconv.Itoa(len(b.Cases)) + " cases changed."}, nil
	}
	return t.Shell.Start("Ask the model", work)
}

// Keys implements tab.
func (t *testsPane) Keys() []screen.Key {
	return []screen.Key{{Name: "ask-model", Keys: []string{"t"}, Label: "ask the model", OnTab: t.inTab(tabTests), Help: "Run the test cases on the configured model, with both versions; esc cancels", Do: t.runWithModel, Disabled: t.cannotRunWithModel}}
}

func (t *testsPane) cannotRunWithModel() string {
	switch {
	case t.Tab != tabTests:
		return "only on the Tests tab"
	case !t.HasModel:
		return "no model is connected; name one under [model] in your configuration"
	}
	return t.Busy()
}

// rows draws each case with the live and the proposed version.
func (t *testsPane) rows() pager.Rows {
	page := prose.New(t.frame.Theme)
	page.Blank()
	if t.results == nil {
		page.Faint("", "Running the test cases…")
		return page.Rows()
	}
	before := "nothing live"
	if t.results.Live > 0 {
		before = "version " + strconv.Itoa(t.results.Live)
	}
	page.Field("compared", before+", then revision "+strconv.Itoa(t.dossier.Proposal.Revision))
	if len(t.results.Cases) == 0 {
		page.Blank()
		page.Faint("", "No test cases.")
	}
	for i, c := range t.results.Cases {
		page.Blank()
		page.Stop()
		title := draw.Of(t.frame.Theme.Field, "◆ "+draw.Escape(c.Name)).Add(t.frame.Theme.Faint, "  should "+draw.Escape(string(c.Expect)))
		switch {
		case c.Dropped:
			title = title.Add(t.frame.Theme.Warn, "  dropped by the proposal")
		case c.Changed():
			title = title.Add(t.frame.Theme.Accent, "  changed")
		}
		page.Line(title)
		page.FaintLines(draw.Of(t.frame.Theme.Faint, "  asked   "), c.Input)
		trial(t.frame.Theme, page, "  before  ", c.Before)
		trial(t.frame.Theme, page, "  after   ", c.After)
		if l := t.results.answers[i]; l != nil {
			rows := l.Rows(t.frame.Theme, t.split)
			for n := range rows.Len() {
				page.Row(rows.Row(n))
			}
		}
	}
	return page.Rows()
}

// trial draws the outcome of a case with one version.
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

// outcome returns the outcome of a test case with the revision, or "" before the first run.
func (t *testsPane) outcome(name string) string {
	if t.results == nil {
		return ""
	}
	for _, c := range t.results.Cases {
		if c.Name != name {
			continue
		}
		switch {
		case c.Changed() && c.After.Outcome == harness.Failed:
			return ": ✗ failed, changed"
		case c.After.Outcome == harness.Failed:
			return ": ✗ failed"
		case c.Changed():
			return ": ✓ passed, changed"
		case c.After.Outcome == harness.Passed:
			return ": ✓ passed"
		}
	}
	return ""
}
