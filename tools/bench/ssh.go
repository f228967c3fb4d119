package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/store/storetest"
)

// prepareSSH measures toolcrib serve --ssh with many workbenches that browse at once:
// how long a key takes until its screen comes, and how much memory a session takes.
func prepareSSH(flags *flag.FlagSet) func(context.Context, lab) error {
	waiting := flags.Int("waiting", 10_000, "proposals that wait")
	sessions := flags.Int("sessions", 50, "workbenches")
	keys := flags.Int("keys", 100, "keys pressed in each")
	pause := flags.Duration("pause", 500*time.Millisecond, "between two keys of a session")
	return func(ctx context.Context, l lab) error {
		p, err := l.program(ctx, "crowd.db")
		if err != nil {
			return err
		}
		if err := fill(ctx, p.database, storetest.Dataset{Tools: 1000, Waiting: *waiting}); err != nil {
			return err
		}
		client, pid, err := p.login(ctx, *sessions)
		if err != nil {
			return err
		}
		defer client.Close() //nolint:errcheck // nothing is written
		before, err := memory(pid, "VmRSS")
		if err != nil {
			return err
		}
		all := make([]*remote, *sessions)
		for i := range all {
			if all[i], err = open(client); err != nil {
				return err
			}
		}
		plain, esc, err := browse(pid, all, *keys, *pause)
		if err != nil {
			return err
		}
		say("keys", "%s", plain)
		say("esc", "%s", esc)
		after, err := memory(pid, "VmRSS")
		say("memory", "%.0f MB before, %.0f MB after: %.1f MB a session", before, after, (after-before)/float64(*sessions))
		return err
	}
}

// browse lets all sessions browse concurrently, and prints the cost for the server.
func browse(pid int, all []*remote, keys int, pause time.Duration) (plain, esc times, err error) {
	const rest = 5 * time.Second
	var at [3]time.Duration // before and after the idle time, and after the keys
	if at[0], err = worked(pid); err != nil {
		return nil, nil, err
	}
	time.Sleep(rest) // idle, without input
	if at[1], err = worked(pid); err != nil {
		return nil, nil, err
	}
	say("processor at rest", "%s a second", ((at[1] - at[0]) / (rest / time.Second)).Round(time.Millisecond))
	var mu sync.Mutex
	var done sync.WaitGroup
	for i, w := range all {
		done.Go(func() {
			time.Sleep(pause * time.Duration(i) / time.Duration(len(all))) // people do not press in step
			mine, escaped := w.browse(keys, pause)
			mu.Lock()
			defer mu.Unlock()
			plain, esc = append(plain, mine...), append(esc, escaped...)
		})
	}
	done.Wait()
	if at[2], err = worked(pid); err != nil {
		return nil, nil, err
	}
	say("processor", "%s a key", ((at[2] - at[1]) / time.Duration(len(plain)+len(esc))).Round(10*time.Microsecond))
	return plain, esc, nil
}

// login names a new key a signer, starts the server, and logs in with the key.
func (p program) login(ctx context.Context, sessions int) (client *ssh.Client, pid int, err error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, 0, err
	}
	key, err := ssh.NewSignerFromKey(private)
	if err != nil {
		return nil, 0, err
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return nil, 0, err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(p.home, "key"), pem.EncodeToMemory(block), 0o600),
		p.configure("allowed_signers", "user:mara "+string(ssh.MarshalAuthorizedKey(key.PublicKey())))); err != nil {
		return nil, 0, err
	}
	pid, address, err := serve(p.command(ctx, "serve", "--ssh", "127.0.0.1:0", "--http", "127.0.0.1:0", "--ssh-sessions", strconv.Itoa(sessions)), `ssh://(\S+)`)
	if err != nil {
		return nil, 0, err
	}
	client, err = ssh.Dial("tcp", address, &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()}) //nolint:gosec // of this process
	return client, pid, err
}

// remote is a session with a workbench.
type remote struct {
	keys io.Writer
	seen chan time.Time // signaled at output
}

func open(client *ssh.Client) (*remote, error) {
	session, err := client.NewSession()
	if err != nil {
		return nil, err
	}
	w := &remote{seen: make(chan time.Time, 1)}
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
func (w *remote) Write(p []byte) (int, error) {
	select {
	case w.seen <- time.Now():
	default:
	}
	return len(p), nil
}

// browse navigates the queue and the proposals, and returns the delay of each key until the screen begins to change.
// The key esc is counted separately: when a terminal sends it as a single byte, every program waits to distinguish it
// from an escape sequence (Bubble Tea: 50 ms).
func (w *remote) browse(n int, pause time.Duration) (plain, esc times) {
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
		took := 5 * time.Second // recorded for a screen that does not arrive in time
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
