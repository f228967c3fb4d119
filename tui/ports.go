package tui

import (
	"context"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/auditlog"
	"toolcrib/tui/changeset"
	"toolcrib/tui/entries"
	"toolcrib/tui/files"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/servers"
	"toolcrib/tui/subject"
	"toolcrib/tui/theme"
)

// Decider decides on proposals and waives findings.
type Decider interface {
	Decide(ctx context.Context, actor proposals.Actor, choices []review.Choice, verdict proposals.Verdict, note string) ([]proposals.Decision, error)
	Waive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string, expires *time.Time) (history.Waiver, error)
	Unwaive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string) (history.Waiver, error)
}

// Proposer drafts, revises and withdraws proposals.
type Proposer interface {
	Propose(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error)
	Revise(ctx context.Context, actor proposals.Actor, id proposals.ID, draft proposals.Draft) (proposals.Proposal, error)
	Submit(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error)
	Withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, note string) (proposals.Proposal, error)
	Rebase(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error)
	Fork(ctx context.Context, actor proposals.Actor, coreID string, layer registry.Layer) (proposals.Proposal, error)
	Rollback(ctx context.Context, actor proposals.Actor, s registry.Subject, version int, rationale string) (proposals.Proposal, error)
}

// Commenter adds to the thread of a proposal and has it assessed again.
type Commenter interface {
	Comment(ctx context.Context, actor proposals.Actor, id proposals.ID, body string, at review.Anchor) (proposals.Comment, error)
	Reassess(ctx context.Context, id proposals.ID) (review.Assessment, error)
}

// Reader reads proposals, change sets and what they change, for the pages.
type Reader interface {
	queue.Desk
	proposal.Desk
	subject.Desk
	changeset.Desk
}

// Desk is the part of the review service that the workbench uses.
type Desk struct {
	Reader
	Decider
	Proposer
	Commenter
}

// DeskOf returns the desk of a service that does all of it.
func DeskOf[S interface {
	Reader
	Decider
	Proposer
	Commenter
}](service S) Desk {
	return Desk{service, service, service, service}
}

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

// Calls are the waiting calls, for the workbench.
type Calls interface {
	Pending(ctx context.Context, q gateway.PendingQuery) ([]gateway.Pending, error)
	State(p gateway.Pending) gateway.PendingState
	Answerer
}

