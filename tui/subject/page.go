// Package subject implements the workbench page that shows a live definition, such as a tool, an agent, an
// allow-list, a skill, or instructions.
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

// Desk reads the JSON from which a definition was imported, and the uses of the definition.
type Desk interface {
	difflist.Sources
	Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]impact.Use, error)
}

// Options configure the page.
type Options struct {
	Registry Registry
	Desk     Desk
	Layer    registry.Layer
	NoEditor func() string // returns why texts cannot be edited, or ""
	// Restore proposes to restore an earlier version of the definition.
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
	EditLive(s registry.Subject, d registry.Definition, version int, at string) tea.Cmd
}

// Page shows a definition in four sections: the text of the definition, its versions, the blame, and its uses.
type Page struct {
	screen.Text  // shows the section other than the definition
	screen.Panes // a tab for each section
	Options
	shell           Shell
	ctx             context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	definitionPager *pager.Pager    // shows the definition
	entry           screen.Entry
	definition      json.RawMessage
	versions        []history.Version
	extents         []string       // number of changed lines of each version, as text
	requested       screen.Span    // versions to compare once the list of versions has been read
	marked          int            // number of the version that the user has marked for a comparison; 0 for none
	stop            int            // stop to which esc returns in the list of versions
	compared        screen.Span    // versions that are compared
	changed         *difflist.List // differences between the compared versions; nil while the list of versions is shown
	blame           blameSection
	uses            []impact.Use
	usesErr         error
	usesRead        bool
	change          bool // open the editor after the definition has been read
}

// New returns the page of the definition in open. Reload loads the data of the page.
func New(ctx context.Context, sh Shell, open screen.Opening, o Options) *Page {
	s := &Page{Text: screen.NewText(), shell: sh, ctx: ctx, Options: o, definitionPager: pager.New(theme.Theme{}), entry: open.Entry, requested: open.Compare, change: open.Change}
	s.definitionPager.SetWrap(true)
	s.blame = blameSection{page: s, request: open.Blame}
	switch {
	case open.Blame.Field != "":
		s.Focus(sectionBlame)
	case s.requested != (screen.Span{}):
		s.Focus(sectionVersions)
	}
	return s
}

// Place implements screen.Page.
func (s *Page) Place() string { return "A tool or an agent" }

// Selected implements screen.EntryPage.
func (s *Page) Selected() (screen.Entry, bool) { return s.entry, true }

// Fit implements screen.Page.
func (s *Page) Fit(f screen.Frame) {
	s.FitIn(f, f.Right)
	s.definitionPager.SetSize(s.TabWidth(f.Layout, sectionDefinition), f.Body)
	s.definitionPager.Restyle(f.Theme)
	s.layOut()
}

// show shows the given section and moves the focus to it.
func (s *Page) show(section int) tea.Cmd {
	if section > 0 && section != s.RightTab() {
		s.changed, s.compared = nil, screen.Span{}
		s.Pager.Home()
	}
	s.Focus(section)
	s.layOut()
	return s.loadSection()
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
		right = draw.Of(s.Frame.Theme.Faint, draw.Escapef("  %s → version %d ", versionName(s.compared.From), s.compared.To))
	}
	return s.TabBar(s.Frame, []string{"Definition", "Versions", "Blame", uses}, right), right
}

// ActivePager implements screen.Page.
func (s *Page) ActivePager() *pager.Pager { return s.pane(s.Tab) }

func (s *Page) pane(section int) *pager.Pager {
	if section == sectionDefinition {
		return s.definitionPager
	}
	return s.Pager
}

// View implements screen.Page.
func (s *Page) View() []string {
	if !s.HasTwoPanes() {
		return s.ActivePager().View()
	}
	return s.Frame.SideBySide(s.definitionPager.View(), s.Pager.View(), s.Frame.Left)
}

// Scroll implements screen.Page.
func (s *Page) Scroll(x, n int) tea.Cmd {
	s.pane(s.TabAt(s.Layout(), x)).Scroll(n)
	return nil
}

// HasTwoPanes implements screen.Tabbed.
func (s *Page) HasTwoPanes() bool { return s.Frame.Left > 0 }

// FocusPane implements screen.Tabbed.
func (s *Page) FocusPane(right bool) tea.Cmd { return s.show(s.TabIn(right)) }

// Click implements screen.Page. It moves the focus to the pane in column x.
func (s *Page) Click(x, _ int) tea.Cmd { return s.show(s.TabAt(s.Layout(), x)) }

// SelectTab implements screen.TabSwitcher.
func (s *Page) SelectTab(tab int) tea.Cmd { return s.show(tab) }

