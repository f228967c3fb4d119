package tui

import (
	"context"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/service"
	"toolcrib/tui/auditlog"
	"toolcrib/tui/changeset"
	"toolcrib/tui/desk"
	"toolcrib/tui/entries"
	"toolcrib/tui/jobs"
	"toolcrib/tui/keys"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/subject"
	"toolcrib/tui/theme"
)

// Reader reads proposals and change sets for the pages.
type Reader interface {
	queue.Desk
	proposal.Reader
	changeset.Desk
}

// Impact shows how proposals and live definitions change prompts.
type Impact interface {
	proposal.Impact
	Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]impact.Use, error)
}

// Desk is the part of the review service that the workbench uses.
type Desk struct {
	Reader
	Impact
	desk.Decider
	desk.Proposer
	desk.Assessor
}

// DeskOf returns the desk of a review service.
func DeskOf(d *service.Desk) Desk {
	return Desk{d.Reading, d.Impact, d.Deciding, d.Drafting, d.Assessing}
}

// The parts of the desk, of the jobs and of the search, for those who configure them.
type (
	Decider      = desk.Decider
	Proposer     = desk.Proposer
	Assessor     = desk.Assessor
	Calls        = desk.Calls
	Answerer     = desk.Answerer
	Signer       = desk.Signer
	SignRequest  = desk.SignRequest
	AskToSign    = desk.AskToSign
	Export       = jobs.Export
	ExportFormat = jobs.ExportFormat
	Elsewhere    = keys.Elsewhere
)

// View is a filter with a name, which is a tab of the queue.
type View = queue.View

// Entry is a live definition as the registry pages list it, EntryQuery selects some
// for a page, by id, EntryGroup those of one layer from one server or file.
type (
	Entry      = screen.Entry
	EntryQuery = entries.Query
	EntryGroup = entries.Group
	GroupCount = entries.Counted
)

// Registry reads live and earlier definitions for the workbench.
type Registry interface {
	entries.Registry
	subject.Registry
	auditlog.Log
	// Stamp changes whenever anything was written, by whatever process.
	Stamp(ctx context.Context) (int64, error)
}

// Config configures the workbench.
type Config struct {
	// Context is the context of all reads and writes; nil means context.Background.
	Context  context.Context //nolint:containedctx // the commands of Bubble Tea have no other
	Desk     Desk
	Registry Registry
	Sources
	// Extents reads how much proposals change, for the rows of the queue.
	Extents func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error)
	Actor   proposals.Actor
	Layer   registry.Layer // layer of new drafts
	Place   string         // shown in the bar, such as the project's name
	Theme   string         // "dark", "light", "high-contrast" or "own"; "" follows the terminal
	Own     *theme.Theme   // made of the user's colors; nil for none
	Plain   bool           // no colours
	Getenv  func(string) string
	Drafts  string // folder of unsent texts; "" keeps none
	Now     func() time.Time
	// Counter counts the tokens of prompts. Several workbenches may share one; nil means a new one.
	Counter *tokens.Counter
	// Remote reports that the terminal is on another machine. The workbench then runs no programs,
	// cannot be suspended, and edits texts itself.
	Remote bool
	// Guide leads a new user from a proposal to a rollback.
	Guide bool
	// Elsewhere lists the commands and settings that the search finds; nil for none.
	Elsewhere func() []Elsewhere
	// Views are filters of the queue, each of which is a tab.
	Views []View
	// Commands are programs that the user runs on the selection.
	Commands []Command
	// HasModel reports whether a configured model can answer test cases.
	HasModel bool
	// Blocked reports whether a write waits for another process that holds the database; nil where
	// that is unknown.
	Blocked func() bool
	// Size returns the terminal's size in cells; nil where it is unknown. It is polled because the
	// message about a resize can be lost while the program starts.
	Size func() (width, height int)
	// Verify recomputes every hash chain, and Import proposes the tools of a file; nil where
	// unavailable.
	Verify Job
	Import func(ctx context.Context, file string, tell Tell) (lines []string, err error)
	// Regroup moves proposals into another change set, or out of theirs for ""; nil where
	// unavailable.
	Regroup func(ctx context.Context, actor proposals.Actor, ids []proposals.ID, changeSet string) ([]proposals.Proposal, error)
	// Export writes the live registry to a file; nil where unavailable.
	Export        func(ctx context.Context, e Export, tell Tell) (lines []string, err error)
	ExportFormats []ExportFormat // the default first
	// Signer signs decisions; nil where nothing is signed.
	Signer Signer
	// Checkpoint returns the state of the published checkpoints without I/O; nil where none are
	// published.
	Checkpoint func() Checkpoint
	// Exec returns a command that gives the terminal to a process and answers when it
	// ends; nil means tea.ExecProcess.
	Exec func(run *exec.Cmd, done tea.ExecCallback) tea.Cmd
	// After returns a command that answers with a message after a time; nil means
	// tea.Tick.
	After func(d time.Duration, msg tea.Msg) tea.Cmd
	// Wait returns when another process may have written to the database, at the latest after the
	// interval every. seen is its previous result, 0 at first. nil only waits.
	Wait func(ctx context.Context, seen int64, every time.Duration) (told int64)
}

// Job is work that takes long. It reports its progress, ends early when ctx is
// done, and returns lines about its outcome.
type Job = screen.Job

// Tell reports the progress of a job.
type Tell = screen.Tell

// Checkpoint is the state of the published checkpoints.
type Checkpoint struct {
	At        time.Time // of the newest, zero before the first
	Decisions int       // that no published checkpoint covers
}
