// This file defines the configuration of the workbench and the interfaces that it needs.

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
	"toolcrib/tui/keys"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/subject"
)

// Reader reads proposals and change sets.
type Reader interface {
	queue.Desk
	proposal.Reader
	changeset.Desk
}

// Impact computes how proposals change prompts, and which agents use a definition.
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

// Aliases for types of other packages that appear in the configuration. Callers need not import these packages.
type (
	Decider     = desk.Decider
	Proposer    = desk.Proposer
	Assessor    = desk.Assessor
	Calls       = desk.Calls
	Answerer    = desk.Answerer
	Signer      = desk.Signer
	SignRequest = desk.SignRequest
	AskToSign   = desk.AskToSign
	Elsewhere   = keys.External
)

// View is a named filter, shown as a tab of the queue.
type View = queue.View

// Aliases for the types of the registry pages. Entry is a live definition in a list. EntryGroup is the group of
// entries on the same layer and from the same server or file. EntryQuery selects a page of entries.
type (
	Entry      = screen.Entry
	EntryQuery = entries.Query
	EntryGroup = entries.Group
	GroupCount = entries.GroupCount
)

// Registry reads live definitions and their earlier versions for the workbench.
type Registry interface {
	entries.Registry
	subject.Registry
	auditlog.Log
	// Stamp returns a number that changes whenever any process writes to the database.
	Stamp(ctx context.Context) (int64, error)
}

// Config configures the workbench.
type Config struct {
	// Context is the context of all reads and writes; nil means context.Background.
	Context  context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	Desk     Desk
	Registry Registry
	Sources
	// Extents returns the number of changed lines of each proposal. The queue shows these numbers.
	Extents func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error)
	Actor   proposals.Actor
	Layer   registry.Layer // layer in which new drafts are created
	Place   string         // shown in the bar, for example the name of the project
	Theme   string         // "dark", "light" or "high-contrast"; "" follows the terminal
	Plain   bool           // no colors
	Getenv  func(string) string
	Drafts  string // folder for unsent texts; if "", none are stored
	Now     func() time.Time
	// Counter counts the tokens of prompts. Several workbenches can share a counter. If Counter is nil, New
	// creates one.
	Counter *tokens.Counter
	// Remote indicates that the user's terminal is on another machine. The workbench then runs no programs, cannot
	// be suspended, and uses its built-in editor.
	Remote bool
	// Guide shows a new user the steps from the first proposal to a rollback.
	Guide bool
	// Elsewhere returns commands and settings that the search finds in addition to the keys; it may be nil.
	Elsewhere func() []Elsewhere
	// Views are named filters of the queue. The queue shows a tab for each view.
	Views []View
	// Commands are programs that the user can run on the selected proposal or definition.
	Commands []Command
	// Blocked reports whether a write is waiting for another process to release the database. It is nil if the
	// workbench cannot determine this.
	Blocked func() bool
	// Size returns the terminal's size in cells. It is nil if the size is unknown. The workbench polls Size,
	// because it can miss the message about a resize during start-up.
	Size func() (width, height int)
	// Regroup moves proposals to the change set named changeSet. If changeSet is "", Regroup removes the proposals
	// from their sets. It is nil if proposals cannot be moved.
	Regroup func(ctx context.Context, actor proposals.Actor, ids []proposals.ID, changeSet string) ([]proposals.Proposal, error)
	// Signer signs decisions; nil if decisions are not signed.
	Signer Signer
	// Checkpoint returns the state of the published checkpoints without I/O; nil if no checkpoints are published.
	Checkpoint func() Checkpoint
	// Exec returns a command that runs a process in the terminal and sends a message when the process exits. If
	// Exec is nil, the workbench uses tea.ExecProcess.
	Exec func(run *exec.Cmd, done tea.ExecCallback) tea.Cmd
	// After returns a command that sends msg after d. If After is nil, the workbench uses tea.Tick.
	After func(d time.Duration, msg tea.Msg) tea.Cmd
	// Wait waits until another process may have written to the database, but not longer than the given interval.
	// It returns the new stamp of the database. seen is the stamp from the previous call, or 0 in the first call.
	// If Wait is nil, the workbench polls.
	Wait func(ctx context.Context, seen int64, every time.Duration) (stamp int64)
}

// Checkpoint is the state of the published checkpoints.
type Checkpoint struct {
	At        time.Time // time of the newest checkpoint; zero before the first
	Decisions int       // number of decisions that no published checkpoint covers
}
