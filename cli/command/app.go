// Package command provides the parts that all commands share. App opens the database, the review service, and the
// gateway for a command. The package also defines common flags, checks arguments, and maps errors to exit codes.
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

// App contains the flags and the open resources of one run of the program.
type App struct {
	*output.Printer
	Program Program
	// Keyboard is the unwrapped standard input. Raw mode requires the terminal itself, and Env.In is a wrapper.
	Keyboard io.Reader
	Stderr   io.Writer // standard error for child processes
	Flags    Flags

	// Creates permits the command to create the database.
	Creates bool
	Empty   bool   // a new database contains only the core tools
	Scratch string // folder of the scratch database of a dry run, or ""

	// Audience, if not nil, is notified of the output in accessible mode.
	Audience audience

	Remote    *Remote          // session of a user connected over SSH; nil for the account that runs the process
	Config    *settings.Config // set by Settings
	DB        *store.DB
	desk      *service.Desk
	Workspace *workspace.Workspace // nil if no workspace is attached
	Publisher publishing
	// PublishRegistry publishes the live registry to the target in the [publish] table of the configuration.
	PublishRegistry func(ctx context.Context) error
	// OnCommit, if not nil, is called with the acts of each committed transaction.
	OnCommit func(acts []string)
}

// Program is the table of all commands. Commands use it to run other commands.
type Program interface {
	// Root returns the root command with all subcommands. The commands use the flags and resources of a.
	Root(a *App) *cobra.Command
	// Run runs the command in a.Env.Args and returns its exit code.
	Run(ctx context.Context, a *App) int
}

// audience is notified of the proposals and calls that a command printed in accessible mode. In this mode, users can
// decide only on proposals and calls that were printed for them.
type audience interface {
	Listed(found []proposals.Proposal)
	Shown(ds []review.Dossier)
	ListedCall(id string)
	ShownCall(id, digest string)
}

// RestoreGC restores the normal settings of the garbage collector. Long-running commands call it, because the process
// starts with settings for short commands.
func (a *App) RestoreGC() {
	if a.Env.RestoreGC != nil {
		a.Env.RestoreGC()
	}
}

