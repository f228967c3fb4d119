// This file serves the workbench and some commands to users over SSH.

package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/history"
	"toolcrib/internal/sshserver"
	"toolcrib/proposals"
	"toolcrib/signing/signers"
	"toolcrib/store/session"
)

// Offer describes whether a command is available over SSH, and with which flags.
type Offer struct {
	Flags string // allowed flags besides the common ones; "name-" allows only the value "-"
	why   string // the reason why the command is not available, or "" if it is
}

// Reasons why a command is not available over SSH.
const (
	ofServerFiles    = "it reads or writes files of the server"
	ofServerPrograms = "it starts programs on the server"
	ofServerAccount  = "it concerns the account and the settings of the server"
	ofServerKeys     = "it concerns the keys of the server; run toolcrib sign where your key is"
)

// Offers returns an Offer for each known command. Over SSH, commands and flags that are not in the result are rejected.
func Offers() map[string]Offer {
	const (
		decided = "expect note note-file- print-statement statement- signature-"
		catalog = "after all as-of category filter limit source-"
	)
	files, programs, account, keys := Offer{why: ofServerFiles}, Offer{why: ofServerPrograms}, Offer{why: ofServerAccount}, Offer{why: ofServerKeys}
	return map[string]Offer{
		"": {Flags: "approve unseen version " + decided}, "help": {}, "version": {}, "rules": {}, "schema": {},

		"propose": {Flags: "draft"}, "revise": {}, "submit": {}, "withdraw": {Flags: "note note-file-"}, "rebase": {}, "regroup": {Flags: "alone into"},
		"fork": {Flags: "layer"}, "assign": {Flags: "to"}, "rollback": {Flags: "note note-file- submit"}, "comment": {Flags: "field line note note-file- revision"},
		"import": {Flags: "change-set draft layer"}, "canonicalize": {Flags: "change-set"},

		"list": {Flags: "after author filter limit sort state subject view"}, "show": {Flags: "source-"}, "diff": {Flags: "context side-by-side"},
		"review":  {Flags: "again file-"},
		"preview": {Flags: "agent at channel context- deferred no-embedding not-local reference show skip-tools"},
		"lint":    {Flags: "fail-on format server"},
		"policy":  {}, "policy test": {},

		"approve": {Flags: "unseen " + decided}, "needs-changes": {Flags: decided}, "reject": {Flags: decided},
		"waive": {Flags: "expires note note-file- print-statement statement- signature-"}, "unwaive": {Flags: "note note-file- print-statement statement- signature-"},

		"reach": {Flags: "kind"}, "exclude": {Flags: "path pattern none"}, "tools": {Flags: catalog}, "agents": {Flags: catalog}, "lists": {Flags: catalog}, "history": {Flags: "before limit"}, "blame": {}, "log": {Flags: "before limit"},
		"resolve": {Flags: "agent explain local no-deferred no-embedding"}, "export": {Flags: "agent as-of deferred format local no-embedding server"},
		"check": {Flags: "agent code- format local no-embedding partial server"}, "parse": {Flags: "agent customer local no-embedding nonce protocol user"},
		"verify": {Flags: "checkpoint-"},
		"calls":  {Flags: "agent all before limit user"}, "calls list": {Flags: "agent all before limit user"}, "calls show": {},
		"calls log": {Flags: "agent annotation before code limit tool user"}, "calls policy": {Flags: "print-statement statement- signature-"},
		"calls approve": {Flags: "expect print-statement statement- signature-"}, "calls refuse": {Flags: "note note-file- print-statement statement- signature-"},

		"backup": files, "publish": files, "follow": files, "files": files, "restore": files, "migrate": files, "drift": files, "init": files, "wrap": files, "unwrap": files, "status": files, "guard": files, "demo": files, "checkpoint": files,
		"mcp": programs, "serve": programs, "watch": programs, "exec": programs,
		"config": account, "doctor": account, "trust": account, "untrust": account, "calls prune": files, "tokens": account, "tokens create": account, "tokens list": account, "tokens revoke": account,
		"completion": account, "completion bash": account, "completion fish": account, "completion powershell": account, "completion zsh": account,
		"sign": keys, "signers": keys, "signers add": keys, "signers init": keys, "signers list": keys, "signers record": keys, "signers remove": keys, "signers renew": {Flags: "change-set"}, "signers verify": keys,
	}
}

