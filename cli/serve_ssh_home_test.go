package cli_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/signing/signingtest"
)

// sshHome is a server with users who connect over SSH.
type sshHome struct {
	testHome
	addr  string
	hosts ssh.HostKeyCallback
	keys  map[string]signingtest.Key // by user
	log   *logLines
	stop  func() (code int)
}

// logLines is a log in which tests can wait for text.
type logLines struct {
	mu    sync.Mutex
	lines bytes.Buffer
	more  chan struct{}
	shown *vt.Emulator // the terminal that shows the lines, or nil for a log
}

// newScreen returns the lines of an emulated terminal, which does not respond to queries. Tests wait for text on the
// screen, not in the output, because a program may draw only changed cells.
func newScreen(t *testing.T, width, height int) *logLines {
	t.Helper()
	l := &logLines{more: make(chan struct{}), shown: vt.NewEmulator(width, height)}
	go func() { _, _ = io.Copy(io.Discard, l.shown) }()               // its responses
	t.Cleanup(func() { _ = l.shown.InputPipe().(io.Closer).Close() }) // ends the copy; Close is not safe during Read
	return l
}

// resize changes the size of the terminal.
func (l *logLines) resize(width, height int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown.Resize(width, height)
}

// text returns the content of the screen, or the whole log.
func (l *logLines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown != nil {
		return l.shown.String()
	}
	return l.lines.String()
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.Write(p)
	if l.shown != nil {
		if _, err := l.shown.Write(p); err != nil {
			return 0, err
		}
	}
	close(l.more)
	l.more = make(chan struct{})
	return len(p), nil
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

// wait waits until a pattern matches in the log or on the screen, and returns the match.
func (l *logLines) wait(t testing.TB, pattern string) []string {
	t.Helper()
	found := l.find(pattern)
	if found == nil {
		t.Fatalf("no %s in:\n%s", pattern, l.text())
	}
	return found
}

// find is like wait, for goroutines of a test. It returns nil if the text does not appear.
func (l *logLines) find(pattern string) []string {
	hanging := time.After(4 * time.Minute) // ends a failing test
	for {
		l.mu.Lock()
		more := l.more
		l.mu.Unlock()
		if found := regexp.MustCompile(pattern).FindStringSubmatch(l.text()); found != nil {
			return found
		}
		select {
		case <-more:
		case <-hanging:
			return nil
		}
	}
}

// serveSSH starts a server with the open proposal #2, to which mara and ada can log in.
func serveSSH(t *testing.T) *sshHome {
	t.Helper()
	home := &sshHome{testHome: newTestHome(t, ""), keys: map[string]signingtest.Key{}, log: &logLines{more: make(chan struct{})}}
	mara, ada := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ecdsa-256")
	home.keys["mara"], home.keys["ada"] = mara, ada
	file := mara.Write(t, "")
	home.must("signers", "init", "--as", "user:mara", "--sign-key", file)
	home.must("propose", "--as", "agent:drafter", "../../demo.json")
	home.must("show", "#1", "--as", "user:mara")
	home.must("approve", "#1", "--as", "user:mara", "--sign-key", file)
	home.must("signers", "add", "user:ada", ada.Write(t, "")+".pub", "--as", "user:mara", "--sign-key", file)
	home.must("propose", "--as", "agent:drafter", "open.json")
	home.start()
	return home
}

func (h *sshHome) start(args ...string) {
	h.Helper()
	dir, err := os.MkdirTemp("", "s") //nolint:usetesting // a socket's path is short
	if err != nil {
		h.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Main(ctx, process.Env{
			Args: append([]string{"serve", "--ssh", "127.0.0.1:0", "--socket", filepath.Join(dir, "s"), "--log-level", "debug"}, args...),
			In:   strings.NewReader(""), Out: io.Discard, Err: h.log, Dir: h.dir, Now: time.Now, MinWait: longest, NewID: newID, Account: loggedIn(nil),
			Getenv: func(name string) string {
				return map[string]string{"HOME": filepath.Join(h.dir, "home"), "SECRET": secretOfServer, "EDITOR": "false", "VISUAL": "false", "PAGER": "false", "SSH_AUTH_SOCK": "/none"}[name]
			},
		})
	}()
	h.stop = sync.OnceValue(func() int {
		cancel()
		defer os.RemoveAll(dir) //nolint:errcheck // a folder of the test
		return <-ended
	})
	h.Cleanup(func() { h.stop() })
	found := h.log.wait(h, `address=ssh://(\S+) host_key=(\S+)`)
	h.addr = found[1]
	h.hosts = func(_ string, _ net.Addr, key ssh.PublicKey) error {
		if ssh.FingerprintSHA256(key) != found[2] {
			return errors.New("another host key than the one that was printed")
		}
		return nil
	}
	h.log.wait(h, `address=unix:`)
}

const secretOfServer = "secret-of-the-server"

// dial connects as a user.
func (h *sshHome) dial(user string) *ssh.Client {
	h.Helper()
	client, err := h.login(user, h.keys[user])
	if err != nil {
		h.Fatalf("%s: %v", user, err)
	}
	h.Cleanup(func() { _ = client.Close() })
	return client
}

func (h *sshHome) login(name string, key ssh.Signer, change ...func(*ssh.ClientConfig)) (*ssh.Client, error) {
	c := &ssh.ClientConfig{User: name, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: h.hosts, Timeout: time.Minute}
	for _, f := range change {
		f(c)
	}
	return ssh.Dial("tcp", h.addr, c)
}

// answer is the output of a command and its exit status.
type answer struct {
	out, errs string
	code      int
}

// ask runs a command in a session of a client, with the client's agent if it has one.
func (h *sshHome) ask(client *ssh.Client, in, command string, with ...func(*ssh.Session)) answer {
	h.Helper()
	session, err := client.NewSession()
	if err != nil {
		h.Fatal(err)
	}
	defer session.Close() //nolint:errcheck // it has ended
	for _, f := range with {
		f(session)
	}
	var out, errs bytes.Buffer
	session.Stdin, session.Stdout, session.Stderr = strings.NewReader(in), &out, &errs
	err = session.Run(command)
	var status *ssh.ExitError
	a := answer{out: out.String(), errs: errs.String()}
	switch {
	case errors.As(err, &status):
		a.code = status.ExitStatus()
	case err != nil:
		h.Fatalf("%s: %v: %s\n%s", command, err, a.errs, h.log)
	}
	if strings.Contains(a.out+a.errs, secretOfServer) || !strings.Contains(command, h.dir) && strings.Contains(a.out+a.errs, h.dir) {
		h.Errorf("%s tells of the server: %s%s", command, a.out, a.errs)
	}
	return a
}

// as runs a command as a user with a forwarded agent that contains the user's key.
func (h *sshHome) as(user, in, command string) answer {
	h.Helper()
	client := h.dial(user)
	defer client.Close() //nolint:errcheck // it has ended
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: h.keys[user].Private()}); err != nil {
		h.Fatal(err)
	}
	if err := agent.ForwardToAgent(client, keyring); err != nil {
		h.Fatal(err)
	}
	return h.ask(client, in, command, func(s *ssh.Session) {
		if err := agent.RequestAgentForwarding(s); err != nil {
			h.Fatal(err)
		}
	})
}

// wants checks the exit status and the output of a command.
func (h *sshHome) wants(a answer, code int, texts ...string) answer {
	h.Helper()
	for _, text := range texts {
		if !strings.Contains(a.out+a.errs, text) {
			h.Errorf("no %q in %s%s", text, a.out, a.errs)
		}
	}
	if a.code != code {
		h.Errorf("exit status %d, want %d: %s%s", a.code, code, a.out, a.errs)
	}
	return a
}
