// Package files implements the workbench page that lists skills and instruction files. It shows the approved
// version of each file, and whether the file on disk matches that version.
package files

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/gateway/instructions"
	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/editor"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// Read returns the skills and instruction files that agents read. Each is compared with its approved version.
type Read func(ctx context.Context) ([]instructions.Listed, error)

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	OpenNumber(number string) tea.Cmd
	OpenEntry(o screen.Opening) tea.Cmd
}

// Page lists skills and instruction files.
type Page struct {
	screen.Text
	preview     screen.Preview
	shell       Shell
	ctx         context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	read        Read
	editor      *editor.Editor
	list        []instructions.Listed
	loaded      bool
	waitingText func() string // describes how many proposals wait for the user
}

// New returns a page without rows. Reload loads the rows.
func New(ctx context.Context, sh Shell, read Read, edit *editor.Editor, waits func() string) *Page {
	return &Page{Text: screen.NewText(), shell: sh, ctx: ctx, read: read, editor: edit, waitingText: waits}
}

// Place implements screen.Page.
func (p *Page) Place() string { return "Files" }

// Keys implements screen.Page.
func (p *Page) Keys() []screen.Key {
	return slices.Concat([]screen.Key{
		{Name: "file-open", Keys: []string{"enter"}, Label: "open", Help: "Open the files and versions of the selected row, or its proposal if no version is approved", Do: p.open, Disabled: p.cannotOpen},
		{Name: "file-waits", Keys: []string{"u"}, Label: "waiting", Help: "Open the waiting proposal of the selected row", Do: p.waiting, Disabled: p.cannotOpenProposal},
		{Name: "file-edit", Keys: []string{"e"}, Label: "edit", Help: "Open the file on disk in the editor, a skill at its SKILL.md", Terms: "change, fix", Do: p.edit, Disabled: p.cannotEdit},
	}, screen.PaneKeys(p.shell, p), screen.TextKeys(p.shell, p))
}

// LeftWidth implements screen.Paned. The page has no side pane while the list is empty.
func (p *Page) LeftWidth(l screen.Layout) int {
	if len(p.list) == 0 {
		return 0
	}
	return l.Beside()
}

// MinWidth implements screen.Paned.
func (p *Page) MinWidth() int { return screen.SideMinWidth }

// View implements screen.Page.
func (p *Page) View() []string { return p.ViewBeside(p.LeftWidth(p.Frame.Layout), p.sidePane) }

// sidePane draws the side pane, which shows details of the selected row and the next steps.
func (p *Page) sidePane() []string {
	l, ok := p.selected()
	if !ok {
		return nil
	}
	page := prose.New(p.Frame.Theme)
	page.Title(l.Path)
	sign, style := mark(p.Frame.Theme, l)
	page.Line(draw.Of(style, sign+" "+draw.Escape(l.State())))
	if l.Reason != "" {
		page.Faint("", l.Reason)
	}
	page.Blank()
	if l.Subject.ID != "" {
		page.Field("subject", l.Subject.String())
	}
	if l.Version > 0 {
		page.Field("version", strconv.Itoa(l.Version))
	}
	if l.Folder != "" {
		page.Field("folder", l.Folder)
	}
	if l.ReadBy != "" {
		page.Field("read by", l.ReadBy)
	}
	if what := advice(l); what != "" {
		page.Blank()
		page.Text("", what)
	}
	return p.preview.View(p.Frame, strconv.Itoa(p.Pager.Stop()), page)
}

// advice returns a hint for the next step on a row, with a command or key, or "".
func advice(l instructions.Listed) string {
	put := "In a shell, toolcrib restore '" + l.Subject.String() + "' restores the approved bytes."
	switch {
	case l.Proposal != "" && l.Drift == instructions.Changed:
		return "u opens the proposal with the change. " + put
	case l.Proposal != "":
		return "u opens the proposal."
	case l.Drift == instructions.Changed:
		return "In a shell, toolcrib import --files proposes the change. " + put
	case l.Drift == instructions.Missing:
		return put
	case l.Drift == instructions.New:
		return "In a shell, toolcrib import --files proposes the file."
	case l.Version > 0:
		return "enter shows the files and versions."
	}
	return ""
}

func (p *Page) selected() (instructions.Listed, bool) { return screen.Selected(p.Pager, p.list) }

func (p *Page) cannotOpen() string {
	if l, ok := p.selected(); ok && l.Version > 0 {
		return ""
	}
	return p.cannotOpenProposal()
}

func (p *Page) cannotOpenProposal() string {
	l, ok := p.selected()
	switch {
	case !ok:
		return "nothing is selected"
	case l.Proposal != "":
		return ""
	case l.Drift == instructions.New || l.Drift == instructions.Changed:
		return "not proposed yet; in a shell, run toolcrib import --files"
	}
	return "nothing waits for you"
}

