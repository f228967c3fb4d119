package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/markdown"
	"toolcrib/tui/proposal"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// Model is the workbench: it routes messages to its parts.
type Model struct {
	*shell
	*pages
	*writes
	*jobs
	host

	bindings map[string][]string // keys of the user's own, by the names of actions
	global   []screen.Key        // those that all pages have
	primed   tea.Cmd             // what the first page asked for
	drawn    *tea.View           // nil where a message may have changed the screen since
	drawnAt  string
	stamp    int64
	quitting bool
	last     last
	wish     *wish            // what the search went elsewhere for
	reading  *batch           // that was asked for last
	shared   proposal.Options // by the pages of all proposals
}

// host is the workbench as its pages know it.
type host struct{ *Model }

// shell is the state that all parts share: the configuration, the screen and its contents.
type shell struct {
	cfg      Config
	ctx      context.Context //nolint:containedctx // of all that is asked, as long as the workbench lives
	theme    theme.Theme
	look     string // the name of the chosen theme; "" for one that follows the terminal
	picked   bool   // it was chosen with a key, here or the last time
	dark     bool   // the terminal's ground, as far as is known
	told     bool   // the terminal has told its ground
	sixteen  bool
	mouse    bool
	layout   screen.Layout
	division screen.Division
	status   screen.Status
	dialog   *dialog
	line     *screen.Line // the input line at the bottom, nil for none
	kept     draftFiles   // unsent texts
	guide    int          // how many hints of the guide were followed
	away     bool         // the page shows no proposal
	texts    *markdown.Texts
	waits    *pending
	ticking  bool // the screen is redrawn while something is waited for
}

// pages are those that there are, and the way to the one on the screen.
type pages struct {
	*shell
	*news

	page  *page
	trail []*page // what esc goes back to

	queue    *page
	tools    *page
	agents   *page
	lists    *page
	log      *page
	drafts   *page
	calls    *page
	servers  *page
	files    *page
	sets     map[string]*page // of change sets, by their names
	proposal *page            // that was opened last, nil before the first
}

// page is a page of the workbench.
type page struct {
	screen.Page
	listed []screen.Key // its keys, once: the footer asks at every frame
}

// news counts the proposals of other processes since the user looked at the queue.
type news struct {
	known int // proposals; 0 while nothing is known
	fresh int // of them, those that came since
}

// writes are on their way to the desk. Each is awaited, and none is lost when the
// workbench is left.
type writes struct {
	*shell
	running int
	writing context.Context //nolint:containedctx // of the writes; done when the program is ended from outside
	cutOff  context.CancelFunc
	left    []string // how the writes ended that were on their way then
}

// jobs are the work that takes long, one piece of it at a time.
type jobs struct {
	*shell
	*pages
	*writes
	job *job // nil before the first
}