// common lists the flags that every command accepts over SSH. Other global flags, such as --as, --db, and --workspace,
// are not accepted.
const common = "help json no-color dry-run project accessible"

// Restrict rejects and hides the commands and flags that are not available over SSH.
func Restrict(a *command.App, root *cobra.Command) {
	table := Offers()
	name := func(c *cobra.Command) string {
		return strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), root.Name()))
	}
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		o, known := table[name(c)]
		if !known {
			o.why = ofServerAccount
		}
		if o.why != "" {
			return fmt.Errorf("toolcrib %s is %w: %s", name(c), command.ErrRemote, o.why)
		}
		a.Remote.Ran(name(c))
		var err error // error for the first flag that is not available, or that refers to a file on the server
		c.Flags().Visit(func(f *pflag.Flag) {
			switch {
			case err != nil:
			case !o.takes(f.Name):
				err = fmt.Errorf("--%s is %w: %s", f.Name, command.ErrRemote, ofServerFiles)
			case slices.Contains(strings.Fields(o.Flags), f.Name+"-") && f.Value.String() != "-" && f.Value.String() != "[-]":
				err = fmt.Errorf("--%s: %w", f.Name, command.ErrServerFile)
			}
		})
		return err
	}
	var hide func(*cobra.Command)
	hide = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			sub.Hidden = sub.Hidden || table[name(sub)].why != ""
			hide(sub)
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || !table[name(c)].takes(f.Name) })
	}
	hide(root)
	for _, flag := range strings.Fields("as db workspace jq no-pager") {
		root.PersistentFlags().Lookup(flag).Hidden = true
	}
}

// takes reports whether the command accepts the given flag over SSH.
func (o Offer) takes(flag string) bool {
	return slices.ContainsFunc(strings.Fields(common+" "+o.Flags), func(f string) bool { return strings.TrimSuffix(f, "-") == flag })
}

// sshServing runs the SSH sessions of users.
type sshServing struct {
	app    *command.App
	shared command.Remote // shared by all sessions
	state  string         // folder for the users' unsent texts
	server *sshserver.Server
	listen net.Listener
	close  func() error
}

// openSSH opens the listener for --ssh and the resources that all sessions share.
func (f serveFlags) openSSH(ctx context.Context, a *command.App, log *slog.Logger) (_ *sshServing, err error) {
	c := *a.Config
	if _, err := c.Signers.Signers(); err != nil {
		return nil, fmt.Errorf("--ssh needs the signers file to identify users: %w; create the file with toolcrib signers init", err)
	}
	home, err := process.DataHome(a.Env)
	if err != nil {
		return nil, err
	}
	keyFile := filepath.Join(home, "toolcrib", "ssh_host_ed25519_key")
	_, missing := os.Lstat(keyFile)
	key, err := sshserver.HostKey(keyFile) // HostKey creates the key when the server first starts
	if err != nil {
		return nil, err
	}
	if missing != nil {
		log.Info("created a host key", "file", keyFile)
	}
	s := &sshServing{app: a}
	if s.state, err = process.StateHome(a.Env); err != nil {
		return nil, err
	}
	// Remove the settings for the screen and the key of the server's account. They do not apply to other users.
	c.Theme, c.Keys, c.Accessible, c.SignKey, c.MayActAs = "", nil, false, "", nil
	c.SignAlways = true
	forAll := &command.App{Printer: &output.Printer{Env: a.Env}, Config: &c, DB: a.DB}
	s.shared = command.Remote{Config: c, DB: a.DB, Workspace: a.Workspace}
	if s.shared.Desk, err = forAll.OpenDesk(ctx); err != nil {
		return nil, err
	}
	if s.shared.Gateway, err = forAll.GatewayWith(ctx, func(line string) { log.Warn(line) }); err != nil {
		return nil, err
	}
	s.close = s.shared.Gateway.Close
	if s.listen, err = new(net.ListenConfig).Listen(ctx, "tcp", f.ssh); err != nil {
		return nil, errors.Join(fmt.Errorf("--ssh: %w", err), s.close())
	}
	limits := sshserver.Defaults()
	limits.SessionsPerKey, limits.Idle = f.sshSessions, f.sshIdle
	s.server = sshserver.New(sshserver.Config{HostKey: key, Identify: s.identify, Run: s.run, Browses: func(command string) bool { return browses(a.Program, command) }, Limits: limits, Logger: log, Now: a.Env.Now})
	log.Info("serving", "address", (&url.URL{Scheme: "ssh", Host: s.listen.Addr().String()}).String(), "host_key", gossh.FingerprintSHA256(key.PublicKey()))
	return s, nil
}

