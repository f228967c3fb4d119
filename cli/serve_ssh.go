package cli

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

	"github.com/anmitsu/go-shlex"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"toolcrib/history"
	"toolcrib/internal/sshdoor"
	"toolcrib/proposals"
	"toolcrib/signing/signers"
	"toolcrib/store"
)

// sshServing runs the sessions of users who come in over SSH.
type sshServing struct {
	app    *app
	shared remote // the parts that all sessions share
	state  string // folder of the users' unsent texts
	server *sshdoor.Server
	listen net.Listener
	close  func() error
}

// openSSH opens the listener of --ssh, and what its sessions share.
func (f serveFlags) openSSH(ctx context.Context, a *app, log *slog.Logger) (_ *sshServing, err error) {
	c := *a.config
	if _, err := c.signers.Signers(); err != nil {
		return nil, fmt.Errorf("--ssh knows users by the signers file: %w; toolcrib signers init makes it", err)
	}
	key, err := a.hostKey(log)
	if err != nil {
		return nil, err
	}
	s := &sshServing{app: a}
	if s.state, err = stateHome(a.env); err != nil {
		return nil, err
	}
	// What an account chooses for its own screen and its own key is not for others.
	c.Theme, c.Keys, c.Accessible, c.SignKey, c.MayActAs = "", nil, false, "", nil
	c.signAlways = true
	forAll := &app{env: a.env, config: &c, db: a.db}
	s.shared = remote{config: c, db: a.db, workspace: a.workspace}
	if s.shared.desk, err = forAll.openDesk(ctx); err != nil {
		return nil, err
	}
	if s.shared.gateway, err = forAll.gatewayWith(ctx, func(line string) { log.Warn(line) }); err != nil {
		return nil, err
	}
	s.close = s.shared.gateway.Close
	if s.listen, err = new(net.ListenConfig).Listen(ctx, "tcp", f.ssh); err != nil {
		return nil, errors.Join(fmt.Errorf("--ssh: %w", err), s.close())
	}
	limits := sshdoor.Defaults()
	limits.SessionsPerKey, limits.Idle = f.sshSessions, f.sshIdle
	s.server = sshdoor.New(sshdoor.Config{HostKey: key, Identify: s.identify, Run: s.run, Browses: browses, Limits: limits, Logger: log, Now: a.env.Now})
	log.Info("serving", "address", (&url.URL{Scheme: "ssh", Host: s.listen.Addr().String()}).String(), "host_key", gossh.FingerprintSHA256(key.PublicKey()))
	return s, nil
}

// hostKeyFile is the name of the host key beside the default database.
const hostKeyFile = "ssh_host_ed25519_key"

// hostKey returns the host key of the account, and makes it at the first start.
func (a *app) hostKey(log *slog.Logger) (gossh.Signer, error) {
	home, err := dataHome(a.env)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(home, "toolcrib", hostKeyFile)
	_, missing := os.Lstat(file)
	key, err := sshdoor.HostKey(file)
	if err == nil && missing != nil {
		log.Info("made a host key", "file", file)
	}
	return key, err
}

// serve lets users in until ctx ends, and publishes checkpoints of their
// decisions.
func (s *sshServing) serve(ctx context.Context) error {
	if s.app.config.Checkpoints.name() != "" {
		s.shared.checkpoint = &checkpointState{app: s.app}
		defer s.app.publishMeanwhile(ctx, s.shared.checkpoint)()
	}
	return errors.Join(s.server.Serve(ctx, s.listen), s.close())
}

// identify returns the user of a key, by the present signers file.
func (s *sshServing) identify(login string, key gossh.PublicKey) (string, error) {
	who, err := s.shared.config.signers.Signers()
	if err != nil {
		return "", errors.New("the signers file of the server cannot be used; nobody can log in")
	}
	principal, err := who.Principal(login, key, s.app.env.Now())
	switch {
	case errors.Is(err, signers.ErrUnknownKey):
		return "", fmt.Errorf("%w; a maintainer adds it with toolcrib signers add", err)
	case err != nil:
		return "", err
	case notUser(principal):
		return "", fmt.Errorf("the signers file has the key for %q, which is not a user", principal)
	}
	return principal, nil
}

// run runs the program for a session.
func (s *sshServing) run(ctx context.Context, c *sshdoor.Session) int {
	actor, err := proposals.ParseActor(c.Principal)
	if err != nil {
		fmt.Fprintf(c.Err, "toolcrib: %v\n", err)
		return exitRefused
	}
	r := s.shared
	r.actor, r.agent, r.size, r.resized, r.environ = actor, c.Agent, c.Size, c.Resized, c.Environ()
	r.drafts = filepath.Join(s.state, "toolcrib", "drafts-ssh", actor.Name)
	r.ran = func(command string) { c.Ran = command }
	args, wrong := splitCommand(c.Command)
	base := s.app.env
	env := Env{
		Args: args, In: c.In, Out: c.Out, Err: c.Err, Getenv: c.Getenv, Dir: os.DevNull, // in which there is no file
		Now: base.Now, NewID: base.NewID, System: base.System, InTerminal: c.Terminal(), OutTerminal: c.Terminal(),
		Account: func() Account { return Account{Account: history.Account{Login: actor.Name}} },
	}
	if c.Terminal() {
		env.In = typedLines(c.In, c.Out)
	}
	ctx = store.Acting(ctx, "ssh "+c.Key, actor.String())
	a := newApp(ctx, env)
	a.keyboard, a.remote = c.In, &r
	if wrong != nil {
		return report(a.env, false, usagef("the command cannot be read: a quote or a backslash has no end"))
	}
	return a.run(ctx)
}

// splitCommand returns the arguments of a command as a client sent it.
func splitCommand(command string) ([]string, error) {
	args, err := shlex.Split(command, true)
	if len(args) > 0 && args[0] == "toolcrib" {
		args = args[1:]
	}
	return args, err
}

// browses reports whether a command opens the workbench.
func browses(command string) bool {
	args, err := splitCommand(command)
	if err != nil {
		return false
	}
	root := Commands()
	found, rest, err := root.Find(args)
	if err != nil || found != root || root.ParseFlags(rest) != nil {
		return false
	}
	other := false
	for _, flag := range []string{"approve", "help", "version"} {
		other = other || root.Flags().Changed(flag)
	}
	return !other && root.Flags().NArg() == 0
}

// typedLines reads lines from a terminal in raw mode, and echoes them there.
func typedLines(in io.Reader, out io.Writer) io.Reader {
	typed := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "")
	var rest []byte
	return readerFunc(func(p []byte) (int, error) {
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