// Config is everything the workbench takes from outside.
type Config struct {
	// Context is for all reads and writes of the workbench; nil means the background.
	Context  context.Context //nolint:containedctx // the commands of Bubble Tea have no other
	Desk     Desk
	Registry Registry
	Calls    Calls // nil where nothing can be called
	// Extents reads how much proposals change, for the rows of the queue.
	Extents func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error)
	// Servers reads which servers of the user's clients are guarded; nil where the
	// clients are not those of this machine.
	Servers servers.Read
	// Files compares skills and instruction files with what was approved; nil where they
	// are not on this machine.
	Files  files.Read
	Actor  proposals.Actor
	Layer  registry.Layer // where drafts are made
	Place  string         // the shown place, such as the project's name
	Theme  string         // "dark", "light", "high-contrast" or "own"; "" finds out
	Own    *theme.Theme   // of the user's own colours; nil for none
	Plain  bool           // no colours
	Getenv func(string) string
	Drafts string // folder for texts that are not sent yet; "" keeps none
	Now    func() time.Time
	// Counter counts the tokens of prompts, and may be shared with other workbenches;
	// nil means one of its own.
	Counter *tokens.Counter
	// Remote is set where the terminal is on another machine: there is no shell to go
	// back to, no program is run, and texts are edited in the workbench.
	Remote bool
	// Guide shows a newcomer the way from a proposal to a rollback.
	Guide bool
	// Elsewhere lists the commands and settings that the search finds; nil for none.
	Elsewhere func() []Elsewhere
	// Views are filters of the queue, each of which is a tab.
	Views []View
	// HasModel reports that a model is configured that answers test cases.
	HasModel bool
	// Blocked reports whether a write waits until another process lets go of the database;
	// nil where that is not known.
	Blocked func() bool
	// Size returns the terminal's size in cells; nil where none can be asked.
	// The news of a change is lost while nobody listens yet, or to a reading
	// that is overtaken by an older one.
	Size func() (width, height int)
	// Verify recomputes every hash chain, and Import proposes what a file says
	// about tools; nil where there is no such thing.
	Verify Job
	Import func(ctx context.Context, file string, tell Tell) (lines []string, err error)
	// Regroup moves proposals into another change set, or out of theirs for ""; nil
	// where there is no such thing.
	Regroup func(ctx context.Context, actor proposals.Actor, ids []proposals.ID, changeSet string) ([]proposals.Proposal, error)
	// Export writes the live registry to a file; nil where there is no such thing.
	Export        func(ctx context.Context, e Export, tell Tell) (lines []string, err error)
	ExportFormats []ExportFormat // the default first
	// Signer signs decisions; nil where nothing is signed. Ask shows the statement
	// before the key is asked; the workbench and the dialogue set it.
	Signer Signer
	Ask    AskToSign
	// Checkpoint returns how far the publication of checkpoints has come, from
	// memory; nil where none are published.
	Checkpoint func() Checkpoint
	// Exec returns a command that gives the terminal to a process and answers when it
	// ends; nil means tea.ExecProcess.
	Exec func(run *exec.Cmd, done tea.ExecCallback) tea.Cmd
	// After returns a command that answers with a message after a time; nil means
	// tea.Tick.
	After func(d time.Duration, msg tea.Msg) tea.Cmd
	// Wait returns when another process may have written something, at the latest
	// after a time; seen is its last result, 0 at first. nil waits for the time.
	Wait func(ctx context.Context, seen int64, every time.Duration) (told int64)
}

// Job is work that takes long. It reports its progress, ends early when ctx is
// done, and returns lines about its outcome.
type Job = screen.Job

// Tell reports the progress of a job.
type Tell = screen.Tell

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

// Elsewhere is a command or a setting that the workbench does not have itself: the
// search finds it, and tells how to get there.
type Elsewhere struct{ Name, Help, How string }

// Signer signs what the user decides. Each method returns what the decision is made
// at: the same as before where nothing is signed. ask is called before the key is.
type Signer interface {
	Decide(ctx context.Context, act proposals.Act, choices []review.Choice, note string, ask AskToSign) (Decider, error)
	// Waive signs the waiver of a finding (ActWaive) or its end (ActUnwaive).
	Waive(ctx context.Context, act proposals.Act, id proposals.ID, handle, reason string, ask AskToSign) (Decider, error)
	Answer(ctx context.Context, p gateway.Pending, approve bool, reason string, ask AskToSign) (Answerer, error)
}

// Answerer answers calls that wait for the user.
type Answerer interface {
	Approve(ctx context.Context, actor proposals.Actor, id, expect string) (gateway.Result, error)
	Refuse(ctx context.Context, actor proposals.Actor, id, reason string) (gateway.Pending, error)
}

// SignRequest is a statement that waits for its signature.
type SignRequest struct {
	Principal, Key string
	Statement      string // its hash, short
	Terminal       bool   // Run may ask for a passphrase or a PIN at the terminal
	Run            func() error
}

// Line names the signer, the statement and the key.
func (r SignRequest) Line() string {
	return "Signing as " + r.Principal + " with " + r.Key + "; statement " + r.Statement + "."
}

// AskToSign shows a request and runs it when the user agrees. It returns what Run
// does, or errNotSigned.
type AskToSign func(ctx context.Context, r SignRequest) error

// Checkpoint is how far the publication of checkpoints has come.
type Checkpoint struct {
	At        time.Time // of the newest, zero before the first
	Decisions int       // that no published checkpoint has
}
