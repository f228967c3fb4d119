package workbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "toolcrib/cli" // the program that is built: with a change to it, a cached result is void
	"toolcrib/internal/shortrun"
	"toolcrib/tools/bench/terminal"
)

// waitLimit is how long anything on the screen may take.
const waitLimit = 3 * time.Minute

// built is where the tests find toolcrib, which is built when the first of
// them needs it.
var (
	folder string // TestMain makes it and takes it away
	built  = sync.OnceValues(buildOnce)
)

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "toolcrib-workbench-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildOnce() (string, error) {
	program := filepath.Join(folder, "toolcrib")
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", program, "../../..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// testDB is a built toolcrib with a home and a database of its own.
type testDB struct {
	t    *testing.T
	bin  string
	home string
}

func newTestDB(t *testing.T) testDB {
	t.Helper()
	if testing.Short() {
		t.Skip("drives a program of its own in a terminal, step by step")
	}
	shortrun.NeedsLong(t)
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	c := testDB{t: t, bin: bin, home: t.TempDir()}
	settings := filepath.Join(c.home, ".config", "toolcrib", "toolcrib.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("may_act_as = [\"user:mara\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c testDB) env() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "TOOLCRIB_DB=" + filepath.Join(c.home, "toolcrib.db"), "USER=mara"}
}

func (c testDB) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.bin, args...)
	cmd.Env, cmd.Dir = c.env(), c.home
	return cmd
}

// run runs a command and returns its output.
func (c testDB) run(args ...string) string {
	c.t.Helper()
	cmd := c.command(c.t.Context(), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		c.t.Fatalf("toolcrib %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}

// proposed submits a file of the demonstration.
func (c testDB) proposed(name string) {
	c.t.Helper()
	file, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", "demo", name))
	if err != nil {
		c.t.Fatal(err)
	}
	c.run("propose", "--as", "agent:importer", file)
}

// file writes a proposal of a new tool and returns its name.
func (c testDB) file(id string) string {
	c.t.Helper()
	name := filepath.Join(c.home, id+".json")
	text := `{"type":"new","subject":"tool:user/` + id + `","baseVersion":0,"definition":{"id":"` + id + `","kind":"prompt","name":"Tool ` + id + `",` +
		`"scope":"file","usageNotes":"Use it on a scene.","goals":"Find what drags.","guardrails":"Change nothing.","prompt":"Read the scene and name what drags.",` +
		`"approval":{"tier":"auto_approve"}},"rationale":"Needed every day.","examples":["Check the harbour scene","Check chapter two"],` +
		`"testCases":[{"name":"named","input":"a scene","expect":"pass","output":"slow","checks":[{"type":"contains","value":"slow"}]},` +
		`{"name":"not named","input":"a scene","expect":"fail","output":"fine","checks":[{"type":"contains","value":"slow"}]}]}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return name
}

// person sits at the workbench.
type person struct {
	t *testing.T
	*terminal.Terminal
}

// open opens the workbench in a terminal.
func (c testDB) open(width, height int) person {
	c.t.Helper()
	return c.start(terminal.Program{Args: []string{c.bin, "--as", "user:mara"}, Env: c.env(), Width: width, Height: height})
}

// start starts a program in a terminal, in the home folder.
func (c testDB) start(p terminal.Program) person {
	c.t.Helper()
	p.Dir = c.home
	tm, err := terminal.Start(c.t.Context(), p)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		if err := tm.Close(); err != nil {
			c.t.Error(err)
		}
	})
	return person{c.t, tm}
}

func (p person) sees(texts ...string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), waitLimit)
	defer cancel()
	if _, err := p.Wait(ctx, texts...); err != nil {
		p.t.Fatal(err)
	}
}

// answers confirms a dialog as soon as it accepts an answer.
func (p person) answers(offer string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), waitLimit)
	defer cancel()
	if _, err := p.Until(ctx, "the answer "+offer, func(screen string) bool {
		return strings.Contains(screen, "\n "+offer) // a sheet names it once it is taken
	}); err != nil {
		p.t.Fatal(err)
	}
	p.press("y")
}

// lost waits until a text is off the screen.
func (p person) lost(text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), waitLimit)
	defer cancel()
	if err := p.Gone(ctx, text); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits until the program is gone.
func (p person) ends() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), waitLimit)
	defer cancel()
	if err := p.Ended(ctx); err != nil {
		p.t.Fatal(err)
	}
}

func (p person) press(keys ...string) {
	p.t.Helper()
	if err := p.Press(p.t.Context(), keys...); err != nil {
		p.t.Fatal(err)
	}
}

func (p person) types(text string) {
	p.t.Helper()
	if err := p.Type(p.t.Context(), text); err != nil {
		p.t.Fatal(err)
	}
}

// TestFromQueueToVersion walks the whole way that a proposal goes, in the real
// program on a real terminal.
func TestFromQueueToVersion(t *testing.T) {
	t.Parallel()
	c := newTestDB(t)
	for _, name := range []string{"viewpoint_keeper.md", "delete_tasks_unasked.json", "search_gmail_off.md"} {
		c.proposed(name)
	}
	p := c.open(120, 40)
	p.sees("viewpoint_keeper", "delete_tasks", "search_gmail", "quit")

	p.press("/")
	p.types("delete_tasks")
	p.lost("viewpoint_keeper")
	p.press("Enter")
	p.sees("delete_tasks", "block")
	p.press("Enter")
	p.sees("Rationale")

	p.press("2")
	p.sees("requires_approval", "auto_approve", "version 1")

	p.press("3")
	p.sees("R212")
	p.press("a") // an open blocking finding prevents it, and the key reports that
	p.sees("1 blocking finding is open (R212)")
	p.press("W")
	p.sees("Waive a finding")
	p.types("Asked eight times a day, always yes.")
	p.press("Tab")
	p.answers("y waive it")
	p.sees("Waived R212", "waived by user:mara")

	p.press("a")
	p.sees("Approve", "digest")
	p.press("Enter") // enter never decides
	p.answers("y approve")
	p.sees("Live: tool:global/delete_tasks version 2")

	p.press("6")
	p.sees("v2", "user:mara", "v1")
	p.press("q")
	p.ends()
	if out := c.run("history", "tool:global/delete_tasks"); strings.Count(out, "user:mara") != 1 {
		t.Errorf("the version is not in the history:\n%s", out)
	}
	c.run("verify")
}

// TestTooSmall makes the terminal smaller than the workbench, and large again.
func TestTooSmall(t *testing.T) {
	t.Parallel()
	c := newTestDB(t)
	c.proposed("viewpoint_keeper.md")
	p := c.open(80, 24)
	p.sees("viewpoint_keeper")
	if err := p.Resize(t.Context(), 40, 10); err != nil {
		t.Fatal(err)
	}
	p.sees("60×15")
	if err := p.Resize(t.Context(), 100, 30); err != nil {
		t.Fatal(err)
	}
	p.sees("viewpoint_keeper", "quit")
}

func TestMissingTmux(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := terminal.Start(t.Context(), terminal.Program{}); !errors.Is(err, terminal.ErrMissing) {
		t.Errorf("without tmux: %v", err)
	}
}