// Escape implements screen.Page. It ends a search or a comparison of versions.
func (s *Page) Escape() (tea.Cmd, bool) {
	switch {
	case screen.EscapeText(s.ActivePager()):
	case s.compared != (screen.Span{}) && s.Tab == sectionVersions:
		s.changed, s.compared = nil, screen.Span{}
		s.Pager.Home()
		s.layOut()
		s.Pager.SetStop(s.stop)
	default:
		return nil, false
	}
	return nil, true
}

// Parent implements screen.Breadcrumbed.
func (s *Page) Parent() draw.Safe {
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

// Crumb implements screen.Breadcrumbed.
func (s *Page) Crumb(room int) draw.Line {
	var lock draw.Line
	if s.entry.Locked {
		lock = draw.Of(s.Frame.Theme.Faint, " ▪ Locked (core)")
	}
	l := draw.Of(s.Frame.Theme.Strong, draw.Cut(draw.Escape(s.entry.Subject.String()), max(8, room-lock.Width())))
	return append(l, lock...)
}

// layOut lays out the definition and, in the right pane, the current section. If the page has only one pane,
// the section is shown instead of the definition.
func (s *Page) layOut() {
	th := s.Frame.Theme
	page := prose.New(th)
	page.Blank()
	doc, keys := screen.Document(s.entry.Subject.Kind, s.definition)
	s.Frame.Definition(page, doc, keys)
	s.definitionPager.Replace(page.Rows())
	style := th.Accent
	if s.Tab == sectionDefinition {
		style = th.Faint
	}
	s.Pager.ShowCursor(style)
	if s.changed != nil {
		s.Pager.Replace(s.changed.Rows(th, s.Frame.Right >= difflist.SplitMinWidth))
		return
	}
	page = prose.New(th)
	page.Blank()
	switch s.RightTab() {
	case sectionVersions:
		s.Frame.VersionRows(page, s.Frame.Right, s.versions, s.extents, s.marked)
	case sectionBlame:
		s.blame.layOut(page)
	case sectionUses:
		s.layUses(page)
	}
	s.Pager.Replace(page.Rows())
}

// compare returns a command that computes the diff of two versions and shows it.
func (s *Page) compare(span screen.Span) tea.Cmd {
	text := func(n int) ([]byte, bool) {
		v, ok := versionOf(s.versions, n)
		return v.Definition, ok || n == 0
	}
	before, okBefore := text(span.From)
	after, okAfter := text(span.To)
	if !okBefore || !okAfter {
		return s.shell.Say(screen.Warning, "Version %d is not among the newest %d versions", min(span.From, span.To), screen.MaxVersions)
	}
	s.compared, s.marked, s.stop = span, 0, s.Pager.Stop()
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
		return s.then(func() tea.Cmd {
			switch {
			case span != s.compared: // the user has requested a different comparison in the meantime
				return nil
			case err != nil:
				return s.shell.Fail(err)
			}
			s.changed = list
			s.Pager.Home()
			s.layOut()
			return s.shell.Say(screen.Remark, "Changes from %s to version %d; tab: next section, esc: back to the list", versionName(span.From), span.To)
		})
	}
}

// then returns a message. When the page receives the message, it calls fn.
func (s *Page) then(fn func() tea.Cmd) tea.Msg { return screen.Then{Page: s, Do: fn} }

// The methods below read the data of the page.

// Reload implements screen.Page.
func (s *Page) Reload() tea.Cmd {
	s.usesRead = false
	subject, extents := s.entry.Subject, []string(nil)
	return tea.Batch(screen.Load(s.shell, s, func() (json.RawMessage, error) { return s.Registry.Definition(s.ctx, subject) }, func(text json.RawMessage) tea.Cmd {
		s.definition = text
		s.layOut()
		if !s.change {
			return nil
		}
		s.change = false
		return s.edit()
	}), screen.Load(s.shell, s, func() ([]history.Version, error) {
		versions, err := s.Registry.Versions(s.ctx, subject, 0, screen.MaxVersions)
		extents = screen.Extents(versions)
		return versions, err
	}, func(versions []history.Version) tea.Cmd {
		s.versions, s.extents = versions, extents
		s.layOut()
		if want := s.requested; want != (screen.Span{}) {
			s.requested = screen.Span{}
			return s.compare(want)
		}
		return s.loadSection()
	}))
}

// loadSection returns a command that loads the missing data of the section in the right pane.
func (s *Page) loadSection() tea.Cmd {
	switch s.RightTab() {
	case sectionBlame:
		return s.blame.load()
	case sectionUses:
		if !s.usesRead {
			subject := s.entry.Subject
			return func() tea.Msg {
				uses, err := s.Desk.Uses(s.ctx, subject, s.Layer)
				return s.then(func() tea.Cmd {
					s.uses, s.usesErr, s.usesRead = uses, err, true
					s.layOut()
					return nil
				})
			}
		}
	}
	return nil
}

func versionName(n int) string {
	if n == 0 {
		return "no version"
	}
	return "version " + strconv.Itoa(n)
}
