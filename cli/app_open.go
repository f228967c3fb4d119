package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/pflag"

	"toolcrib/history"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/signing/signers"
	"toolcrib/store"
)

// open opens the database file. Only a command that writes creates one, and
// only at the default path with its folders: a mistyped name must not become an
// empty registry that lists and verifies as if nothing were wrong.
func (a *app) open(ctx context.Context, c config, inspect bool) (*store.DB, error) {
	opts := store.Options{
		Now: a.env.Now, NewID: a.env.NewID, Account: a.env.account().Account, Users: c.users(a.env),
		Inspect: inspect, Existing: !a.creates || a.flags.dryRun, Empty: a.empty, Committed: a.committed, Trust: review.NewTrust(c.signatures(), c.approvals()),
	}
	if !opts.Existing && c.defaultDB {
		if err := os.MkdirAll(filepath.Dir(c.DB), 0o700); err != nil {
			return nil, fmt.Errorf("create the folder of the database: %w", err)
		}
	}
	db, err := store.Open(ctx, c.DB, opts)
	switch {
	case !errors.Is(err, store.ErrNoDatabase):
		return db, err
	case a.creates:
		return a.openScratch(ctx, opts)
	case c.defaultDB:
		return nil, fmt.Errorf("%w; `toolcrib propose FILE` and `toolcrib import FILE` create it, as does the workbench, which `toolcrib` opens", err)
	}
	return nil, fmt.Errorf("%w, which %s names; correct it, or create the database with `toolcrib propose FILE` or `toolcrib import FILE`", err, c.sources["db"])
}

// openScratch opens the database that a dry run would have created. It lies in
// a folder of its own until the command ends.
func (a *app) openScratch(ctx context.Context, opts store.Options) (_ *store.DB, err error) {
	if a.scratch, err = os.MkdirTemp(a.env.Getenv("TMPDIR"), "toolcrib-dry-run-"); err != nil {
		return nil, err
	}
	opts.Existing = false
	return store.Open(ctx, filepath.Join(a.scratch, "toolcrib.db"), opts)
}

// desk puts the desk that the settings describe before a store.
func (c config) desk(db review.Store, env Env) (*review.Desk, error) { return c.deskOf(db, env, nil) }

// deskOf is desk with signers that are not written to their file yet, nil for those
// of the file.
func (c config) deskOf(db review.Store, env Env, next *signers.Signers) (*review.Desk, error) {
	policy := c.connect(c.policy(), env)
	if next != nil {
		policy.Signatures.Signers = func() (*signers.Signers, error) { return next, nil }
	}
	desk, err := review.New(db, policy, env.Now, env.NewID)
	if err != nil {
		_, named := c.ruleSet()
		return nil, cmp.Or(named, err)
	}
	return desk, nil
}

// rulesVersion names the rules and the policy in force, for which no database
// is needed.
func (c config) rulesVersion(env Env) (string, error) {
	desk, err := c.desk(nil, env)
	if err != nil {
		return "", err
	}
	return desk.RulesVersion(), nil
}

// viewed returns what read reads in one view of the database.
func viewed[R, T any](ctx context.Context, view func(context.Context, func(R) error) error, read func(R) (T, error)) (found T, err error) {
	err = view(ctx, func(r R) error {
		found, err = read(r)
		return err
	})
	return found, err
}

// session is the review service together with the actor who uses it.
type session struct {
	desk  *review.Desk
	actor proposals.Actor
}

// openSession opens the review service for the actor of the command.
func (a *app) openSession(ctx context.Context) (session, error) {
	actor, err := a.actor()
	if err != nil {
		return session{}, err
	}
	desk, err := a.openDesk(ctx)
	return session{desk, actor}, err
}

// openProposals opens the review service and resolves references to proposals.
func (a *app) openProposals(ctx context.Context, refs []string) (session, []proposals.ID, error) {
	b, err := a.openSession(ctx)
	if err != nil {
		return b, nil, err
	}
	ids, err := a.ids(ctx, b.desk, refs)
	return b, ids, err
}

// eachProposal does one act to each of the named proposals and prints where
// they stand then. It stops at the first that refuses; those before it have
// moved.
func (a *app) eachProposal(ctx context.Context, refs []string, act func(context.Context, session, proposals.ID) (proposals.Proposal, error)) error {
	b, ids, err := a.openProposals(ctx, refs)
	if err != nil {
		return err
	}
	moved := make([]proposals.Proposal, 0, len(ids))
	for _, id := range ids {
		p, err := act(ctx, b, id)
		if err != nil {
			return err
		}
		moved = append(moved, p)
	}
	return a.printMoved(moved, nil)
}

// noteFlags take a text from the command line, a file or standard input.
type noteFlags struct{ text, file string }

func (n *noteFlags) register(set *pflag.FlagSet) {
	set.StringVar(&n.text, "note", "", "the reason, or a note for the record")
	set.StringVar(&n.file, "note-file", "", "read the note from `FILE`, - for standard input")
}

func (n *noteFlags) read(ctx context.Context, a *app) (string, error) {
	if n.file == "" {
		return n.text, nil
	}
	if n.text != "" {
		return "", usagef("--note and --note-file exclude each other")
	}
	b, err := a.readAll(ctx, n.file)
	return strings.TrimSpace(string(b)), err
}

// Account is the account that runs the process, as the operating system knows it.
// It depends on no environment variable: the caller of a program chooses those.
type Account struct {
	history.Account
	Home string // as the account database has it; "" when it has no entry
}

// account returns who runs the process.
func (e Env) account() Account {
	if e.Account != nil {
		return e.Account()
	}
	return systemAccount()
}

