// Package subject is the page of the workbench that shows a live definition: a tool, an agent, an allow-list, a
// skill, or instructions.
package subject

import (
	"context"
	"encoding/json"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// Registry reads a definition for the page.
type Registry interface {
	Definition(ctx context.Context, s registry.Subject) (json.RawMessage, error)
	Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
}

// Desk reads the import of a definition and its uses.
type Desk interface {
	difflist.Sources
	Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]impact.Use, error)
}

// Options configure the page.
type Options struct {
	Registry Registry
	Desk     Desk
	Layer    registry.Layer
	NoEditor func() string // why texts cannot be edited, or ""
	// Restore proposes to restore an earlier version.
	Restore func(ctx context.Context, s registry.Subject, version int, reason string) (proposals.Proposal, string, error)
}

// Indexes of the sections.
const (
	sectionDefinition = iota
	sectionVersions
	sectionBlame
	sectionUses
	sectionCount
)

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	screen.Forker
	Open(p proposals.Proposal, sameTab bool) tea.Cmd
	Change(s registry.Subject, d registry.Definition, version int) tea.Cmd
}

// Page shows a definition in sections: the definition itself, its versions, the version that added each line, and its
// uses.
type Page struct {
	screen.Text  // of all sections except the definition
	screen.Panes // the sections
	Options
	shell      Shell
	ctx        context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	about      *pager.Pager    // shows the definition
	entry      screen.Entry
	definition json.RawMessage
	versions   []history.Version
	extents    []string       // numbers of changed lines of the versions
	wanted     screen.Span    // versions to compare once they have been read
	marked     int            // version at which the next comparison begins; 0 for the previous version
	stop       int            // in the list of versions, to return to
	compared   screen.Span    // versions in changed
	changed    *difflist.List // nil while the list of versions is shown
	blaming    blaming
	uses       []impact.Use
	usesErr    error
	usesRead   bool
	change     bool // open the editor once the definition has been read
}

// New returns the page of a definition. Reload loads it.
func New(ctx context.Context, sh Shell, open screen.Opening, o Options) *Page {
	s := &Page{Text: screen.NewText(), shell: sh, ctx: ctx, Options: o, about: pager.New(theme.Theme{}), entry: open.Entry, wanted: open.Compare, change: open.Change}
	s.about.SetWrap(true)
	s.blaming = blaming{page: s, asked: open.Blame}
	switch {
	case open.Blame.Field != "":
		s.Turn(sectionBlame)
	case s.wanted != (screen.Span{}):
		s.Turn(sectionVersions)
	}
	return s
}

// Place implements screen.Page.
func (s *Page) Place() string { return "A tool or an agent" }

// Selected implements screen.OfEntry.
func (s *Page) Selected() (screen.Entry, bool) { return s.entry, true }

// Fit implements screen.Page.
func (s *Page) Fit(f screen.Frame) {
	s.FitIn(f, f.Right)
	s.about.SetSize(s.WidthOf(f.Layout, sectionDefinition), f.Body)
	s.about.Restyle(f.Theme)
	s.lay()
}

// show moves the focus to a section and shows it.
func (s *Page) show(section int) tea.Cmd {
	if section > 0 && section != s.RightTab() {
		s.changed, s.compared = nil, screen.Span{}
		s.Pager.Home()
	}
	s.Turn(section)
	s.lay()
	return s.work()
}

// Tabs implements screen.Page.
func (s *Page) Tabs() (left, right draw.Line) {
	uses := "Used by"
	switch s.entry.Subject.Kind {
	case registry.KindAgent:
		uses = "Tools"
	case registry.KindList:
		uses = "Agents and tools"
	case registry.KindTool, registry.KindSkill, registry.KindInstructions:
	}
	if s.changed != nil {
		right = draw.Of(s.Frame.Theme.Faint, draw.Showf("  %s → version %d ", versionName(s.compared.From), s.compared.To))
	}
	return s.Strip(s.Frame, []string{"Definition", "Versions", "Blame", uses}, right), right
}

// Shown implements screen.Page.
func (s *Page) Shown() *pager.Pager { return s.pane(s.Tab) }

func (s *Page) pane(section int) *pager.Pager {
	if section == sectionDefinition {
		return s.about
	}
	return s.Pager
}

// View implements screen.Page.
func (s *Page) View() []string {
	if !s.Abreast() {
		return s.Shown().View()
	}
	return s.Frame.Abreast(s.about.View(), s.Pager.View(), s.Frame.Left)
}

// Scroll implements screen.Page.
func (s *Page) Scroll(x, n int) tea.Cmd {
	s.pane(s.At(s.Layout(), x)).Scroll(n)
	return nil
}

// Abreast implements screen.Tabbed.
func (s *Page) Abreast() bool { return s.Frame.Left > 0 }

// Across implements screen.Tabbed.
func (s *Page) Across(right bool) tea.Cmd { return s.show(s.On(right)) }

// Click implements screen.Page. It moves the focus to the pane.
func (s *Page) Click(x, _ int) tea.Cmd { return s.show(s.At(s.Layout(), x)) }

// TurnTo implements screen.Turning.
func (s *Page) TurnTo(tab int) tea.Cmd { return s.show(tab) }

// Leave implements screen.Page. It ends a search or a comparison.
func (s *Page) Leave() (tea.Cmd, bool) {
	switch {
	case screen.LeaveText(s.Shown()):
	case s.compared != (screen.Span{}) && s.Tab == sectionVersions:
		s.changed, s.compared = nil, screen.Span{}
		s.Pager.Home()
		s.lay()
		s.Pager.SetStop(s.stop)
	default:
		return nil, false
	}
	return nil, true
}

