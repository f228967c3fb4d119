package jobs

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

// exportForm is the state of the export dialog.
type exportForm struct {
	file     string
	format   int
	agent    string      // selected agent, or ""
	only     bool        // export only the agent's tools
	existing fs.FileInfo // existing file that would be replaced, or nil
	err      error       // why the file cannot be written
}

// Export asks for the file and then for the format.
func (r *Runner) Export() tea.Cmd {
	return r.askFile("continue", "export to file", func(file string) tea.Cmd {
		if whole, err := filepath.Abs(file); err == nil {
			file = whole
		}
		x := &exportForm{file: file, agent: r.Agent()}
		return func() tea.Msg {
			x.existing, x.err = existing(file)
			return screen.Then{Do: func() tea.Cmd { return r.askExport(x) }}
		}
	})
}

// existing returns information about a file, or nil if the file does not exist and can be created.
func existing(file string) (fs.FileInfo, error) {
	there, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return nil, fmt.Errorf("folder %s not found; create it, or choose another", filepath.Dir(file))
		}
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w; choose another file", err)
	case there.IsDir():
		return nil, fmt.Errorf("%s is a folder; name a file in it", file)
	}
	return there, nil
}

// CannotExport returns why an export is not possible, or "".
func (r *Runner) CannotExport() string {
	switch {
	case r.Options.Export != nil:
		return r.Busy()
	case r.Remote:
		return "files here are the server's; write yours: ssh HOST toolcrib export > FILE"
	}
	return "export is not available here"
}

// askExport opens the export dialog, or shows why the file cannot be written.
func (r *Runner) askExport(x *exportForm) tea.Cmd {
	if x.err != nil {
		return r.shell.Fail(x.err)
	}
	d := screen.Dialog{
		Form: proposals.Form{Title: "Export", Verb: "write"}, Content: func(page *prose.Page) { r.exportContent(x, page) },
		Run: func(_ string) tea.Cmd {
			e := Export{File: x.file, Format: r.Formats[x.format].Name, Replace: x.existing != nil}
			if x.only && !r.Formats[x.format].Whole {
				e.Agent = x.agent
			}
			return r.Start("Export "+e.File, func(ctx context.Context, tell screen.Tell) ([]string, error) { return r.Options.Export(ctx, e, tell) })
		},
	}
	turn := func(do func()) func() tea.Cmd {
		return func() tea.Cmd {
			do()
			r.shell.Refit()
			return nil
		}
	}
	n := len(r.Formats)
	d.Keys = []screen.Key{
		{Keys: []string{"tab"}, Label: "next format", Do: turn(func() { x.format = (x.format + 1) % n })},
		{Keys: []string{"shift+tab"}, Do: turn(func() { x.format = (x.format + n - 1) % n })},
	}
	if x.agent != "" {
		d.Keys = append(d.Keys, screen.Key{Keys: []string{"o"}, Label: "one agent or all", Do: turn(func() { x.only = !x.only })})
	}
	if x.existing != nil {
		d.Form.Verb = "replace the file"
	}
	return r.shell.Ask(d)
}

// exportContent draws the content of the export dialog.
func (r *Runner) exportContent(x *exportForm, page *prose.Page) {
	th := r.shell.Frame().Theme
	page.Field("file", x.file)
	if x.existing != nil {
		page.Item(draw.Of(th.Warn, "! "), fmt.Sprintf("This file exists: %d bytes, changed %s. y replaces it; esc keeps it.", x.existing.Size(), x.existing.ModTime().UTC().Format(time.RFC3339)))
	}
	format := r.Formats[x.format]
	scope := "everything live in the view of " + string(r.Layer)
	if x.only && !format.Whole {
		scope = "agent " + x.agent + " and its tools"
	}
	page.Field("contents", scope)
	page.Blank()
	for i, f := range r.Formats {
		mark, name := draw.Of("", "  "), th.Text
		if i == x.format {
			mark, name = draw.Of(th.Accent, "▌ "), th.Strong
		}
		page.Line(mark.Add(name, draw.Pad(draw.Escape(f.Name), 11)).Add(th.Faint, draw.Escape(f.About)))
	}
}

// Verify recomputes every hash chain.
func (r *Runner) Verify() tea.Cmd { return r.Start("Verify", r.Options.Verify) }

// CannotVerify returns why verification is not possible, or "".
func (r *Runner) CannotVerify() string {
	if r.Options.Verify == nil {
		return "verify is not available here"
	}
	return r.Busy()
}

// Import asks for the file with the tools to import.
func (r *Runner) Import() tea.Cmd {
	return r.askFile("import", "import file", func(file string) tea.Cmd {
		return r.Start("Import "+file, func(ctx context.Context, tell screen.Tell) ([]string, error) {
			return r.Options.Import(ctx, file, tell)
		})
	})
}

// CannotImport returns why an import is not possible, or "".
func (r *Runner) CannotImport() string {
	switch {
	case r.Options.Import != nil:
		return r.Busy()
	case r.Remote:
		return "files here are the server's; pipe yours: ssh HOST toolcrib import - < FILE"
	}
	return "import is not available here"
}
