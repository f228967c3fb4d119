package setup

import (
	"context"
	"fmt"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/files"
	"toolcrib/cli/output"
)

// look finds the skills and the instruction files of the home and of this folder.
func (d *docInit) look(ctx context.Context, a *command.App) error {
	creates := a.Creates
	a.Creates = false // looking makes no database
	folders, problems, err := files.Look(ctx, a)
	a.Creates = creates
	for _, f := range folders {
		if f.Found+len(f.Steps) > 0 {
			d.Files = append(d.Files, f)
		}
	}
	d.Problems = append(d.Problems, problems...)
	return err
}

// importFiles proposes them.
func (d *docInit) importFiles(ctx context.Context, a *command.App) (err error) {
	p := a.Progress()
	defer p.End()
	d.Files, d.proposed, err = files.Import{Tell: p.Tell}.Take(ctx, a, d.Files, document.Moved)
	return err
}

// question asks whether to go on.
func (d *docInit) question(servers int) string {
	waiting := output.Counted(files.Open(d.Files), "skill or instruction file")
	switch {
	case files.Open(d.Files) == 0:
		return fmt.Sprintf("Start %s once to read the tools?", output.Counted(servers, "server"))
	case servers == 0:
		return fmt.Sprintf("Propose %s?", waiting)
	}
	return fmt.Sprintf("Start %s once to read the tools, and propose %s?", output.Counted(servers, "server"), waiting)
}

// offer names the work that is left, in front of the command for it.
func (d *docInit) offer(servers, waiting int) string {
	switch {
	case waiting == 0:
		return fmt.Sprintf("Nothing was started. To read the tools of %s and propose them:", output.Counted(servers, "server"))
	case servers == 0:
		return "Nothing was proposed. To propose the files:"
	}
	return fmt.Sprintf("Nothing was started. To read the tools of %s and propose them, and the files:", output.Counted(servers, "server"))
}