// Listed implements screen.Crumbed.
func (s *Page) Listed() draw.Safe {
	switch s.entry.Subject.Kind {
	case registry.KindAgent:
		return "Agents"
	case registry.KindList:
		return "Lists"
	case registry.KindSkill, registry.KindInstructions:
		return "Files"
	case registry.KindTool:
	}
	return "Tools"
}

// Crumb implements screen.Crumbed.
func (s *Page) Crumb(room int) draw.Line {
	var lock draw.Line
	if s.entry.Locked {
		lock = draw.Of(s.Frame.Theme.Faint, " ▪ Locked (core)")
	}
	l := draw.Of(s.Frame.Theme.Strong, draw.Cut(draw.Show(s.entry.Subject.String()), max(8, room-lock.Width())))
	return append(l, lock...)
}

// lay lays out the definition and the section beside it or in its place.
func (s *Page) lay() {
	th := s.Frame.Theme
	page := prose.New(th)
	page.Blank()
	doc, keys := screen.Document(s.entry.Subject.Kind, s.definition)
	s.Frame.Definition(page, doc, keys)
	s.about.Replace(page.Rows())
	style := th.Accent
	if s.Tab == sectionDefinition {
		style = th.Faint
	}
	s.Pager.Point(style)
	if s.changed != nil {
		s.Pager.Replace(s.changed.Rows(th, s.Frame.Right >= difflist.SplitFrom))
		return
	}
	page = prose.New(th)
	page.Blank()
	switch s.RightTab() {
	case sectionVersions:
		s.Frame.VersionRows(page, s.Frame.Right, s.versions, s.extents, s.marked)
	case sectionBlame:
		s.blaming.lay(page)
	case sectionUses:
		s.layUses(page)
	}
	s.Pager.Replace(page.Rows())
}

// compare computes the diff of two versions.
func (s *Page) compare(want screen.Span) tea.Cmd {
	text := func(n int) ([]byte, bool) {
		for _, v := range s.versions {
			if v.Number == n {
				return v.Definition, true
			}
		}
		return nil, n == 0
	}
	before, okBefore := text(want.From)
	after, okAfter := text(want.To)
	if !okBefore || !okAfter {
		return s.shell.Say(screen.Warning, "Version %d is not among the newest %d", min(want.From, want.To), screen.MaxVersions)
	}
	s.compared, s.marked, s.stop = want, 0, s.Pager.Stop()
	kind := s.entry.Subject.Kind
	return func() tea.Msg {
		var a, b registry.Definition
		var err error
		if before != nil {
			a, err = registry.DecodeDefinition(kind, before)
		}
		if err == nil {
			b, err = registry.DecodeDefinition(kind, after)
		}
		var fields []diff.Field
		if err == nil {
			fields, err = difflist.Compare(s.ctx, s.Desk, diff.Content{Definition: a}, diff.Content{Definition: b})
		}
		list := difflist.New(fields, difflist.DefaultContext).ListFiles(diff.Files(a, b))
		return s.then(func() tea.Cmd { return s.shown(want, list, err) })
	}
}

// then returns a message that makes the page run do.
func (s *Page) then(do func() tea.Cmd) tea.Msg { return screen.Then{Page: s, Do: do} }

// Reads of the page, and their results.

// Reload implements screen.Page.
func (s *Page) Reload() tea.Cmd {
	s.usesRead = false
	subject, extents := s.entry.Subject, []string(nil)
	return tea.Batch(screen.Reading(s.shell, s, func() (json.RawMessage, error) { return s.Registry.Definition(s.ctx, subject) }, func(text json.RawMessage) tea.Cmd {
		s.definition = text
		s.lay()
		if !s.change {
			return nil
		}
		s.change = false
		return s.edit()
	}), screen.Reading(s.shell, s, func() ([]history.Version, error) {
		versions, err := s.Registry.Versions(s.ctx, subject, 0, screen.MaxVersions)
		extents = screen.Extents(versions)
		return versions, err
	}, func(versions []history.Version) tea.Cmd {
		s.versions, s.extents = versions, extents
		s.lay()
		if want := s.wanted; want != (screen.Span{}) {
			s.wanted = screen.Span{}
			return s.compare(want)
		}
		return s.work()
	}))
}

// shown shows a diff, unless another one has been requested since.
func (s *Page) shown(span screen.Span, list *difflist.List, err error) tea.Cmd {
	switch {
	case span != s.compared:
		return nil
	case err != nil:
		return s.shell.Fail(err)
	}
	s.changed = list
	s.Pager.Home()
	s.lay()
	return s.shell.Say(screen.Remark, "Changes from %s to version %d; tab: next section, esc: back to the list", versionName(span.From), span.To)
}

// work returns the command that loads what the current section lacks.
func (s *Page) work() tea.Cmd {
	switch s.RightTab() {
	case sectionBlame:
		return s.blaming.load()
	case sectionUses:
		if !s.usesRead {
			subject := s.entry.Subject
			return func() tea.Msg {
				uses, err := s.Desk.Uses(s.ctx, subject, s.Layer)
				return s.then(func() tea.Cmd {
					s.uses, s.usesErr, s.usesRead = uses, err, true
					s.lay()
					return nil
				})
			}
		}
	}
	return nil
}

func versionName(n int) string {
	if n == 0 {
		return "nothing"
	}
	return "version " + strconv.Itoa(n)
}