// systemAccount asks the account database by number. Without cgo, os/user.Current
// would fill gaps from USER and HOME, which is to be avoided here.
func systemAccount() Account {
	var a Account
	a.Host, _ = os.Hostname() // "" is recorded as unknown
	var entry *user.User
	var err error
	if uid := os.Getuid(); uid >= 0 {
		a.UID = strconv.Itoa(uid)
		entry, err = user.LookupId(a.UID)
	} else if entry, err = user.Current(); err == nil { // Windows, which asks the process's token
		a.UID = entry.Uid
	}
	if err == nil {
		a.Login, a.Home = entry.Username, entry.HomeDir
	}
	return a
}

// loginName is the login name of the account, in the form of an actor's name. An
// account without an entry has its number.
func loginName(env Env) string {
	a := env.account()
	if a.Login == "" {
		return proposals.ActorName("uid-" + a.UID)
	}
	return proposals.ActorName(a.Login[strings.LastIndexByte(a.Login, '\\')+1:]) // DOMAIN\name
}

// principal is who acts when nobody is named: the user or agent that the login of the
// database names, which the server has authenticated, else the user of the account.
func (c config) principal(env Env) proposals.Actor {
	if login, err := store.Login(c.DB); err == nil && login != "" { // opening it reports the error
		if actor, err := proposals.ParseActor(login); err == nil && (actor.Kind == proposals.User || actor.Kind == proposals.Agent) {
			return actor
		}
	}
	return proposals.Actor{Kind: proposals.User, Name: loginName(env)}
}

// user returns the name of the user for whom something is done when none is named.
func (c config) user(env Env) string {
	if actor := c.principal(env); actor.Kind == proposals.User {
		return actor.Name
	}
	return loginName(env)
}

// users are the users that the account may act as: its own first, then those that the
// user's own file names.
func (c config) users(env Env) []string {
	return append([]string{proposals.Actor{Kind: proposals.User, Name: c.user(env)}.String()}, c.MayActAs...)
}

// notUser reports whether name is not a user.
func notUser(name string) bool {
	actor, err := proposals.ParseActor(name)
	return err != nil || actor.Kind != proposals.User || actor.String() != name
}

// errNoHome is wrapped when a default path is needed and there is no home
// folder that it could lie in.
var errNoHome = errors.New("there is no home folder")

// home returns the user's home folder, which is absolute: what HOME says, or
// else the account database. A relative HOME would make files of the working
// directory the user's own, so it counts as none.
func (e Env) home() (string, error) {
	if dir := e.Getenv("HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	a := e.account()
	if filepath.IsAbs(a.Home) {
		return a.Home, nil
	}
	why := "HOME is not set"
	if dir := e.Getenv("HOME"); dir != "" {
		why = fmt.Sprintf("HOME is %q, which is not absolute", dir)
	}
	return "", fmt.Errorf("%w: %s, and the account database has none for uid %s; set HOME to an absolute path", errNoHome, why, a.UID)
}

// The default folders follow the XDG Base Directory Specification, 0.8, and on Windows,
// where its variables are not set, the known folders: settings roam with the account,
// the database does not.
func configHome(env Env) (string, error) { return xdg(env, "XDG_CONFIG_HOME", ".config", "APPDATA") }

func dataHome(env Env) (string, error) {
	return xdg(env, "XDG_DATA_HOME", filepath.Join(".local", "share"), "LOCALAPPDATA")
}

func stateHome(env Env) (string, error) {
	return xdg(env, "XDG_STATE_HOME", filepath.Join(".local", "state"), "LOCALAPPDATA")
}

// xdg returns an absolute folder. A relative value of a variable is ignored, as the
// specification demands.
func xdg(env Env, variable, fallback, windows string) (string, error) {
	if dir := env.Getenv(variable); filepath.IsAbs(dir) {
		return dir, nil
	}
	if dir := env.Getenv(windows); env.Windows && filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := env.home()
	if err != nil {
		return "", fmt.Errorf("%w, or set %s", err, variable)
	}
	return filepath.Join(home, fallback), nil
}

var errTwoFilters = errors.New("write one of --jq and --template")

// setJQ takes --jq, which is of the document of --json. A program can read neither
// files nor the environment.
func (f *format) setJQ(text string) error {
	if f.template != nil {
		return errTwoFilters
	}
	q, err := gojq.Parse(text)
	if err != nil {
		return err
	}
	f.jq, err = gojq.Compile(q)
	f.json = f.json || err == nil
	return err
}

// maxFiltered limits how many bytes --jq prints.
const maxFiltered = 256 << 20

// printJQ writes what --jq makes of a document, one value per line: texts as they
// are, all others as JSON.
func (a *printer) printJQ(text []byte) error {
	doc, err := decodeDocument(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for values := a.form.jq.RunWithContext(a.running, doc); ; {
		v, ok := values.Next()
		if !ok {
			break
		}
		if err, failed := v.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				break
			}
			return usagef("the command succeeded, but --jq cannot print its document: %v", err)
		}
		if out.Len() > maxFiltered {
			return usagef("the command succeeded, but --jq cannot print its document: it makes more than %d MiB", maxFiltered>>20)
		}
		if s, ok := v.(string); ok {
			out.WriteString(visible.Text(s) + "\n")
			continue
		}
		line, err := gojq.Marshal(v)
		if err != nil {
			return err
		}
		out.Write(append(visible.JSON(line), '\n'))
	}
	_, err = a.env.Out.Write(out.Bytes())
	return err
}

// decodeDocument decodes a document with its numbers as they are written.
func decodeDocument(text []byte) (doc any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&doc)
	return doc, err
}
