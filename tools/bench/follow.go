package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"toolcrib/gateway/follow"
	"toolcrib/review/bundle"
	"toolcrib/signing/signers"
)

// prepareFollow measures toolcrib serve --bundle with many machines that follow it. Each
// follower is the code of a real one, with its own copy and its own connection: it fetches,
// verifies signatures, and writes.
func prepareFollow(flags *flag.FlagSet) func(context.Context, lab) error {
	var n followers
	flags.IntVar(&n.count, "followers", 2000, "machines that follow")
	flags.IntVar(&n.tools, "tools", 500, "live tools")
	flags.IntVar(&n.streams, "streams", 2000, "followers that listen to events; the others only look")
	flags.DurationVar(&n.every, "every", time.Minute, "how often a follower looks")
	flags.DurationVar(&n.idle, "idle", 2*time.Minute, "how long the idle server is measured")
	return func(ctx context.Context, l lab) error {
		p, err := l.program(ctx, "x.db")
		if err != nil {
			return err
		}
		n.served = served{program: p}
		return n.measure(ctx)
	}
}

// perServer is how many tools an MCP server has, and perToken how many followers share a
// token.
const (
	perServer = 50
	perToken  = 100
)

// followers are machines that follow a server.
type followers struct {
	served

	count, tools, streams int
	every, idle           time.Duration

	pid      int
	trust    bundle.Trust
	copies   []*follow.Copy
	bytes    atomic.Int64 // received by all followers, with headers and events
	problems atomic.Int64
	problem  atomic.Value
	running  sync.WaitGroup
}

func (f *followers) measure(ctx context.Context) (err error) {
	if err := f.approveTools(ctx); err != nil {
		return err
	}
	var tokens []string
	for range (f.count + perToken - 1) / perToken {
		out, err := f.run(ctx, "", "tokens", "create", "assistant", "--any-user", "--json")
		if err != nil {
			return err
		}
		var doc struct{ Secret string }
		if err := json.Unmarshal(out, &doc); err != nil {
			return err
		}
		tokens = append(tokens, doc.Secret)
	}
	if f.pid, f.url, err = serve(f.command(ctx, "serve", "--bundle", "--http", "127.0.0.1:0"), `(http://[^"\s]+)`); err != nil {
		return err
	}
	f.url += follow.ServePath
	ctx, stop := context.WithCancel(ctx)
	defer f.running.Wait()
	defer stop()
	if err := f.start(ctx, tokens); err != nil {
		return err
	}
	time.Sleep(f.every / 2) // until the connections are open
	before, err := worked(f.pid)
	if err != nil {
		return err
	}
	time.Sleep(f.idle)
	after, err := worked(f.pid)
	if err != nil {
		return err
	}
	megabytes, err := memory(f.pid, "VmRSS")
	if err != nil {
		return err
	}
	say("idle", "%.2f %% of two processors, %.0f MB", 100*(after-before).Seconds()/f.idle.Seconds()/2, megabytes)
	return f.change(ctx)
}

// approveTools starts signing, and imports and approves the tools.
func (f *followers) approveTools(ctx context.Context) error {
	key := filepath.Join(f.home, "key")
	if _, err := output(exec.CommandContext(ctx, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)); err != nil {
		return err
	}
	if err := f.configure("toolcrib.toml", fmt.Sprintf("sign_key = %q\n", key)); err != nil {
		return err
	}
	if _, err := f.run(ctx, "", "signers", "init", "--sign-key", key); err != nil {
		return err
	}
	for server := range f.tools / perServer {
		if err := f.approveServer(ctx, server, "the many things"); err != nil {
			return err
		}
	}
	return nil
}

