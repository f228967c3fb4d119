package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/history/workspace"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/rules/ruleset"
	"toolcrib/store"
)

// globalFlags are understood by every command, beside those of format.
type globalFlags struct {
	overrides
	as     string
	dryRun bool
}

func (a *app) register(set *pflag.FlagSet) {
	f, form := &a.flags, &a.form
	set.Func("as", "act as `ACTOR`: user:NAME, agent:NAME or chief:NAME (default: user and the login name)", f.actAs)
	set.StringVar(&f.db, "db", "", "database `FILE` (default: $TOOLCRIB_DB, else $XDG_DATA_HOME/toolcrib/toolcrib.db)")
	set.StringVar(&f.project, "project", "", "work in the project `NAME`: its layer overrides the user's and the global one")
	set.StringVar(&f.workspace, "workspace", "", "keep the project's files in the folder `DIR`")
	set.BoolVar(&form.json, "json", false, "print one JSON document")
	set.Func("template", "print the document of --json through `TEXT`, a Go template such as '{{range .proposals}}{{.id}} {{end}}'", form.setTemplate)
	set.Func("jq", "print what `PROGRAM`, a jq filter such as '.proposals[].id', makes of the document of --json", form.setJQ)
	set.BoolVar(&form.noPager, "no-pager", false, "print long texts without a pager (so does PAGER=cat)")
	set.BoolVar(&form.noColor, "no-color", false, "print without colours (so does a non-empty NO_COLOR)")
	set.BoolVar(&f.dryRun, "dry-run", false, "do everything except save it")
	set.BoolVar(&form.accessible, "accessible", false, "use the workbench as plain lines, and print lists as sentences, for screen readers")
	set.SortFlags = false
}

// actAs takes --as. An empty one, such as a variable that is not set, is
// nobody, and not the user who is logged in.
func (f *globalFlags) actAs(actor string) error {
	if actor == "" {
		return errors.New("write user:NAME, agent:NAME or chief:NAME")
	}
	f.as = actor
	return nil
}

// app is one run of the program: its flags, and what has been opened so far.
type app struct {
	*printer
	program program
	// keyboard is raw standard input, for a terminal in raw mode.
	keyboard io.Reader
	stderr   io.Writer // standard error for programs that are started
	flags    globalFlags

	// creates is set by commands that make the database when there is none.
	creates bool
	empty   bool   // a database that is made gets the core alone
	scratch string // the folder of a dry run's own database; "" when there is none

	// audience is told what is read out; nil for none.
	audience audience

	remote    *remote // nil for the account that runs the process
	config    *config // set when the desk is open
	db        *store.DB
	desk      *review.Desk
	workspace *workspace.Workspace // nil when none is attached
	publisher publishing
	// onCommit is told which acts a transaction committed.
	onCommit func(acts []string)
}

// program runs commands, for those that run others.
type program interface {
	// root returns all commands of a run.
	root(a *app) *cobra.Command
	// run runs the command that the arguments of a run name, and returns its exit code.
	run(ctx context.Context, a *app) int
}

// audience is told what a command reads out: the workbench as plain lines lets only
// those decide who heard what they decide about.
type audience interface {
	Listed(found []proposals.Proposal)
	Shown(ds []review.Dossier)
	ListedCall(id string)
	HeardCall(id, digest string)
}

// restoreGC ends the delay of the garbage collector: the process is going to stay.
func (a *app) restoreGC() {
	if a.env.RestoreGC != nil {
		a.env.RestoreGC()
	}
}

func (a *app) close() error {
	var err error
	if a.db != nil && a.remote == nil {
		err = a.db.Close()
	}
	if a.scratch != "" {
		err = errors.Join(err, os.RemoveAll(a.scratch))
	}
	return err
}

// wantsJSON also looks at the bare arguments: an error in the flags comes
// before they are parsed.
func (a *app) wantsJSON() bool {
	return a.form.json && a.form.template == nil && a.form.jq == nil || // which set json for their document
		wantsJSON(a.env.Args)
}

