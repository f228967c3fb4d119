//go:build unix

package crash

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/cli"
	"toolcrib/cli/process"
)

func approveLoop() int {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		env := process.System()
		env.Args = append([]string{"--approve", lines.Text()}, os.Args[1:]...)
		env.Out = io.Discard
		if code := cli.Main(context.Background(), env); code != 0 {
			return code
		}
		fmt.Println(lines.Text()) // unbuffered: whoever reads it has the word
	}
	return 0
}

// testDB is a database, and maybe a workspace, that processes work on.
type testDB struct {
	t    *testing.T
	path string // of the database
	env  []string
	args []string
}

func newTestDB(t *testing.T, args ...string) testDB {
	t.Helper()
	home := t.TempDir()
	people(t, home)
	c := testDB{t: t, args: args, env: append(os.Environ(),
		"HOME="+home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "TOOLCRIB_PROJECT=", "TOOLCRIB_WORKSPACE=")}
	return c.on(filepath.Join(home, "toolcrib.db"))
}

// people lets the account of the test act as those who work on the testDB.
func people(t *testing.T, home string) {
	t.Helper()
	var names []string
	for _, name := range []string{"ada", "mara"} {
		names = append(names, "user:"+name)
	}
	for p := range 16 {
		names = append(names, fmt.Sprintf("user:person_%d", p))
	}
	file := filepath.Join(home, ".config", "toolcrib", "toolcrib.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, "may_act_as = [\"%s\"]\n", strings.Join(names, `", "`)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// on returns the same processes working on the database at path.
func (c testDB) on(path string) testDB {
	c.path = path
	c.env = append(slices.Clone(c.env), "TOOLCRIB_DB="+path)
	return c
}

// command returns a process of the given role, not started.
func (c testDB) command(role string, args ...string) *exec.Cmd {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.CommandContext(c.t.Context(), self, append(args, c.args...)...)
	cmd.Env = append(slices.Clone(c.env), role+"=1")
	cmd.Dir = c.t.TempDir()
	return cmd
}

// run runs toolcrib and returns its output and its exit code.
func (c testDB) run(stdin string, args ...string) (stdout, stderr string, code int) {
	c.t.Helper()
	cmd := c.command(asToolcrib, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// here runs toolcrib in the test process, for queries between the failures. It takes a
// tenth of the time of a new process.
func (c testDB) here(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	env := process.System()
	env.Args, env.In, env.Out, env.Err = append(args, c.args...), strings.NewReader(stdin), &out, &errs
	env.InTerminal, env.OutTerminal = false, false
	env.Getenv = c.getenv
	code = cli.Main(context.Background(), env)
	return out.String(), errs.String(), code
}

// getenv returns a variable in the environment of the testDB's processes. The last
// value is valid.
func (c testDB) getenv(name string) string {
	for _, pair := range slices.Backward(c.env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// must is like here, but fails the test if the command fails.
func (c testDB) must(stdin string, args ...string) string {
	c.t.Helper()
	out, errs, code := c.here(stdin, args...)
	if code != 0 {
		c.t.Fatalf("toolcrib %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// opening is a command that creates the database when there is none, and changes
// nothing in one that is there.
func opening() []string { return []string{"mcp", "--as", "agent:opener"} }

// proposal is a complete proposal of a new prompt tool as one line of JSON.
func proposal(layer, id string) string {
	return fmt.Sprintf(`{"type":"new","subject":"tool:%s/%s","baseVersion":0,"definition":{"id":"%[2]s","kind":"prompt","name":"Tool %[2]s",`+
		`"scope":"file","usageNotes":"Use it on a scene.","goals":"Find what drags.","guardrails":"Change nothing.","prompt":"Read the scene and name what drags.",`+
		`"approval":{"tier":"auto_approve"}},"rationale":"Needed every day.","examples":["Check the harbour scene","Check chapter two"],`+
		`"testCases":[{"name":"named","input":"a scene","expect":"pass","output":"slow","checks":[{"type":"contains","value":"slow"}]},`+
		`{"name":"not named","input":"a scene","expect":"fail","output":"fine","checks":[{"type":"contains","value":"slow"}]}]}`+"\n", layer, id)
}
