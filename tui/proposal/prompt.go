package proposal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// promptView is which side of a prompt is shown.
type promptView int

const (
	promptDiff promptView = iota
	promptAfter
	promptNow
	promptViews
)

func (v promptView) String() string {
	switch v {
	case promptAfter:
		return "after"
	case promptNow:
		return "now"
	case promptDiff, promptViews:
	}
	return "diff"
}

// promptState is the channel prompts that a proposal changes.
type promptState struct {
	digest  string // of the review they belong to
	changes []screen.PromptChange
	counts  []promptCount
	lists   map[int]*difflist.List // of the prompts that were looked at
	loaded  bool
	err     error
	at      int
	view    promptView
}

// text is the side of the chosen prompt that is shown whole.
func (s *promptState) text() string {
	if s.shown() == promptNow {
		return s.changes[s.at].Now
	}
	return s.changes[s.at].After
}

// shown is the side of the chosen prompt that is on the screen: there is no diff of one
// that stays as it is.
func (s *promptState) shown() promptView {
	if s.view == promptDiff && s.changes[s.at].Now == s.changes[s.at].After {
		return promptAfter
	}
	return s.view
}

// promptCount is how long a prompt is now and after, with a note on it.
type promptCount struct {
	now, after size
	note       string
}

// size is the length of a text.
type size struct{ chars, o200k, cl100k int }

func (pp *Page) promptsLoaded(digest string, changes []screen.PromptChange, counts []promptCount, err error) tea.Cmd {
	if pp.dossier.Digest != digest {
		return nil
	}
	s := &pp.prompts
	s.err, s.loaded = err, true
	s.changes, s.counts, s.digest, s.lists = changes, counts, digest, map[int]*difflist.List{}
	s.at = min(s.at, max(0, len(s.changes)-1))
	pp.showPrompt()
	pp.pagers[tabOverview].Replace(pp.overview())
	return pp.diffPrompt()
}

// diffPrompt compares the chosen prompt now and after, when the Prompt tab is on the
// screen, or is next to be there.
func (pp *Page) diffPrompt() tea.Cmd {
	s := &pp.prompts
	if pp.RightTab() != tabPrompt || s.at >= len(s.changes) || s.lists[s.at] != nil {
		return nil
	}
	digest, at, c := s.digest, s.at, s.changes[s.at]
	return func() tea.Msg {
		f := diff.Field{Path: c.Agent.String() + " " + c.Channel, Change: diff.Modified, Before: jsondoc.NewString(c.Now), After: jsondoc.NewString(c.After)}
		list := difflist.New([]diff.Field{f}, difflist.DefaultContext)
		return pp.then(func() tea.Cmd {
			if s.digest == digest && s.lists != nil {
				s.lists[at] = list
				pp.showPrompt()
			}
			return nil
		})
	}
}

// showPrompt lays the chosen prompt out.
func (pp *Page) showPrompt() {
	s := &pp.prompts
	p := pp.pagers[tabPrompt]
	page := prose.New(pp.frame.Theme)
	page.Blank()
	switch {
	case !pp.dossier.Proposal.State.Open():
		page.Faint("", "The proposal is closed. Its version records the hashes of the changed prompts.")
	case s.err != nil:
		page.Text("", wording.OneLine(s.err))
	case s.loaded && len(s.changes) == 0 && pp.dossier.Proposal.Subject.Kind.InFiles():
		page.Faint("", "Nothing of it enters the context of an agent.")
	case s.loaded && len(s.changes) == 0:
		page.Faint("", "No agent's prompt changes.")
	case !s.loaded:
		page.Faint("", "…")
	default:
		p.Replace(joinedRows{pp.promptHead(), pp.promptBody()})
		return
	}
	p.Replace(page.Rows())
}

