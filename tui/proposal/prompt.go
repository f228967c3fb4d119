// This file shows the channel prompts that the proposal changes.

package proposal

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/gateway/instructions"
	"toolcrib/history/diff"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/impact"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/markdown"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// promptView is a view of a prompt: the diff, the text after an approval, or the current text.
type promptView int

const (
	promptDiff promptView = iota
	promptAfter
	promptNow
	promptViews
)

func (v promptView) String() string { return [...]string{"diff", "new text", "current text"}[v] }

// promptPane is the tab with the channel prompts that the proposal changes. It shows the diffs of all prompts
// of an agent, or the whole text of a single prompt.
type promptPane struct {
	pane
	digest   string // review digest of the dossier for which the prompts were rendered
	changes  []screen.PromptChange
	counts   []promptCount
	lists    map[int]*difflist.List // diffs; the keys are indexes of changes
	read     bool
	err      error
	selected int
	view     promptView
	starts   map[int]int // first row of the diff of each prompt; the keys are indexes of changes
}

// text returns the text of the selected prompt. In the view promptNow, this is the current text, and in other
// views the text after an approval.
func (t *promptPane) text() string {
	if t.view == promptNow {
		return t.changes[t.selected].Before
	}
	return t.changes[t.selected].After
}

// promptCount contains the sizes of a prompt before and after an approval, and a note about them.
type promptCount struct {
	before, after instructions.Size
	note          string
}

// Count implements tab.
func (t *promptPane) Count() int { return len(t.dossier.Rendered) }

// Load implements tab. It renders the changed prompts before and after an approval, and counts their tokens.
func (t *promptPane) Load() tea.Cmd {
	id, digest := t.id, t.dossier.Digest
	if d := t.dossier; d.Proposal.Subject.Kind.InFiles() {
		return func() tea.Msg {
			changes, counts, err := contextChanges(d, t.Counter)
			return t.host.then(func() tea.Cmd { return t.loadedPrompts(digest, changes, counts, err) })
		}
	}
	scene := impact.Scene{Layer: t.Layer, Where: impact.ReferenceContext(), Context: prompt.Reference()}
	return func() tea.Msg {
		var counts []promptCount
		previews, err := t.Desk.Preview(t.ctx, []proposals.ID{id}, "", scene)
		changes := screen.ChangedPrompts(previews)
		if err == nil {
			counts, err = countPrompts(t.Counter, changes)
		}
		return t.host.then(func() tea.Cmd { return t.loadedPrompts(digest, changes, counts, err) })
	}
}

func (t *promptPane) loadedPrompts(digest string, changes []screen.PromptChange, counts []promptCount, err error) tea.Cmd {
	if t.dossier.Digest != digest {
		return nil
	}
	t.err, t.read = err, true
	t.changes, t.counts, t.digest, t.lists = changes, counts, digest, map[int]*difflist.List{}
	t.selected = min(t.selected, max(0, len(t.changes)-1))
	t.host.fill()
	return t.LoadVisible()
}

