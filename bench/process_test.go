package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolcrib/cli"
)

// asToolcrib makes the test binary be toolcrib, and asLoop an approver: it
// approves the ids of its standard input one by one, as toolcrib would, and
// says so after each. Both are asked for by the environment.
const (
	asToolcrib = "TOOLCRIB_BENCH_MAIN"
	asLoop     = "TOOLCRIB_BENCH_APPROVE"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asToolcrib) != "":
		os.Exit(cli.Main(context.Background(), cli.System()))
	case os.Getenv(asLoop) != "":
		os.Exit(approveLoop())
	}
	os.Exit(m.Run())
}

func approveLoop() int {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		env := cli.System()
		env.Args = append([]string{"--approve", lines.Text()}, os.Args[1:]...)
		env.Out = io.Discard
		if code := cli.Main(context.Background(), env); code != 0 {
			return code
		}
		fmt.Println(lines.Text()) // unbuffered: whoever reads it has the word
	}
	return 0
}

// crib is a database, and maybe a workspace, that processes work on.
type crib struct {
	t    *testing.T
	env  []string
	args []string
}

func newCrib(t *testing.T, args ...string) crib {
	t.Helper()
	home := t.TempDir()
	return crib{t: t, args: args, env: append(os.Environ(),
		"HOME="+home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "TOOLCRIB_DB="+home+"/toolcrib.db", "TOOLCRIB_PROJECT=", "TOOLCRIB_WORKSPACE=")}
}

// command returns a process of the given role, not started.
func (c crib) command(role string, args ...string) *exec.Cmd {
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

// run runs toolcrib and returns what it printed and its exit code.
func (c crib) run(stdin string, args ...string) (stdout, stderr string, code int) {
	c.t.Helper()
	cmd := c.command(asToolcrib, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// must is run, and the test ends unless it went well.
func (c crib) must(stdin string, args ...string) string {
	c.t.Helper()
	out, errs, code := c.run(stdin, args...)
	if code != 0 {
		c.t.Fatalf("toolcrib %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// proposal is a complete proposal of a new prompt tool as one line of JSON.
func proposal(layer, id string) string {
	return fmt.Sprintf(`{"type":"new","subject":"tool:%s/%s","baseVersion":0,"definition":{"id":"%[2]s","kind":"prompt","name":"Tool %[2]s",`+
		`"scope":"file","usageNotes":"Use it on a scene.","goals":"Find what drags.","guardrails":"Change nothing.","prompt":"Read the scene and name what drags.",`+
		`"approval":{"tier":"auto_approve"}},"rationale":"Needed every day.","examples":["Check the harbour scene","Check chapter two"],`+
		`"testCases":[{"name":"named","input":"a scene","expect":"pass","output":"slow","checks":[{"type":"contains","value":"slow"}]},`+
		`{"name":"not named","input":"a scene","expect":"fail","output":"fine","checks":[{"type":"contains","value":"slow"}]}]}`+"\n", layer, id)
}

// number reads how often a battery strikes, from the environment.
func number(t *testing.T, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q; a number is expected", variable, text)
	}
	return n
}
