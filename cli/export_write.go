package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"toolcrib/internal/atomicfile"
	"toolcrib/internal/visible"
	"toolcrib/tui"
)

// writeExport writes a file. One that is there is replaced only when that is wanted,
// and only if it is an ordinary file.
func (a *app) writeExport(name string, text []byte, replace bool) error {
	if err := a.folderOf(name); err != nil {
		return err
	}
	file := a.path(name)
	check := func() error {
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.IsDir():
			return fmt.Errorf("%s is a folder; name a file in it", name)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is not an ordinary file; write - for standard output", name)
		case !replace:
			return fmt.Errorf("%s exists; nothing was written", name)
		}
		return nil
	}
	err := check()
	if err == nil {
		err = atomicfile.Write(file, text, atomicfile.Options{Mode: 0o644, Check: check})
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the folder %s may not be written to: %w", filepath.Dir(file), err)
	}
	return err
}

// exportJob writes the live registry to a file for the workbench, as `toolcrib export`
// does.
func (a *app) exportJob(ctx context.Context, e tui.Export, tell tui.Tell) ([]string, error) {
	tell(0, 0, "Reading the registry")
	x, err := a.export(ctx, exportFlags{format: e.Format, agent: e.Agent})
	if err != nil {
		return nil, err
	}
	tell(0, 0, "Writing "+e.File)
	if err := a.writeExport(e.File, visible.JSON(x.text), e.Replace); err != nil {
		return nil, err
	}
	return append([]string{fmt.Sprintf("Wrote %s (%s).", a.path(e.File), counted(len(x.text), "byte"))}, x.notes...), nil
}

// formatsOfExport names the formats for the workbench.
func formatsOfExport() []tui.ExportFormat {
	return mapped(exportFormats(), func(f exportFormat) tui.ExportFormat {
		return tui.ExportFormat{Name: f.name, About: f.about, Whole: f.name == string(formatBundle)}
	})
}
