package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// Export is the live registry as a file to be written.
type Export struct {
	File    string
	Format  string
	Agent   string // only its tools; "" for everything
	Replace bool   // the file that is there
}

// ExportFormat is a format that an export is written in.
type ExportFormat struct {
	Name, About string
	Whole       bool // it has everything, not the tools of one agent
}

// export asks how the registry is written to a file.
type export struct {
	file   string
	format int
	agent  string      // the one that was selected, "" for none
	only   bool        // the tools of that agent
	there  fs.FileInfo // the file that is replaced, nil for none
	err    error       // why nothing can be written there
}

// askExport asks for the file, and then for the format.
func (m *Model) askExport() tea.Cmd {
	agent := ""
	if p, ok := m.agents.Page.(screen.OfEntry); ok && m.page == m.agents {
		if e, ok := p.Selected(); ok {
			agent = e.Subject.ID
		}
	}
	return m.askFile("continue", "export to file", func(m *Model, file string) tea.Cmd {
		if whole, err := filepath.Abs(file); err == nil {
			file = whole
		}
		x := &export{file: file, agent: agent}
		return func() tea.Msg {
			x.there, x.err = standing(file)
			return result(func(m *Model) tea.Cmd { return m.exportFound(x) })
		}
	})
}

// standing returns the file of a name, nil when a new one can be made.
func standing(file string) (fs.FileInfo, error) {
	there, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return nil, fmt.Errorf("there is no folder %s; make it, or choose another", filepath.Dir(file))
		}
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w; choose another file", err)
	case there.IsDir():
		return nil, fmt.Errorf("%s is a folder; name a file in it", file)
	}
	return there, nil
}

func (m *Model) cannotExport() string {
	switch {
	case m.cfg.Export != nil:
		return m.busy()
	case m.cfg.Remote:
		return "files here are the server's; write yours: ssh HOST toolcrib export > FILE"
	}
	return "export is not available here"
}

// exportFound opens the dialog, or reports why nothing can be written to the file.
func (m *Model) exportFound(x *export) tea.Cmd {
	if x.err != nil {
		m.fail(x.err)
		return nil
	}
	d := screen.Dialog{
		Form: proposals.Form{Title: "Export", Verb: "write"}, Content: func(page *prose.Page) { x.content(m, page) },
		Run: m.answered(func(m *Model, _ string) tea.Cmd { return m.runExport(x) }),
	}
	turn := func(do func()) screen.Action {
		return m.action(func(m *Model) tea.Cmd {
			do()
			m.dialog.resize(m)
			return nil
		})
	}
	n := len(m.cfg.ExportFormats)
	d.Other = map[string]screen.Action{
		"tab":       turn(func() { x.format = (x.format + 1) % n }),
		"shift+tab": turn(func() { x.format = (x.format + n - 1) % n }),
	}
	d.OtherHelp = [][2]string{{"tab", "next format"}}
	if x.agent != "" {
		d.Other["o"] = turn(func() { x.only = !x.only })
		d.OtherHelp = append(d.OtherHelp, [2]string{"o", "one agent or all"})
	}
	if x.there != nil {
		d.Form.Verb = "replace the file"
	}
	return m.ask(d)
}

func (x *export) content(m *Model, page *prose.Page) {
	page.Field("file", x.file)
	if x.there != nil {
		page.Item(draw.Of(m.theme.Warn, "! "), fmt.Sprintf("This file exists: %d bytes, changed %s. y replaces it; esc keeps it.", x.there.Size(), x.there.ModTime().UTC().Format(time.RFC3339)))
	}
	format := m.cfg.ExportFormats[x.format]
	scope := "everything live in the view of " + string(m.cfg.Layer)
	if x.only && !format.Whole {
		scope = "agent " + x.agent + " and its tools"
	}
	page.Field("contents", scope)
	page.Blank()
	for i, f := range m.cfg.ExportFormats {
		mark, name := draw.Of("", "  "), m.theme.Text
		if i == x.format {
			mark, name = draw.Of(m.theme.Accent, "▌ "), m.theme.Strong
		}
		page.Line(mark.Add(name, draw.Pad(draw.Show(f.Name), 11)).Add(m.theme.Faint, draw.Show(f.About)))
	}
}

func (m *Model) runExport(x *export) tea.Cmd {
	e := Export{File: x.file, Format: m.cfg.ExportFormats[x.format].Name, Replace: x.there != nil}
	if x.only && !m.cfg.ExportFormats[x.format].Whole {
		e.Agent = x.agent
	}
	return m.start("Export "+e.File, func(ctx context.Context, tell Tell) ([]string, error) { return m.cfg.Export(ctx, e, tell) })
}