// promptHead names the prompt, and how much longer it gets.
func (pp *Page) promptHead() pager.Rows {
	s := &pp.prompts
	th := pp.frame.Theme
	page := prose.New(th)
	c := s.changes[s.at]
	line := draw.Line{}
	for i, other := range s.changes {
		if other.Agent != c.Agent {
			continue
		}
		style, name := th.Faint, " "+draw.Show(other.Channel)+" "
		if i == s.at {
			style, name = th.Accent, "▎"+draw.Show(other.Channel)+" "
		}
		line = line.Add(style, name)
	}
	page.Line(draw.Of(th.Strong, draw.Show(c.Agent.String())))
	page.Line(line)
	if s.at < len(s.counts) {
		n := s.counts[s.at]
		var l draw.Line
		for _, x := range []struct {
			unit       string
			now, after int
		}{{"characters", n.now.chars, n.after.chars}, {"tokens o200k", n.now.o200k, n.after.o200k}, {"cl100k", n.now.cl100k, n.after.cl100k}} {
			delta := draw.Showf("%+d", x.after-x.now)
			count := draw.Of(th.Faint, draw.Show(x.unit)+" ").Add(th.Text, draw.Showf("%d → %d ", x.now, x.after)).Add(th.Title, "("+delta+")")
			if len(l) > 0 && l.Width()+count.Width() > pp.WidthOf(pp.frame.Layout, tabPrompt) {
				page.Line(l)
				l = nil
			}
			l = append(l, count.Add("", "   ")...)
		}
		page.Line(l)
		if n.note != "" {
			page.Faint("", n.note)
		}
	}
	page.Item(draw.Of(th.Faint, "shown: "), pp.howShown())
	page.Blank()
	return page.Rows()
}

func (pp *Page) promptBody() pager.Rows {
	s := &pp.prompts
	text := s.text()
	page := prose.New(pp.frame.Theme)
	switch l := s.lists[s.at]; {
	case s.shown() == promptDiff && l == nil:
		page.Faint("", "…")
		return page.Rows()
	case s.shown() == promptDiff:
		return l.Rows(pp.frame.Theme, pp.split)
	case text == "":
		page.Faint("", "None.")
		return page.Rows()
	}
	if pp.Texts.Prompts {
		if r := pp.Texts.Of(text, pp.WidthOf(pp.frame.Layout, tabPrompt)); r != nil && len(r.Lines) > 0 {
			return r.Rows(pp.frame.Theme)
		}
	}
	return plainRows{strings.Split(text, "\n"), pp.frame.Theme}
}

// plainRows shows a text line by line.
type plainRows struct {
	lines []string
	theme theme.Theme
}

func (r plainRows) Len() int     { return len(r.lines) }
func (r plainRows) Stops() []int { return nil }

func (r plainRows) Row(i int) pager.Row {
	th := r.theme
	base := th.Text
	if strings.HasPrefix(r.lines[i], "#") {
		base = th.Title
	}
	margin := draw.Of("", "  ")
	return pager.Row{Cells: []pager.Cell{{Gutter: margin, Hang: margin, Text: draw.Text{Raw: r.lines[i], Base: base, Hidden: th.Hidden, Faint: th.Faint}}}}
}

// joinedRows shows one after the other.
type joinedRows struct{ first, second pager.Rows }

func (r joinedRows) Len() int { return r.first.Len() + r.second.Len() }

func (r joinedRows) Row(i int) pager.Row {
	if n := r.first.Len(); i >= n {
		return r.second.Row(i - n)
	}
	return r.first.Row(i)
}

func (r joinedRows) Stops() []int {
	stops := r.first.Stops()
	for _, s := range r.second.Stops() {
		stops = append(stops, r.first.Len()+s)
	}
	return stops
}

func (pp *Page) nextPrompt(step int) tea.Cmd {
	s := &pp.prompts
	if n := len(s.changes); n > 0 {
		s.at = (s.at + step + n) % n
		pp.pagers[tabPrompt].Home()
		pp.showPrompt()
	}
	return pp.diffPrompt()
}

func (pp *Page) nextPromptView() tea.Cmd {
	s := &pp.prompts
	s.view = (s.view + 1) % promptViews
	pp.showPrompt()
	return nil
}

func (pp *Page) noPrompts() string {
	switch {
	case pp.Tab != tabPrompt:
		return "only on the Prompt tab"
	case len(pp.prompts.changes) == 0:
		return "no channel prompt changes"
	}
	return ""
}
