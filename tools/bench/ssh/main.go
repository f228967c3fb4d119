// Command ssh measures toolcrib serve --ssh with many workbenches that browse at once:
// how long a key takes until its screen comes, and how much memory a session takes.
//
//	go build -o /tmp/toolcrib . && go run ./tools/bench/seed -tools 1000 -waiting 10000 /tmp/crowd.db
//	go run ./tools/bench/ssh -pause 500ms /tmp/toolcrib /tmp/crowd.db
package main

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolcrib/tools/bench/program"

	"golang.org/x/crypto/ssh"
)

func main() {
	sessions := flag.Int("sessions", 50, "workbenches")
	keys := flag.Int("keys", 100, "keys pressed in each")
	pause := flag.Duration("pause", 500*time.Millisecond, "between two keys of a session")
	flag.Parse()
	if err := run(context.Background(), flag.Args(), *sessions, *keys, *pause); err != nil {
		fmt.Fprintln(os.Stderr, "ssh:", err)
		os.Exit(1)
	}
}

// bench is a server with a user who may log in.
type bench struct {
	program.Program

	key  ssh.Signer
	addr string
	pid  int
}

func run(ctx context.Context, args []string, sessions, keys int, pause time.Duration) error {
	if len(args) != 2 {
		return errors.New("usage: ssh [-sessions N] [-keys N] [-pause D] TOOLCRIB DATABASE")
	}
	dir, err := os.MkdirTemp("", "ssh")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a scratch folder
	b := &bench{Program: program.Program{Path: args[0], Home: dir, Database: args[1]}}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := b.start(ctx, sessions); err != nil {
		return err
	}
	client, err := ssh.Dial("tcp", b.addr, &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(b.key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()}) //nolint:gosec // of this process
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // nothing is written
	before := b.memory()
	all := make([]*workbench, sessions)
	for i := range all {
		if all[i], err = open(client); err != nil {
			return err
		}
	}
	const rest = 5 * time.Second
	worked := b.worked()
	time.Sleep(rest) // nobody presses a key
	fmt.Printf("processor at rest: %s a second\n", ((b.worked() - worked) / 5).Round(time.Millisecond))
	worked = b.worked()
	var mu sync.Mutex
	var plain, esc []time.Duration
	var done sync.WaitGroup
	for i, w := range all {
		done.Go(func() {
			time.Sleep(pause * time.Duration(i) / time.Duration(sessions)) // people do not press in step
			mine, escaped := w.browse(keys, pause)
			mu.Lock()
			plain, esc = append(plain, mine...), append(esc, escaped...)
			mu.Unlock()
		})
	}
	done.Wait()
	after := b.memory()
	fmt.Printf("%d sessions, %d keys: %s\n", sessions, len(plain), program.Quantiles(plain))
	fmt.Printf("esc, %d times: %s\n", len(esc), program.Quantiles(esc))
	fmt.Printf("processor: %s a key\n", ((b.worked() - worked) / time.Duration(len(plain)+len(esc))).Round(10*time.Microsecond))
	fmt.Printf("memory %d MB before, %d MB after: %.1f MB a session\n", before>>10, after>>10, float64(after-before)/1024/float64(sessions))
	return nil
}

// start names the key a signer and starts the server.
func (b *bench) start(ctx context.Context, sessions int) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	if b.key, err = ssh.NewSignerFromKey(private); err != nil {
		return err
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return err
	}
	settings := filepath.Join(b.Home, ".config", "toolcrib")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return err
	}
	line := "user:mara " + string(ssh.MarshalAuthorizedKey(b.key.PublicKey()))
	err = errors.Join(os.WriteFile(filepath.Join(b.Home, "key"), pem.EncodeToMemory(block), 0o600), os.WriteFile(filepath.Join(settings, "allowed_signers"), []byte(line), 0o600))
	if err != nil {
		return err
	}
	cmd := b.Command(ctx, "serve", "--ssh", "127.0.0.1:0", "--http", "127.0.0.1:0", "--ssh-sessions", strconv.Itoa(sessions))
	errs, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	b.pid = cmd.Process.Pid
	lines := bufio.NewReader(errs)
	for b.addr == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("%w: %s", err, line)
		}
		if found := regexp.MustCompile(`ssh://(\S+)`).FindStringSubmatch(line); found != nil {
			b.addr = found[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return nil
}

// memory returns the resident memory of the server in KiB (proc(5)); 0 where the
// system does not say.
func (b *bench) memory() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0]) // 0 where it is no number
			return kib
		}
	}
	return 0
}

// worked returns how long the server has used a processor; 0 where the system does not
// say.
func (b *bench) worked() time.Duration {
	d, _ := program.Worked(b.pid) // an error comes with 0
	return d
}

// workbench is one session.
type workbench struct {
	keys io.Writer
	seen chan time.Time // when something came
}

func open(client *ssh.Client) (*workbench, error) {
	session, err := client.NewSession()
	if err != nil {
		return nil, err
	}
	w := &workbench{seen: make(chan time.Time, 1)}
	session.Stdout = w
	if w.keys, err = session.StdinPipe(); err != nil {
		return nil, err
	}
	if err := session.RequestPty("xterm-256color", 40, 120, nil); err != nil {
		return nil, err
	}
	if err := session.Shell(); err != nil {
		return nil, err
	}
	<-w.seen
	return w, nil
}

// Write implements io.Writer for the output that the server sends to the terminal.
func (w *workbench) Write(p []byte) (int, error) {
	select {
	case w.seen <- time.Now():
	default:
	}
	return len(p), nil
}

// browse goes through the queue and the proposals, and returns how long each key took
// until the screen began to change. The key esc is counted apart: a terminal that sends
// it as a single byte makes every program wait before it may take the byte for a key and
// not for the start of one (Bubble Tea: 50 ms).
func (w *workbench) browse(n int, pause time.Duration) (plain, esc []time.Duration) {
	const way = "jjjjjjj\r2341\x1b" // through the queue, into a proposal, its tabs, and back: each changes the screen
	for i := range n {
		time.Sleep(pause)
		select {
		case <-w.seen: // of before
		default:
		}
		key := way[i%len(way) : i%len(way)+1]
		began := time.Now()
		if _, err := io.WriteString(w.keys, key); err != nil {
			return plain, esc
		}
		took := 5 * time.Second // counts for a screen that has not come by then
		select {
		case at := <-w.seen:
			took = at.Sub(began)
		case <-time.After(took):
		}
		if key == "\x1b" {
			esc = append(esc, took)
		} else {
			plain = append(plain, took)
		}
	}
	return plain, esc
}
