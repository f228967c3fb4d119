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
	pageShell pageShell // does what pages ask for
	pending   *pending.Operations
	texts     *markdown.Texts
	queue     *queue.Page
	news      *news
	guide     *guide

	primed   tea.Cmd   // what the first page asked for
	drawn    *tea.View // nil where a message may have changed the screen since
	drawnAt  string
	stamp    int64
	quitting bool

	clicked    time.Time // last, on a row of the page
	clickedRow int
}

// resize lays everything out for a screen of the given size.
func (m *Model) resize(width, height int) {
	m.shell.Resize(width, height)
	m.pages.Fit(m.shell.Frame())
}

// retheme draws everything in the theme of the choice.
func (m *Model) retheme() {
	m.shell.Retheme()
	m.pages.Fit(m.shell.Frame())
}

// Left returns the outcomes of the writes that were running when the program was told to quit.
func (m *Model) Left() []string { return m.writes.Left() }

// atWork returns how many writes and jobs have not ended yet.
func (m *Model) atWork() int { return m.writes.Running() + m.jobs.Running() }

// news counts the proposals of other processes since the user looked at the queue.
type news struct {
	known int // proposals; 0 while nothing is known
	fresh int // of them, those that came since
}
