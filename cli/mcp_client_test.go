package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/gateway/guard"
	"toolcrib/internal/atomicfile"
	"toolcrib/registry/jsondoc"
)

// revisions lists protocol revisions with different handshakes.
var revisions = []string{"2025-11-25", "2026-07-28"}

// testDB is a folder with a database in which tests run the program.
type testDB struct {
	t   testing.TB
	dir string
}

func newTestDB(t testing.TB) testDB {
	t.Helper()
	c := testDB{t, t.TempDir()}
	writeImage(t, filepath.Join(c.dir, "test.db"))
	return c
}

func (c testDB) env(args []string, in io.Reader, out, errs io.Writer) process.Env {
	return process.Env{
		Args: args, In: in, Out: out, Err: errs, Dir: c.dir, Now: time.Now, MinWait: longest, NewID: newID,
		Account: loggedIn(args), Guard: guard.Times{Propose: time.Millisecond, List: longest, Answer: longest, End: longest, Stop: longest},
		Getenv: func(name string) string {
			switch name {
			case "HOME":
				return c.dir
			case "TOOLCRIB_DB":
				return filepath.Join(c.dir, "test.db")
			case "PATH", "NODE_EXTRA_CA_CERTS":
				return os.Getenv(name)
			case "npm_config_cache":
				return npmCache()
			case "MEMORY_FILE_PATH":
				return filepath.Join(c.dir, "memory.json")
			case "FIXTURE_SECRET":
				return "for the fixture alone"
			}
			return ""
		},
	}
}

// run runs a command that must succeed and returns its output.
func (c testDB) run(args ...string) string {
	c.t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(context.Background(), c.env(args, strings.NewReader(""), &out, &errs)); code != 0 {
		c.t.Fatalf("%v: exit status %d: %s", args, code, errs.String())
	}
	return out.String()
}

func (c testDB) write(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		c.t.Fatal(err)
	}
	// A server that is reading the file receives either the old or the new text.
	if err := atomicfile.Write(path, []byte(text), atomicfile.Options{Mode: 0o600}); err != nil {
		c.t.Fatal(err)
	}
}

// client is an MCP client of toolcrib mcp over standard input and output.
type client struct {
	*sdk.ClientSession
	t       testing.TB
	changed chan string
}

func (c testDB) serve(options *sdk.ClientSessionOptions, who string, args ...string) client {
	c.t.Helper()
	theirs, toServer := io.Pipe()
	fromServer, ours := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var errs bytes.Buffer
	wg.Go(func() {
		code := cli.Main(ctx, c.env(append([]string{"mcp"}, args...), theirs, ours, &errs))
		if code != 0 && ctx.Err() == nil {
			c.t.Errorf("toolcrib mcp: exit status %d: %s", code, errs.String())
		}
		_ = ours.Close()
	})
	cl := client{t: c.t, changed: make(chan string, 100)}
	session, err := sdk.NewClient(&sdk.Implementation{Name: who, Version: "1"}, &sdk.ClientOptions{
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { cl.changed <- "prompts" },
		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { cl.changed <- "tools" },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { cl.changed <- "resources" },
	}).Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, options)
	if err != nil {
		stop()
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = session.Close()
		wg.Wait()
		stop()
	})
	cl.ClientSession = session
	return cl
}

// call calls a tool and returns its structured result.
func (cl client) call(name string, args any) (out map[string]any, failed bool) {
	cl.t.Helper()
	r, err := cl.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		cl.t.Fatalf("%s: %v", name, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		cl.t.Fatalf("%s: %s: %v", name, text, err)
	}
	if r.StructuredContent == nil && r.IsError {
		return out, true // of an approved tool, whose output schema does not apply to errors
	}
	if both, _ := json.Marshal(r.StructuredContent); !equalJSON(string(both), text) {
		cl.t.Errorf("%s: the text is not the structured result:\n%s\n%s", name, text, both)
	}
	return out, r.IsError
}

func equalJSON(a, b string) bool {
	x, errX := jsondoc.Parse([]byte(a), jsondoc.DefaultLimits)
	y, errY := jsondoc.Parse([]byte(b), jsondoc.DefaultLimits)
	return errX == nil && errY == nil && bytes.Equal(jsondoc.Canonical(x), jsondoc.Canonical(y))
}

// done is like call, but the call must succeed.
func (cl client) done(name string, args any) map[string]any {
	cl.t.Helper()
	out, failed := cl.call(name, args)
	if failed {
		cl.t.Fatalf("%s: %v", name, out)
	}
	return out
}

// refused is like call, but the call must be rejected. It returns the code and the message.
func (cl client) refused(name string, args any) (code, message string) {
	cl.t.Helper()
	out, failed := cl.call(name, args)
	e, ok := out["error"].(map[string]any)
	if !failed || !ok {
		cl.t.Fatalf("%s was not refused: %v", name, out)
	}
	return e["code"].(string), e["message"].(string)
}

// sample returns a proposal that can be submitted, with some values replaced.
func sample(t testing.TB, id string) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]any
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	p["subject"] = "tool:user/" + id
	p["definition"].(map[string]any)["id"] = id
	return p
}