// Close closes the database. After a dry run, it also removes the temporary database.
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
	return a.Form.JSON && a.Form.JQ == nil || // --jq also sets JSON, but errors remain text
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
	} else { // the server's settings, with the accessible mode and project that the user chose
		c = a.Remote.Config
		c.Accessible = a.Form.Accessible
		if project := a.Flags.Project; project != "" {
			if c, err = c.WithProject(project); err != nil {
				err = process.Usagef("--project is %q: use only letters, digits, \"_\", \".\", and \"-\"", project)
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
	if a.Flags.As != "" { // report an invalid actor even for commands that only read and do not use it
		if _, err := proposals.ParseActor(a.Flags.As); err != nil {
			return nil, err
		}
	}
	a.DB, err = a.open(ctx, c, false)
	if err != nil {
		return nil, err
	}
	if a.DB.Frozen() {
		a.Note("toolcrib: %s", output.FullStop("the folder of "+c.DB+" is read-only, so the database was opened read-only and may lack changes that another process is writing"))
		return a.DB, nil
	}
	if c.Workspace != "" {
		if a.Workspace, err = workspace.New(ctx, a.DB.Workspaces(), c.Workspace, c.Project); err != nil {
			return a.DB, err
		}
		a.Publish(ctx) // write files that were queued before a crash, or by an approval in another process
	}
	return a.DB, nil
}

// Inspected opens the database to examine it, even if its core tools were modified. It does not write queued workspace
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

// OpenDesk opens the database and returns the review service for it.
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
	problem, err := a.ClockProblem(ctx, db)
	if problem != "" && a.Remote == nil {
		a.Note("toolcrib: %s", output.FullStop(problem))
	}
	return desk, err
}

// ClockProblem returns a warning if the time of the newest entry in the database is in the future, because new entries
// would get earlier times than this entry. Otherwise, it returns "".
func (a *App) ClockProblem(ctx context.Context, db *store.DB) (string, error) {
	newest, err := db.NewestEvent(ctx)
	now := a.Env.Now()
	if err != nil || !newest.After(now.Add(time.Minute)) {
		return "", err
	}
	return fmt.Sprintf("the clock of this machine shows %s, but the newest entry of the database is from %s; correct the clock, because new entries would get earlier times than existing ones", output.Timestamp(now), output.Timestamp(newest)), nil
}

// Actor returns the actor of the command: the value of --as or, without --as, the default actor of the account. Over
// SSH, Actor always returns the connected user.
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

// User returns the name of the user that commands act for by default. Config must be set.
func (a *App) User() string {
	if a.Remote != nil {
		return a.Remote.Actor.Name
	}
	return a.Config.User(a.Env)
}

// open opens the database. If inspect is set, it opens the database even if core tools were modified.
//
// A missing database is created only if a.Creates is set. Other commands return an error, because the user may have
// mistyped the path. A missing folder is created only for the default path. In a dry run, open creates a temporary
// database instead. On a machine that follows a registry, open creates a database only if [follow] local is "allow".
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
		return nil, fmt.Errorf("%w: this machine follows %s, but this command needs the database of a registry; run it on the machine where the registry is reviewed", err, c.Follow.Source)
	case a.Creates: // a dry run uses a database in a temporary folder
		if a.Scratch, err = os.MkdirTemp(a.Env.Getenv("TMPDIR"), "toolcrib-dry-run-"); err != nil {
			return nil, err
		}
		opts.Existing, opts.DryRun = false, false
		return store.Open(ctx, filepath.Join(a.Scratch, "toolcrib.db"), opts)
	case c.DefaultDB:
		return nil, fmt.Errorf("%w; create a database with `toolcrib propose FILE` or `toolcrib import FILE`, or by opening the workbench with `toolcrib`", err)
	}
	return nil, fmt.Errorf("%w (path from %s); correct the path, or create the database with `toolcrib propose FILE` or `toolcrib import FILE`", err, c.Sources["db"])
}

// publishing records whether a checkpoint has to be published, which is the case after each decision.
type publishing struct {
	decided atomic.Bool
	Mu      sync.Mutex    // guards Woken
	Woken   chan struct{} // wakes the publisher while the process runs; may be nil
}

// committed is called with the acts of each committed transaction. It calls a.OnCommit. If the transaction contains a
// decision, committed also requests the publication of a checkpoint.
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

// Again requests the publication of a checkpoint.
func (p *publishing) Again() { p.decided.Store(true) }

// Take reports whether the publication of a checkpoint was requested, and clears the request.
func (p *publishing) Take() bool { return p.decided.Swap(false) }

// New returns the App for a run of program in env.
func New(ctx context.Context, env process.Env, program Program) *App {
	app := &App{Program: program, Printer: &output.Printer{Env: env, Stdout: env.Out, Running: ctx}, Keyboard: env.In, Stderr: env.Err}
	app.Env.Out, app.Env.Err = visible.NewLog(env.Out), visible.NewLog(env.Err)
	app.Env.In = process.UntilDone(ctx, env.In)
	return app
}

// Closing prints a remark that nothing was saved, if this is a dry run.
func (a *App) Closing(p *output.Page) {
	if a.Flags.DryRun {
		p.Linef("Dry run: nothing was saved.")
	}
}

// Publish writes the queued files of the workspace. If this fails, Publish prints the error instead of returning it,
// because the approval remains valid.
func (a *App) Publish(ctx context.Context) {
	if a.Workspace == nil || a.Flags.DryRun {
		return
	}
	if err := a.Workspace.Publish(ctx); err != nil && a.Remote == nil { // SSH users have no access to the files
		output.WriteNote(a.Env.Err, "toolcrib: the files of the workspace are not up to date: %s", output.FullStop(err.Error()))
	}
}