// approveServer imports and approves the tools of a server. The first one does something.
func (f *followers) approveServer(ctx context.Context, server int, something string) error {
	var list []any
	for i := range perServer {
		what := "the many things"
		if i == 0 {
			what = something
		}
		list = append(list, map[string]any{
			"name": fmt.Sprintf("tool_%d", i), "description": fmt.Sprintf("Do thing %d of %s that an agent may have to do on server %d, and say what came of it.", i, what, server),
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{
				"what": map[string]any{"type": "string", "description": "What to do it with."}, "count": map[string]any{"type": "integer", "description": "How many times."},
			}},
		})
	}
	text, err := json.Marshal(map[string]any{"tools": list})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(f.home, "tools.json"), text, 0o600); err != nil {
		return err
	}
	name := "server" + strconv.Itoa(server)
	if _, err := f.run(ctx, "", "import", "tools.json", "--server", name); err != nil {
		return err
	}
	_, err = f.run(ctx, "", "approve", "set:"+name, "--unseen")
	return err
}

// start starts the followers. The first one gets a whole copy, the others begin with links to
// its files.
func (f *followers) start(ctx context.Context, tokens []string) error {
	text, err := os.ReadFile(filepath.Join(f.home, ".config", "toolcrib", "allowed_signers"))
	if err != nil {
		return err
	}
	if f.trust.Signers, err = signers.Parse(text); err != nil {
		return err
	}
	f.countReceived()
	for i := range f.count {
		c := &follow.Copy{Dir: filepath.Join(f.home, "copies", strconv.Itoa(i)), Trust: f.trust, Now: time.Now}
		source, err := follow.NewSource(f.url, "", tokens[i/perToken])
		if err != nil {
			return err
		}
		if i == 0 {
			began := time.Now()
			if _, err := c.Update(ctx, f.url, source); err != nil {
				return err
			}
			say("the first copy", "%d kB in %s", f.bytes.Load()>>10, time.Since(began).Round(time.Millisecond))
		} else if err := linkTree(f.copies[0].Dir, c.Dir); err != nil {
			return err
		}
		f.copies = append(f.copies, c)
		if i >= f.streams {
			source = struct{ follow.Source }{source} // Poll listens only to a source of the package
		}
		f.running.Go(func() {
			time.Sleep(f.every / 2 * time.Duration(i) / time.Duration(f.count)) // they were not started at once
			c.Poll(ctx, f.url, source, f.every, func(err error) {
				f.problems.Add(1)
				f.problem.Store(err.Error())
			})
		})
	}
	return nil
}

// change approves a change of one tool, and waits until every follower has it.
func (f *followers) change(ctx context.Context) error {
	f.bytes.Store(0)
	f.problems.Store(0)
	before, err := f.copies[0].Accepted()
	if err != nil {
		return err
	}
	if err := f.approveServer(ctx, 0, "the other things"); err != nil {
		return err
	}
	approved := time.Now()
	var took times
	waiting := f.copies
	for len(waiting) > 0 && time.Since(approved) < 3*f.every {
		time.Sleep(100 * time.Millisecond)
		var still []*follow.Copy
		for _, c := range waiting {
			if a, err := c.Accepted(); err == nil && a.Index != before.Index {
				took = append(took, time.Since(approved))
			} else {
				still = append(still, c)
			}
		}
		waiting = still
	}
	say("an approval", "%s after the approving process ended", took)
	say("transferred", "%.1f kB to each follower", float64(f.bytes.Load())/1024/float64(f.count))
	if n := f.problems.Load(); n > 0 {
		say("failed looks", "%d, the last one: %v", n, f.problem.Load())
	}
	if len(waiting)*100 > f.count || took.at(99) > 70*time.Second {
		return fmt.Errorf("%d followers did not have it in time", len(waiting))
	}
	return nil
}

// countReceived counts the bytes that the connections of followers receive.
func (f *followers) countReceived() {
	var dialer net.Dialer
	//nolint:forcetypeassert // of this type in net/http; NewSource copies it
	http.DefaultTransport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return countingConn{conn, &f.bytes}, nil
	}
}

// countingConn counts the bytes that it receives.
type countingConn struct {
	net.Conn
	received *atomic.Int64
}

func (c countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Add(int64(n))
	return n, err
}

// linkTree creates a folder with links to the files of another folder.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, below), 0o700)
		}
		if filepath.Ext(path) == ".lock" {
			return nil
		}
		return os.Link(path, filepath.Join(to, below))
	})
}