// identify returns the user to whom the signers file currently assigns the given key.
func (s *sshServing) identify(login string, key gossh.PublicKey) (string, error) {
	who, err := s.shared.Config.Signers.Signers()
	if err != nil {
		return "", errors.New("the signers file of the server is not usable, so no user can log in")
	}
	principal, err := who.Principal(login, key, s.app.Env.Now())
	switch {
	case errors.Is(err, signers.ErrUnknownKey):
		return "", fmt.Errorf("%w; a maintainer can add the key with toolcrib signers add", err)
	case err != nil:
		return "", err
	case process.NotUser(principal):
		return "", fmt.Errorf("the signers file assigns the key to %q, which is not a user", principal)
	}
	return principal, nil
}

// run runs the command of the session c and returns its exit status.
func (s *sshServing) run(ctx context.Context, c *sshserver.Session) int {
	actor, err := proposals.ParseActor(c.Principal)
	if err != nil {
		fmt.Fprintf(c.Err, "toolcrib: %v\n", err)
		return command.ExitRefused
	}
	r := s.shared
	r.Actor, r.Agent, r.Size, r.Resized, r.Environ = actor, c.Agent, c.Size, c.Resized, c.Environ()
	r.Drafts = filepath.Join(s.state, "toolcrib", "drafts-ssh", actor.Name)
	r.Ran = func(command string) { c.Ran = command }
	args, wrong := splitCommand(c.Command)
	base := s.app.Env
	env := process.Env{
		Args: args, In: c.In, Out: c.Out, Err: c.Err, Getenv: c.Getenv, Dir: os.DevNull, // relative paths must not refer to files of the server
		Now: base.Now, NewID: base.NewID, System: base.System, InTerminal: c.Terminal(), OutTerminal: c.Terminal(),
		Account: func() process.Account { return process.Account{Account: history.Account{Login: actor.Name}} },
	}
	if c.Terminal() {
		env.In = typedLines(c.In, c.Out)
	}
	ctx = session.Acting(ctx, "ssh "+c.Key, actor.String())
	a := command.New(ctx, env, s.app.Program)
	a.Keyboard, a.Remote, a.OverSSH = c.In, &r, true
	if wrong != nil {
		return command.Report(a.Env, false, process.Usagef("cannot parse the command: a quotation mark is not closed, or a backslash is at the end"))
	}
	return a.Program.Run(ctx, a)
}

// splitCommand splits the command that a client sent into its arguments. It removes a leading "toolcrib".
func splitCommand(command string) ([]string, error) {
	args, err := process.Words(command)
	if len(args) > 0 && args[0] == "toolcrib" {
		args = args[1:]
	}
	return args, err
}

// browses reports whether line is a command that opens the workbench.
func browses(p command.Program, line string) bool {
	args, err := splitCommand(line)
	if err != nil {
		return false
	}
	root := p.Root(&command.App{Printer: &output.Printer{Env: process.Env{Getenv: func(string) string { return "" }}}})
	found, rest, err := root.Find(args)
	if err != nil || found != root || root.ParseFlags(rest) != nil {
		return false
	}
	return root.Flags().NArg() == 0 && !slices.ContainsFunc([]string{"approve", "help", "version"}, root.Flags().Changed)
}

// typedLines returns a reader of the lines that a user types in a terminal in raw mode. It echoes the input to out.
func typedLines(in io.Reader, out io.Writer) io.Reader {
	typed := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "")
	var rest []byte
	return process.ReaderFunc(func(p []byte) (int, error) {
		if len(rest) == 0 {
			line, err := typed.ReadLine()
			if err != nil {
				return 0, err
			}
			rest = []byte(line + "\n")
		}
		n := copy(p, rest)
		rest = rest[n:]
		return n, nil
	})
}
