// Package command holds the parts that commands share: the database, the review service and the
// gateway that they open, the flags and ids that they take, and the exit codes that
// they end with.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/history/workspace"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/store"
)

// App is one run of the program: its flags, and the resources that it has opened.
type App struct {
	*output.Printer
	Program Program
	// Keyboard is raw standard input, for a terminal in raw mode.
	Keyboard io.Reader
	Stderr   io.Writer // standard error for programs that are started
	Flags    Flags

	// Creates is set by commands that may create the database.
	Creates bool
	Empty   bool   // a database that is made gets the core alone
	Scratch string // the folder of a dry run's scratch database, or ""

	// Audience is notified of the output of accessible mode. It may be nil.
	Audience audience

	Remote    *Remote          // nil for the account that runs the process
	Config    *settings.Config // set when the desk is open
	DB        *store.DB
	desk      *service.Desk
	Workspace *workspace.Workspace // nil when none is attached
	Publisher publishing
	// PublishRegistry publishes the live registry to the configured place.
	PublishRegistry func(ctx context.Context) error
	// OnCommit is called with the acts of each committed transaction.
	OnCommit func(acts []string)
}

// Program runs commands, for those that run others.
type Program interface {
	// Root returns all commands of a run.
	Root(a *App) *cobra.Command
	// Run runs the command that the arguments of a run name, and returns its exit code.
	Run(ctx context.Context, a *App) int
}

// An audience records the lines that a command has read out: in accessible mode, users may decide only on what they
// heard.
type audience interface {
	Listed(found []proposals.Proposal)
	Shown(ds []review.Dossier)
	ListedCall(id string)
	HeardCall(id, digest string)
}

// RestoreGC ends the delay of the garbage collector: the process is going to stay.
func (a *App) RestoreGC() {
	if a.Env.RestoreGC != nil {
		a.Env.RestoreGC()
	}
}

func (a *App) Close() error {
	var err error
	if a.DB != nil && a.Remote == nil {
		err = a.DB.Close()
	}
	if a.Scratch != "" {
		err = errors.Join(err, os.RemoveAll(a.Scratch))
	}
	return err
}

// WantsJSON also looks at the bare arguments: an error in the flags comes
// before they are parsed.
func (a *App) WantsJSON() bool {
	return a.Form.JSON && a.Form.JQ == nil || // which sets JSON for its document
		WantsJSON(a.Env.Args)
}

// WantsJSON reports whether arguments that are not parsed yet ask for JSON.
func WantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// Settings returns the configuration in force.
func (a *App) Settings() (settings.Config, error) {
	if a.Config != nil {
		return *a.Config, nil
	}
	var c settings.Config
	var err error
	if a.Remote != nil {
		c, err = a.Remote.settings(a.Flags.Overrides, a.Form.Accessible)
	} else {
		c, err = settings.LoadConfig(a.Env, a.Flags.Overrides, a.Form.Accessible)
	}
	if err != nil {
		return settings.Config{}, err
	}
	a.Config = &c
	return c, nil
}

// Database opens the database, and sets Config.
func (a *App) Database(ctx context.Context) (*store.DB, error) {
	c, err := a.Settings()
	if err != nil {
		return nil, err
	}
	if a.DB == nil && a.Remote != nil {
		a.DB, a.Workspace = a.Remote.DB, a.Remote.Workspace
	}
	if a.DB != nil {
		return a.DB, nil
	}
	if a.Flags.As != "" { // commands that only read use no actor
		if _, err := proposals.ParseActor(a.Flags.As); err != nil {
			return nil, err
		}
	}
	a.DB, err = a.open(ctx, c, false)
	if err != nil {
		return nil, err
	}
	if a.DB.Frozen() {
		a.Note("toolcrib: %s", output.FullStop("the folder of "+c.DB+" is read-only, so the database is opened read-only, and changes that another process is writing may be missing"))
		return a.DB, nil
	}
	if c.Workspace != "" {
		if a.Workspace, err = workspace.New(ctx, a.DB.Workspaces(), c.Workspace, c.Project); err != nil {
			return a.DB, err
		}
		a.Publish(ctx) // files that were queued before a crash, or by an approval made elsewhere
	}
	return a.DB, nil
}

// Inspected opens the database for inspection, even if its core tools were tampered with. It does not write queued
// workspace files.
func (a *App) Inspected(ctx context.Context) (*store.DB, error) {
	if a.Remote != nil {
		return a.Database(ctx)
	}
	c, err := a.Settings()
	if err != nil {
		return nil, err
	}
	a.DB, err = a.open(ctx, c, true)
	return a.DB, err
}

// OpenDesk opens the database and returns a desk for it.
func (a *App) OpenDesk(ctx context.Context) (*service.Desk, error) {
	if a.desk != nil {
		return a.desk, nil
	}
	db, err := a.Database(ctx)
	if err != nil {
		return nil, err
	}
	var desk *service.Desk
	if a.Remote != nil {
		desk = a.Remote.Desk
	} else if desk, err = a.Config.Desk(db, a.Env); err != nil {
		return nil, err
	}
	if a.Flags.DryRun {
		desk = desk.DryRun()
	}
	a.desk = desk
	if problem, err := a.ClockProblem(ctx, db); err != nil || problem != "" && a.Remote == nil {
		a.Note("toolcrib: %s", output.FullStop(problem))
		return desk, err
	}
	return desk, nil
}

