package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/internal/shortrun"
)

// countedContext is a context that is canceled after it was queried a given number of times. Unlike a timer, it always
// ends at the same point of the work.
type countedContext struct {
	context.Context //nolint:containedctx // it is one
	end             context.CancelFunc
	at              int // 0 means never

	mu    sync.Mutex
	asked int
	last  uint64 // allocated bytes at the last query
	gap   uint64 // maximum between two queries
	least int    // number of queries before the longest gap
	ended uint64 // allocated bytes when it ended
}

func (c *countedContext) ask() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := allocated()
	if c.asked > 0 && now-c.last > c.gap {
		c.gap, c.least = now-c.last, c.asked
	}
	c.asked++
	if c.last = now; c.asked == c.at {
		c.ended = now
		c.end()
	}
}

// Err implements context.Context.
func (c *countedContext) Err() error {
	defer c.ask()
	return c.Context.Err()
}

// Done implements context.Context.
func (c *countedContext) Done() <-chan struct{} {
	defer c.ask()
	return c.Context.Done()
}

// allocated returns the number of bytes that the process has allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestCanceledCommandsStop cancels long-running commands at several points, including those before the longest
// interval without a check of the context. The memory that they then allocate measures their remaining work without a
// clock (S17).
func TestCanceledCommandsStop(t *testing.T) {
	shortrun.OneGoroutine(t)
	h := newTestHome(t, "")
	if _, errs, code := h.run("propose", "open.json"); code != 0 {
		t.Fatal(errs)
	}
	for name, test := range map[string]struct {
		in   func(run int) string
		args []string
	}{
		"jq":     {nil, []string{"log", "--jq", `[range(20000)|"x"*2000]|length`}},
		"lint":   {manyTools(500), []string{"lint", "-"}},
		"check":  {manyTools(1_000), []string{"check", "--code", "-"}},
		"import": {manyTools(50), []string{"import", "-", "--server", "many"}},
		"verify": {nil, []string{"verify"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := func(run int) string {
				if test.in == nil {
					return ""
				}
				return test.in(run)
			}
			whole, _, code := h.until(0, text(0), test.args...)
			if code == 130 {
				t.Fatal("the whole run was interrupted")
			}
			for i, at := range []int{1, whole.asked / 4, whole.asked / 2, whole.asked * 3 / 4, whole.least} {
				c, after, code := h.until(at, text(i+1), test.args...)
				if c.ended == 0 {
					t.Fatalf("it asked %d times, not %d", c.asked, at)
				}
				t.Logf("ended at %d of %d: %d KiB afterwards, exit status %d", at, whole.asked, after>>10, code)
				if after > 8<<20 {
					t.Errorf("ended at %d of %d: %d KiB afterwards", at, whole.asked, after>>10)
				}
			}
		})
	}
}

// until runs a command with a context that is canceled after a number of queries. It returns the number of bytes
// allocated afterwards.
func (c testHome) until(at int, in string, args ...string) (ctx *countedContext, after uint64, code int) {
	inner, end := context.WithCancel(c.Context())
	defer end()
	ctx = &countedContext{Context: inner, end: end, at: at}
	var out, errs bytes.Buffer
	code = cli.Main(ctx, process.Env{
		Args: args, In: strings.NewReader(in), Out: &out, Err: &errs, Dir: c.dir, Now: time.Now, Account: loggedIn(args), MinWait: longest, NewID: newID,
		Getenv: func(name string) string { return map[string]string{"HOME": filepath.Join(c.dir, "home")}[name] },
	})
	return ctx, allocated() - ctx.ended, code
}

// manyTools returns a function that returns the list of a server with n tools, which differ in each run.
func manyTools(n int) func(run int) string {
	return func(run int) string {
		tools := make([]string, n)
		for i := range tools {
			tools[i] = fmt.Sprintf(`{"name":"tool_%d_%d","description":"It reads thing %[2]d of shelf %[1]d.","inputSchema":{"type":"object"}}`, run, i)
		}
		return `{"tools":[` + strings.Join(tools, ",") + `]}`
	}
}
