package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/drafting"
	"toolcrib/tui/jobs"
	"toolcrib/tui/keys"
	"toolcrib/tui/markdown"
	"toolcrib/tui/navigation"
	"toolcrib/tui/pending"
	"toolcrib/tui/queue"
	"toolcrib/tui/shell"
	"toolcrib/tui/writes"
)

// Model is the workbench: it routes messages to its parts.
type Model struct {
	cfg       Config
	shell     *shell.Shell
	pages     *navigation.Pages
	keys      *keys.Keys
	jobs      *jobs.Runner
	writes    *writes.Writer
	drafting  *drafting.Drafting
	openings  *openings
	pageShell pageShell // implements the requests of pages
	pending   *pending.Operations
	texts     *markdown.Texts
	queue     *queue.Page
	news      *news
	guide     *guide

	primed   tea.Cmd   // the first page's commands, run by Init
	drawn    *tea.View // cached frame; nil after a message that may have changed it
	drawnAt  string
	stamp    int64
	quitting bool

	clicked    time.Time // time of the last click on a row
	clickedRow int
}

// resize lays out the screen for the given size.
func (m *Model) resize(width, height int) {
	m.shell.Resize(width, height)
	m.pages.Fit(m.shell.Frame())
}

// retheme redraws the screen in the chosen theme.
func (m *Model) retheme() {
	m.shell.Retheme()
	m.pages.Fit(m.shell.Frame())
}

// Left returns the outcomes of the writes that were running when the program was told to quit.
func (m *Model) Left() []string { return m.writes.Left() }

// atWork returns the number of writes and jobs that are still running.
func (m *Model) atWork() int { return m.writes.Running() + m.jobs.Running() }

// news counts the proposals that other processes added since the user last looked at the queue.
type news struct {
	known int // number of proposals at the last count; 0 before the first
	fresh int // proposals added since
}