func wantsJSON(args []string) bool {
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

// settings returns the configuration in force.
func (a *app) settings() (config, error) {
	if a.config != nil {
		return *a.config, nil
	}
	var c config
	var err error
	if a.remote != nil {
		c, err = a.remote.settings(a.flags.overrides, a.form.accessible)
	} else {
		c, err = loadConfig(a.env, a.flags.overrides, a.form.accessible)
	}
	if err != nil {
		return config{}, err
	}
	a.config = &c
	return c, nil
}

// database opens the database.
func (a *app) database(ctx context.Context) (*store.DB, error) {
	if a.db == nil && a.remote != nil {
		a.db, a.workspace = a.remote.db, a.remote.workspace
	}
	if a.db != nil {
		return a.db, nil
	}
	c, err := a.settings()
	if err != nil {
		return nil, err
	}
	a.db, err = a.open(ctx, c, false)
	if err != nil {
		return nil, err
	}
	if a.db.Frozen() {
		a.note("toolcrib: %s", stop("the folder of "+c.DB+" may not be written, so the file is shown as it is and nothing can be changed; if somebody else is changing it, look again later"))
		return a.db, nil
	}
	return a.db, a.openWorkspace(ctx, c)
}

// inspected opens the database to look at it, also when its core was tampered
// with. Nothing that is owed to a workspace is written.
func (a *app) inspected(ctx context.Context) (*store.DB, error) {
	if a.remote != nil {
		return a.database(ctx)
	}
	c, err := a.settings()
	if err != nil {
		return nil, err
	}
	a.db, err = a.open(ctx, c, true)
	return a.db, err
}

// openDesk opens the database and puts the desk before it.
func (a *app) openDesk(ctx context.Context) (*review.Desk, error) {
	if a.desk != nil {
		return a.desk, nil
	}
	db, err := a.database(ctx)
	if err != nil {
		return nil, err
	}
	c, err := a.settings()
	if err != nil {
		return nil, err
	}
	var desk *review.Desk
	if a.remote != nil {
		desk = a.remote.desk
	} else if desk, err = c.desk(db, a.env); err != nil {
		return nil, err
	}
	if a.flags.dryRun {
		desk = desk.DryRun()
	}
	a.desk = desk
	return desk, nil
}

// actor is who acts: --as, or the principal of the account.
func (a *app) actor() (proposals.Actor, error) {
	if a.remote != nil {
		return a.remote.actor, nil
	}
	c, err := a.settings()
	if err != nil {
		return proposals.Actor{}, err
	}
	if a.flags.as == "" {
		return c.principal(a.env), nil
	}
	actor, err := proposals.ParseActor(a.flags.as)
	if err != nil || actor.Kind != proposals.User {
		return actor, err
	}
	if mine := c.users(a.env); !slices.Contains(mine, actor.String()) {
		return actor, fmt.Errorf("act as %s: %w: you are %s; to act as another user, put may_act_as = [%q] into %s",
			actor, proposals.ErrAuthority, mine[0], actor, c.userFile)
	}
	return actor, nil
}

// user is the user for whom something is done when none is named.
func (a *app) user() (string, error) {
	if a.remote != nil {
		return a.remote.actor.Name, nil
	}
	c, err := a.settings()
	return c.user(a.env), err
}

// layer is the layer a command works in when none is named.
func (a *app) layer() (registry.Layer, error) {
	c, err := a.settings()
	if err != nil {
		return "", err
	}
	if c.Project == "" {
		return registry.LayerUser, nil
	}
	return registry.ParseLayer(string(registry.ProjectLayer(c.Project)))
}

// databaseView returns the database with the layers that the user looks at.
func (a *app) databaseView(ctx context.Context) (*store.DB, []registry.Layer, error) {
	db, err := a.database(ctx)
	if err != nil {
		return nil, nil, err
	}
	layer, err := a.layer()
	if err != nil {
		return nil, nil, err
	}
	return db, layer.View(), nil
}

// ids resolves references to proposals. "-" alone means the first word of each
// line of standard input.
func (a *app) ids(ctx context.Context, desk *review.Desk, refs []string) ([]proposals.ID, error) {
	if len(refs) == 1 && refs[0] == "-" {
		lines, err := a.readAll(ctx, "-")
		if err != nil {
			return nil, err
		}
		refs = refs[:0:0]
		for line := range strings.Lines(string(lines)) {
			if fields := strings.Fields(line); len(fields) > 0 {
				refs = append(refs, fields[0])
			}
		}
		if len(refs) == 0 {
			return nil, usagef("name at least one proposal: standard input holds no id")
		}
	}
	if len(refs) == 0 {
		return nil, usagef("name at least one proposal")
	}
	return desk.Resolve(ctx, refs...)
}

type docVersionInfo struct {
	docHead
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Rules   string `json:"rules"`
	// Commit and CommittedAt are of the source that was built, where Go knew it.
	Commit      string `json:"commit,omitempty"`
	CommittedAt string `json:"committed_at,omitempty"`
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of toolcrib and its rules",
		Long: `Print the versions of toolcrib, Go, and the rules. Every assessment records the
rules' version: when it changes, proposals must be assessed again before
approval.`,
		Example: `  toolcrib version
  toolcrib version --json`,
		RunE: func(*cobra.Command, []string) error { return runVersion(a) },
	}
}

// runVersion also answers the flag --version.
func runVersion(a *app) error {
	doc := docVersionInfo{
		docHead: head("version"), Version: programVersion(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Rules: ruleset.Version(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				doc.Commit = s.Value
			case "vcs.time":
				doc.CommittedAt = s.Value
			}
		}
	}
	return a.print(doc, func(p *page) {
		p.linef("toolcrib %s (%s, %s/%s), rules %s", doc.Version, doc.Go, doc.OS, doc.Arch, doc.Rules)
	})
}

// release is the version that tools/release/build builds; the linker sets it.
var release string //nolint:gochecknoglobals // only a variable can be set by the linker

// programVersion is the version of the release, or else of the module that the
// program was built from.
func programVersion() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

func notFoundf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), proposals.ErrNotFound)
}
