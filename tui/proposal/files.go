package proposal

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
)

// chooseFile moves the cursor to the list of files above the diff, onto the current file.
func (t *diffPane) chooseFile() tea.Cmd {
	first, _ := t.pager.Window()
	at, _ := t.list.FileRow(first, t.split)
	t.pager.Pick(at, t.frame.Theme.Accent, "go to the file")
	return t.Shell.Say(screen.Remark, "j and k choose a file, enter goes to it, esc leaves")
}

// noFiles returns why no file can be picked, or "".
func (t *diffPane) noFiles() string {
	if why := t.none(); why != "" {
		return why
	}
	if _, ok := t.list.FileRow(0, t.split); !ok || t.Tab != tabDiff {
		return "the diff is not of several files"
	}
	return ""
}

// selectedFile returns the row of the first difference in the picked file.
func (t *diffPane) selectedFile() (row int, ok bool) {
	at, picking := t.pager.Picked()
	if t.list == nil || !picking {
		return 0, false
	}
	return t.list.FileAt(at, t.split)
}