// open opens the approved version of the selected row. If no version is approved, it opens the waiting
// proposal.
func (p *Page) open() tea.Cmd {
	l, _ := p.selected()
	if l.Version == 0 {
		return p.waiting()
	}
	return p.shell.OpenEntry(screen.Opening{Entry: screen.Entry{Subject: l.Subject, Name: l.Path, Version: l.Version}})
}

func (p *Page) waiting() tea.Cmd {
	l, _ := p.selected()
	return p.shell.OpenNumber(l.Proposal)
}

// file returns the path of a row's file on disk, or "".
func file(l instructions.Listed) string {
	switch {
	case l.Folder == "" || l.Drift == instructions.Missing:
		return ""
	case l.Subject.Kind == registry.KindSkill:
		return filepath.Join(l.Folder, l.Path, registry.SkillFile)
	}
	return filepath.Join(l.Folder, l.Path)
}

func (p *Page) cannotEdit() string {
	l, ok := p.selected()
	switch {
	case !ok:
		return "nothing is selected"
	case file(l) == "":
		return "the file is not on disk"
	}
	return p.editor.CannotOpen(file(l))
}

// edit opens the file of the selected row in the editor. After the editor exits, the page compares the files
// with their approved versions again.
func (p *Page) edit() tea.Cmd {
	l, _ := p.selected()
	if _, err := os.Stat(file(l)); err != nil {
		return p.shell.Fail(err)
	}
	return p.editor.Run(editor.Manuscript{File: file(l)}, func(_ []byte, err error) tea.Cmd {
		if err != nil {
			return p.shell.Fail(err)
		}
		return p.Reload()
	})
}

// Fit implements screen.Page. It lays out the rows, grouped by layer and folder.
func (p *Page) Fit(f screen.Frame) {
	p.FitIn(f, cmp.Or(p.LeftWidth(f.Layout), f.Width))
	th := p.Frame.Theme
	page := prose.New(th)
	if p.loaded && len(p.list) == 0 {
		page.Blank()
		page.Text("", "No skill or instruction file was found in this folder, and none is live.")
		page.Faint("", p.waitingText()+" To add files, run toolcrib import --files in the folder of a project.")
	}
	name := 10
	for _, l := range p.list {
		name = max(name, draw.Width(draw.Escape(l.Path)))
	}
	name = min(name, p.Frame.List-5-versionCells-stateCells)
	for i, l := range p.list {
		if i == 0 || p.list[i-1].Folder != l.Folder || p.list[i-1].Subject.Layer != l.Subject.Layer {
			if i > 0 {
				page.Blank()
			}
			page.Line(draw.Of(th.Title, draw.Escape(string(l.Subject.Layer))).Add(th.Faint, "  "+draw.Escape(l.Folder)))
		}
		page.Stop()
		sign, style := mark(th, l)
		version := draw.Safe("")
		if l.Version > 0 {
			version = draw.Escapef("v%d", l.Version)
		}
		line := draw.Of(style, draw.Pad(sign, 2)).Add(th.Strong, draw.Pad(draw.Cut(draw.Escape(l.Path), name), name)+"  ").
			Add(th.Faint, draw.Pad(version, versionCells)).Add(style, draw.Pad(draw.Escape(l.State()), stateCells))
		if room := p.Frame.List - line.Width() - 2; room > leastRead {
			line = line.Add(th.Faint, " "+draw.CutWords(draw.Escape(l.ReadBy), room-1))
		}
		page.Line(line)
		if l.Reason != "" {
			page.FaintItem(draw.Of("", "    "), l.Reason)
		}
		if l.Proposal != "" {
			page.Item(draw.Of(th.Warn, "  ? "), l.Proposal+" waits for you")
		}
	}
	p.Pager.Replace(page.Rows())
}

// Reload implements screen.Page.
func (p *Page) Reload() tea.Cmd {
	return screen.Load(p.shell, p, func() ([]instructions.Listed, error) { return p.read(p.ctx) }, func(list []instructions.Listed) tea.Cmd {
		p.list, p.loaded = list, true
		p.Fit(p.Frame)
		return nil
	})
}

// Tabs implements screen.Page.
func (p *Page) Tabs() (left, right draw.Line) {
	th, drifted := p.Frame.Theme, 0
	for _, l := range p.list {
		if l.Drift != "" {
			drifted++
		}
	}
	left = draw.Of("", " ").Add(th.Accent, "▎Files").Add(th.Faint, draw.Escapef("  %s", wording.Count(len(p.list), "file or skill", "files and skills")))
	if drifted > 0 {
		left = left.Add(th.Warn, draw.Escapef("  %d not in the approved state", drifted))
	}
	return left, nil
}

// versionCells and stateCells are the widths of the columns to the right of the path. leastRead is the minimum
// width of the column that lists the clients.
const (
	versionCells = 5
	stateCells   = 16
	leastRead    = 10
)

// mark returns the sign of a row and the style of the sign.
func mark(th theme.Theme, l instructions.Listed) (draw.Safe, theme.Style) {
	switch {
	case l.Drift != "":
		return "!", th.Warn
	case l.Status == registry.Deactivated:
		return "·", th.Faint
	}
	return "✓", th.Good
}