// groups returns the indexes of the selected agent's prompts, grouped by text. Several channels often receive
// the same text.
func (t *promptPane) groups() [][]int {
	var groups [][]int
	for i, c := range t.changes {
		if c.Agent != t.changes[t.selected].Agent {
			continue
		}
		g := slices.IndexFunc(groups, func(g []int) bool { o := t.changes[g[0]]; return o.Before == c.Before && o.After == c.After })
		if g < 0 {
			groups = append(groups, []int{i})
			continue
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// LoadVisible computes the missing diffs of the selected agent's prompts, if the right pane shows this tab.
func (t *promptPane) LoadVisible() tea.Cmd {
	if t.RightTab() != tabPrompt || t.selected >= len(t.changes) {
		return nil
	}
	digest, missing := t.digest, map[int]screen.PromptChange{}
	for _, g := range t.groups() {
		if c := t.changes[g[0]]; t.lists[g[0]] == nil && c.Before != c.After {
			missing[g[0]] = c
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return func() tea.Msg {
		computed := map[int]*difflist.List{}
		for at, c := range missing {
			f := diff.Field{Path: c.Agent.String() + " " + c.Channel, Change: diff.Modified, Before: jsondoc.NewString(c.Before), After: jsondoc.NewString(c.After)}
			computed[at] = difflist.New([]diff.Field{f}, difflist.DefaultContext)
		}
		return t.host.then(func() tea.Cmd {
			if t.digest == digest && t.lists != nil {
				maps.Copy(t.lists, computed)
				t.Fill()
			}
			return nil
		})
	}
}

// Fill implements tab. It lays out the selected prompt.
func (t *promptPane) Fill() {
	page := prose.New(t.frame.Theme)
	page.Blank()
	switch {
	case !t.dossier.Proposal.State.Open():
		page.Faint("", "The proposal is closed. Its version records the hashes of the changed prompts.")
	case t.err != nil:
		page.Text("", wording.OneLine(t.err))
	case t.read && len(t.changes) == 0 && t.dossier.Proposal.Subject.Kind.InFiles():
		page.Faint("", "The proposal adds nothing to the context of an agent.")
	case t.read && len(t.changes) == 0:
		page.Faint("", "No agent's prompt changes.")
	case !t.read:
		page.Faint("", "…")
	default:
		if t.view == promptDiff {
			t.pager.Replace(t.diffs())
			return
		}
		t.pager.Replace(joinedRows{t.head(), t.body()})
		return
	}
	t.pager.Replace(page.Rows())
}

// head draws the names of the agent and its prompts, and the size of the selected prompt.
func (t *promptPane) head() pager.Rows {
	th := t.frame.Theme
	page := prose.New(th)
	c := t.changes[t.selected]
	line := draw.Line{}
	for i, other := range t.changes {
		if other.Agent != c.Agent {
			continue
		}
		style, name := th.Faint, " "+draw.Escape(other.Channel)+" "
		if i == t.selected {
			style, name = th.Accent, "▎"+draw.Escape(other.Channel)+" "
		}
		line = line.Add(style, name)
	}
	page.Line(draw.Of(th.Strong, draw.Escape(c.Agent.String())))
	page.Line(line)
	t.sizes(page, t.selected)
	page.Item(draw.Of(th.Faint, "shown: "), t.viewName())
	page.Blank()
	return page.Rows()
}

// sizes draws the size of the prompt with index i in changes, before and after an approval.
func (t *promptPane) sizes(page *prose.Page, i int) {
	if i >= len(t.counts) {
		return
	}
	th, n := t.frame.Theme, t.counts[i]
	var l draw.Line
	for _, x := range []struct {
		unit       string
		now, after int
	}{{"characters", n.before.Chars, n.after.Chars}, {"tokens o200k", n.before.O200k, n.after.O200k}, {"cl100k", n.before.Cl100k, n.after.Cl100k}} {
		delta := draw.Escapef("%+d", x.after-x.now)
		count := draw.Of(th.Faint, draw.Escape(x.unit)+" ").Add(th.Text, draw.Escapef("%d → %d ", x.now, x.after)).Add(th.Title, "("+delta+")")
		switch { // subtract a margin of one cell on each side
		case len(l) == 0:
		case l.Width()+3+count.Width()+2 > t.TabWidth(t.frame.Layout, tabPrompt):
			page.Line(l)
			l = nil
		default:
			l = l.Add("", "   ")
		}
		l = append(l, count...)
	}
	page.Line(l)
	if n.note != "" {
		page.Faint("", n.note)
	}
}

// diffs draws the diffs of the selected agent's prompts, one below the other.
func (t *promptPane) diffs() pager.Rows {
	th := t.frame.Theme
	page := prose.New(th)
	page.Line(draw.Of(th.Strong, draw.Escape(t.changes[t.selected].Agent.String())))
	rows := joinedRows{page.Rows()}
	t.starts = map[int]int{}
	for _, g := range t.groups() {
		page := prose.New(th)
		page.Blank()
		names := make([]string, len(g))
		for i, n := range g {
			names[i] = t.changes[n].Channel
			t.starts[n] = rows.Len() + 1
		}
		style := th.Title
		if slices.Contains(g, t.selected) {
			style = th.Accent
		}
		page.Item(draw.Of(style, "▎"), strings.Join(names, "  "))
		t.sizes(page, g[0])
		c, l := t.changes[g[0]], t.lists[g[0]]
		switch {
		case c.Before == c.After:
			page.Faint("", "unchanged")
			plain(page, th, c.After)
			rows = append(rows, page.Rows())
		case l == nil:
			page.Faint("", "…")
			rows = append(rows, page.Rows())
		default:
			rows = append(rows, page.Rows(), l.Rows(th, t.split))
		}
	}
	return rows
}

func (t *promptPane) body() pager.Rows {
	text := t.text()
	page := prose.New(t.frame.Theme)
	if text == "" {
		page.Faint("", "None.")
		return page.Rows()
	}
	if t.Texts.Prompts {
		if r := t.Texts.Rendering(text, t.TabWidth(t.frame.Layout, tabPrompt)); r != nil && len(r.Lines) > 0 {
			for _, l := range r.Lines {
				page.Cell(l.Cell("  ", t.frame.Theme))
			}
			return page.Rows()
		}
	}
	plain(page, t.frame.Theme, text)
	return page.Rows()
}

// plain adds text to page. It does not render Markdown, but highlights headings.
func plain(page *prose.Page, th theme.Theme, text string) {
	margin := draw.Of("", "  ")
	for line := range strings.SplitSeq(text, "\n") {
		base := th.Text
		if strings.HasPrefix(line, "#") {
			base = th.Title
		}
		page.Cell(pager.Cell{Gutter: margin, Hang: margin, Text: draw.Text{Raw: line, Base: base, Hidden: th.Hidden, Faint: th.Faint}})
	}
}

// joinedRows is the concatenation of several pager.Rows.
type joinedRows []pager.Rows

func (r joinedRows) Len() int {
	n := 0
	for _, part := range r {
		n += part.Len()
	}
	return n
}

func (r joinedRows) Row(i int) pager.Row {
	for _, part := range r {
		if i < part.Len() {
			return part.Row(i)
		}
		i -= part.Len()
	}
	return pager.Row{}
}

func (r joinedRows) Stops() []int {
	var stops []int
	before := 0
	for _, part := range r {
		for _, s := range part.Stops() {
			stops = append(stops, before+s)
		}
		before += part.Len()
	}
	return stops
}

// Keys returns the keys of the tab.
func (t *promptPane) Keys() []screen.Key {
	here := t.inTab(tabPrompt)
	return []screen.Key{
		{Name: "next-prompt", Keys: []string{"]"}, Label: "channel", OnTab: here, Help: "Show the next channel prompt", Do: func() tea.Cmd { return t.next(1) }, Disabled: t.noPrompts},
		{Name: "previous-prompt", Keys: []string{"["}, Help: "Show the previous channel prompt", Do: func() tea.Cmd { return t.next(-1) }, Disabled: t.noPrompts},
		{Name: "prompt-view", Keys: []string{"p"}, Label: "view", OnTab: here, Help: "Switch between the diff, the new text, and the current text", Do: func() tea.Cmd { t.view = (t.view + 1) % promptViews; t.Fill(); return nil }, Disabled: t.noPrompts},
	}
}

// next selects the next prompt if step is 1, or the previous prompt if step is -1. In the diff view, it skips
// the agent's other prompts with the same texts.
func (t *promptPane) next(step int) tea.Cmd {
	n := len(t.changes)
	if n == 0 {
		return nil
	}
	was := t.selected
	t.selected = (t.selected + step + n) % n
	for t.view == promptDiff && t.selected != was && t.changes[t.selected] == (screen.PromptChange{Agent: t.changes[was].Agent, Channel: t.changes[t.selected].Channel, Before: t.changes[was].Before, After: t.changes[was].After}) {
		t.selected = (t.selected + step + n) % n
	}
	t.pager.Home()
	t.Fill()
	if t.view == promptDiff {
		t.pager.ScrollTo(t.starts[t.selected])
	}
	return t.LoadVisible()
}

func (t *promptPane) noPrompts() string {
	switch {
	case t.Tab != tabPrompt:
		return "only on the Prompt tab"
	case len(t.changes) == 0:
		return "no channel prompt changes"
	}
	return ""
}

// countPrompts returns the sizes of each prompt before and after the change. It counts the tokens of equal
// texts only once.
func countPrompts(counter *tokens.Counter, changes []screen.PromptChange) ([]promptCount, error) {
	var texts []string
	sizes := map[string]instructions.Size{}
	for _, c := range changes {
		for _, text := range []string{c.Before, c.After} {
			if _, known := sizes[text]; !known {
				sizes[text] = instructions.Size{}
				texts = append(texts, text)
			}
		}
	}
	counts, err := counter.CountAll(texts)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		sizes[text] = instructions.Size{Chars: utf8.RuneCountInString(text), Counts: counts[i]}
	}
	out := make([]promptCount, len(changes))
	for i, c := range changes {
		out[i] = promptCount{before: sizes[c.Before], after: sizes[c.After]}
	}
	return out, nil
}

// growth returns the number of tokens that the change adds to the prompts of some agents, as text. include
// selects the agents. growth returns "" until the tokens have been counted.
func (t *promptPane) growth(include func(agent registry.Subject) bool) string {
	if t.digest != t.dossier.Digest || len(t.counts) < len(t.changes) {
		return ""
	}
	var by []int
	for i, c := range t.changes {
		if include(c.Agent) {
			by = append(by, t.counts[i].after.O200k-t.counts[i].before.O200k)
		}
	}
	switch {
	case len(by) == 0:
		return ""
	case slices.Min(by) < slices.Max(by):
		return fmt.Sprintf("%+d to %+d tokens", slices.Min(by), slices.Max(by))
	}
	return fmt.Sprintf("%+d tokens", by[0])
}

// viewName describes the way in which the selected prompt is shown.
func (t *promptPane) viewName() string {
	how := []string{t.view.String()}
	if !t.Texts.Prompts {
		return how[0]
	}
	r := t.Texts.Rendering(t.text(), t.TabWidth(t.frame.Layout, tabPrompt))
	switch {
	case r == nil:
		how = append(how, "raw: too long to render")
	case !r.Done():
		how = append(how, "rendered …")
	case r.AsWritten:
		how = append(how, "rendered; raw where rendering would lose text")
	default:
		how = append(how, "rendered; r shows raw text")
	}
	return strings.Join(how, ", ")
}

// cannotRender returns the reason why the prompt cannot be rendered, or "".
func (t *promptPane) cannotRender() string {
	switch {
	case len(t.changes) == 0:
		return "no channel prompt changes"
	case t.view == promptDiff:
		return "diffs are not rendered; p shows the whole prompt"
	case len(t.text()) > markdown.MaxBytes:
		return "the prompt has more than " + strconv.Itoa(markdown.MaxBytes/1000) + " KB and is shown raw"
	}
	return ""
}