// ClockProblem describes a clock that is behind the newest entry of the database, "" for
// none: entries would be dated before those that precede them.
func (a *App) ClockProblem(ctx context.Context, db *store.DB) (string, error) {
	newest, err := db.NewestEvent(ctx)
	now := a.Env.Now()
	if err != nil || !newest.After(now.Add(time.Minute)) {
		return "", err
	}
	return fmt.Sprintf("the clock of this machine shows %s, but the newest entry of the database is from %s; correct the clock, because new entries would get earlier times than existing ones", output.Timestamp(now), output.Timestamp(newest)), nil
}

// Actor is who acts: --as, or the principal of the account.
func (a *App) Actor() (proposals.Actor, error) {
	if a.Remote != nil {
		return a.Remote.Actor, nil
	}
	c, err := a.Settings()
	if err != nil {
		return proposals.Actor{}, err
	}
	if a.Flags.As == "" {
		return c.Principal(a.Env), nil
	}
	actor, err := proposals.ParseActor(a.Flags.As)
	if err != nil || actor.Kind != proposals.User {
		return actor, err
	}
	if mine := c.Users(a.Env); !slices.Contains(mine, actor.String()) {
		return actor, fmt.Errorf("act as %s: %w: you are %s; to act as another user, put may_act_as = [%q] into %s",
			actor, proposals.ErrAuthority, mine[0], actor, c.UserFile)
	}
	return actor, nil
}

// User is the user for whom something is done when none is named. Config must be set.
func (a *App) User() string {
	if a.Remote != nil {
		return a.Remote.Actor.Name
	}
	return a.Config.User(a.Env)
}

// open opens the database file. Only a command that writes creates one, and only at the default path: otherwise a
// mistyped name would become an empty registry without any error. A machine that follows a registry gets no database.
func (a *App) open(ctx context.Context, c settings.Config, inspect bool) (*store.DB, error) {
	opts := store.Options{
		Now: a.Env.Now, NewID: a.Env.NewID, Account: a.Env.CurrentAccount().Account, Users: c.Users(a.Env),
		Inspect: inspect, Existing: !a.Creates || a.Flags.DryRun || c.Follow.Source != "", DryRun: a.Flags.DryRun, Empty: a.Empty, Committed: a.committed, Trust: proof.NewTrust(c.SignaturePolicy(), c.Approvals()),
	}
	if !opts.Existing && c.DefaultDB {
		if err := os.MkdirAll(filepath.Dir(c.DB), 0o700); err != nil {
			return nil, fmt.Errorf("create the folder of the database: %w", err)
		}
	}
	db, err := store.Open(ctx, c.DB, opts)
	switch {
	case !errors.Is(err, store.ErrNoDatabase):
		return db, err
	case c.Follow.Source != "":
		return nil, fmt.Errorf("%w: this machine follows %s, and guard, mcp, exec, check, restore, hooks, and status read its copy; run this command where the registry is reviewed", err, c.Follow.Source)
	case a.Creates: // a dry run, which gets a database in a temporary folder
		if a.Scratch, err = os.MkdirTemp(a.Env.Getenv("TMPDIR"), "toolcrib-dry-run-"); err != nil {
			return nil, err
		}
		opts.Existing, opts.DryRun = false, false
		return store.Open(ctx, filepath.Join(a.Scratch, "toolcrib.db"), opts)
	case c.DefaultDB:
		return nil, fmt.Errorf("%w; `toolcrib propose FILE` and `toolcrib import FILE` create it, as does the workbench, which `toolcrib` opens", err)
	}
	return nil, fmt.Errorf("%w, which %s names; correct it, or create the database with `toolcrib propose FILE` or `toolcrib import FILE`", err, c.Sources["db"])
}

// publishing remembers decisions until a checkpoint of them is published.
type publishing struct {
	Mu      sync.Mutex
	decided bool
	Woken   chan struct{} // wakes the publisher while the process runs; may be nil
}

// committed notes that a transaction decided something, or that a notice is due.
func (a *App) committed(acts []string) {
	if a.OnCommit != nil {
		a.OnCommit(acts)
	}
	for _, act := range acts {
		if proposals.Act(act).Decides() {
			a.Publisher.Again()
			a.Publisher.wake()
			return
		}
	}
}

// Again records that another decision is waiting to be published.
func (p *publishing) Again() {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	p.decided = true
}

func (p *publishing) wake() {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	select {
	case p.Woken <- struct{}{}: // nil is never ready
	default:
	}
}

// Take returns whether there is a decision to publish, and forgets it.
func (p *publishing) Take() bool {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	decided := p.decided
	p.decided = false
	return decided
}

// New returns the run of a program that env describes.
func New(ctx context.Context, env process.Env, program Program) *App {
	app := &App{Program: program, Printer: &output.Printer{Env: env, Stdout: env.Out, Running: ctx}, Keyboard: env.In, Stderr: env.Err}
	app.Env.Out, app.Env.Err = visible.NewLog(env.Out), visible.NewLog(env.Err)
	app.Env.In = process.UntilDone(ctx, env.In)
	return app
}

// Closing reports that a dry run saved nothing.
func (a *App) Closing(p *output.Page) {
	if a.Flags.DryRun {
		p.Linef("Dry run: nothing was saved.")
	}
}

// Publish writes the queued files of the workspace. A failure is only reported, because the approval remains valid.
func (a *App) Publish(ctx context.Context) {
	if a.Workspace == nil || a.Flags.DryRun {
		return
	}
	if err := a.Workspace.Publish(ctx); err != nil && a.Remote == nil { // a user elsewhere has no access to these files
		output.WriteNote(a.Env.Err, "toolcrib: the files of the workspace are not up to date: %s", output.FullStop(err.Error()))
	}
}
