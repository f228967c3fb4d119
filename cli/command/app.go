// Package command provides the shared parts of all commands: the database, the review service, and the gateway that
// they open, common flags and arguments, and exit codes.
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
	"sync/atomic"
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

// App is a run of the program, with its flags and open resources.
type App struct {
	*output.Printer
	Program Program
	// Keyboard is the unwrapped standard input, for a terminal in raw mode.
	Keyboard io.Reader
	Stderr   io.Writer // standard error for child processes
	Flags    Flags

	// Creates is set by commands that may create the database.
	Creates bool
	Empty   bool   // create a new database with only the core
	Scratch string // folder of the scratch database of a dry run, or ""

	// Audience, if not nil, is notified of the output in accessible mode.
	Audience audience

	Remote    *Remote          // nil for the account that runs the process
	Config    *settings.Config // set when the desk is open
	DB        *store.DB
	desk      *service.Desk
	Workspace *workspace.Workspace // nil if no workspace is attached
	Publisher publishing
	// PublishRegistry publishes the live registry to the configured place.
	PublishRegistry func(ctx context.Context) error
	// OnCommit, if not nil, is called with the acts of each committed transaction.
	OnCommit func(acts []string)
}

// Program runs commands. It is used by commands that run other commands.
type Program interface {
	// Root returns all commands of a run.
	Root(a *App) *cobra.Command
	// Run runs the command in the arguments of a and returns its exit code.
	Run(ctx context.Context, a *App) int
}

// audience records the output that a command has read out. In accessible mode, users may decide only on what they
// heard.
type audience interface {
	Listed(found []proposals.Proposal)
	Shown(ds []review.Dossier)
	ListedCall(id string)
	ShownCall(id, digest string)
}

// RestoreGC ends the delay of the garbage collector, because the process will keep running.
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

// WantsJSON reports whether errors are printed as JSON. It also checks the raw arguments, because errors in flags occur
// before all flags are parsed.
func (a *App) WantsJSON() bool {
	return a.Form.JSON && a.Form.JQ == nil || // the second flag sets JSON for its document
		WantsJSON(a.Env.Args)
}

// WantsJSON reports whether raw arguments include --json.
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

// Settings returns the effective configuration.
func (a *App) Settings() (settings.Config, error) {
	if a.Config != nil {
		return *a.Config, nil
	}
	var c settings.Config
	var err error
	if a.Remote == nil {
		c, err = settings.LoadConfig(a.Env, a.Flags.Overrides, a.Form.Accessible)
	} else { // the settings of the server, with those that the user may change
		c = a.Remote.Config
		c.Accessible = a.Form.Accessible
		if project := a.Flags.Project; project != "" {
			if c, err = c.WithProject(project); err != nil {
				err = process.Usagef("--project is %q; a name has letters, digits, \"_\", \".\" and \"-\"", project)
			}
		}
	}
	if err != nil {
		return settings.Config{}, err
	}
	a.Config = &c
	return c, nil
}

// Database opens the database and sets Config.
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
	if a.Flags.As != "" { // commands that only read ignore the actor
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
		a.Publish(ctx) // files that were queued before a crash, or by an approval in another process
	}
	return a.DB, nil
}

// Inspected opens the database for inspection, even if its core tools were modified. It does not write queued workspace
// files.
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

// OpenDesk opens the database and returns its desk.
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

// ClockProblem returns a warning if the clock is behind the newest entry of the database, because new entries would
// have earlier times than existing ones. Otherwise, it returns "".
func (a *App) ClockProblem(ctx context.Context, db *store.DB) (string, error) {
	newest, err := db.NewestEvent(ctx)
	now := a.Env.Now()
	if err != nil || !newest.After(now.Add(time.Minute)) {
		return "", err
	}
	return fmt.Sprintf("the clock of this machine shows %s, but the newest entry of the database is from %s; correct the clock, because new entries would get earlier times than existing ones", output.Timestamp(now), output.Timestamp(newest)), nil
}

// Actor returns the actor of the command: --as, or the principal of the account.
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

// User returns the default user. Config must be set.
func (a *App) User() string {
	if a.Remote != nil {
		return a.Remote.Actor.Name
	}
	return a.Config.User(a.Env)
}

// open opens the database. Only commands that write create a database, and only at the default path: otherwise, a
// mistyped name would silently result in an empty registry. A machine that follows a registry has no database.
func (a *App) open(ctx context.Context, c settings.Config, inspect bool) (*store.DB, error) {
	opts := store.Options{
		Now: a.Env.Now, NewID: a.Env.NewID, Account: a.Env.CurrentAccount().Account, Users: c.Users(a.Env),
		Inspect: inspect, Existing: !a.Creates || a.Flags.DryRun || c.Follow.Source != "" && c.Follow.Local != "allow", DryRun: a.Flags.DryRun, Empty: a.Empty, Committed: a.committed, Trust: proof.NewTrust(c.SignaturePolicy(), c.Approvals()),
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
	case a.Creates: // a dry run uses a database in a temporary folder
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

// publishing records whether there are decisions for which no checkpoint has been published.
type publishing struct {
	decided atomic.Bool
	Mu      sync.Mutex    // guards Woken
	Woken   chan struct{} // wakes the publisher while the process runs; may be nil
}

// committed records that a transaction contains a decision, or that a notice is due.
func (a *App) committed(acts []string) {
	if a.OnCommit != nil {
		a.OnCommit(acts)
	}
	if !slices.ContainsFunc(acts, func(act string) bool { return proposals.Act(act).Decides() }) {
		return
	}
	p := &a.Publisher
	p.Again()
	p.Mu.Lock()
	defer p.Mu.Unlock()
	select {
	case p.Woken <- struct{}{}: // a nil channel is never ready
	default:
	}
}

// Again records another decision to publish.
func (p *publishing) Again() { p.decided.Store(true) }

// Take reports whether there is a decision to publish, and resets the record.
func (p *publishing) Take() bool { return p.decided.Swap(false) }

// New returns the App for a run of the program in env.
func New(ctx context.Context, env process.Env, program Program) *App {
	app := &App{Program: program, Printer: &output.Printer{Env: env, Stdout: env.Out, Running: ctx}, Keyboard: env.In, Stderr: env.Err}
	app.Env.Out, app.Env.Err = visible.NewLog(env.Out), visible.NewLog(env.Err)
	app.Env.In = process.UntilDone(ctx, env.In)
	return app
}

// Closing prints that a dry run saved nothing.
func (a *App) Closing(p *output.Page) {
	if a.Flags.DryRun {
		p.Linef("Dry run: nothing was saved.")
	}
}

// Publish writes the queued files of the workspace. It only prints failures, because the approval remains valid.
func (a *App) Publish(ctx context.Context) {
	if a.Workspace == nil || a.Flags.DryRun {
		return
	}
	if err := a.Workspace.Publish(ctx); err != nil && a.Remote == nil { // SSH users have no access to the files
		output.WriteNote(a.Env.Err, "toolcrib: the files of the workspace are not up to date: %s", output.FullStop(err.Error()))
	}
}
