package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/store/storetest"
)

// Program is the name under which the test binary runs as toolcrib, in a separate process with signals and an exit
// status.
const Program = "toolcrib-process"

func TestMain(m *testing.M) {
	testscript.Main(inProcess{m}, map[string]func(){
		Program: func() {
			os.Exit(cli.Run(nil))
		},
		fixtureServer: serveFixture,
		lockHolder:    holdLock,
	})
}

// inProcess runs the tests with fewer garbage collections, which would take a sixth of their time: each command that runs
// in the test process leaves several megabytes behind.
type inProcess struct{ *testing.M }

func (m inProcess) Run() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	return m.M.Run()
}

// TestScripts runs testdata/scripts on the engine in TOOLCRIB_TEST_ENGINE, each with a new database. The condition
// [sqlite] marks lines about database files, and [long] marks slow lines. In addition to testscript's own commands,
// there are:
//
//	toolcrib ARGS…              runs it; the exit status must be 0
//	exits N toolcrib ARGS…      runs it; the exit status must be N
//	interrupts toolcrib ARGS…   runs it as a process and interrupts it while it reads
//	database FILE               creates another database
//	copied NAME [DATABASE]      copies a database, by default $TOOLCRIB_DB, and stores the copy's name in the environment
//	same-database NAME NAME     compares the rows of two databases
//	json FILE PATH VALUE        compares a value of a JSON document
//	json-keys FILE PATH KEY…    compares an object's keys; KEY? may be missing
//	json-set NAME FILE PATH     stores a value in the environment
//	json-doc FILE KIND          checks the requirements for all documents
//	vary FROM TO PATH=VALUE…    copies a JSON file with other values
//	same FILE FILE              compares bytes
//	flip FILE TEXT              changes one bit in all occurrences of TEXT
//	cut NAME TEXT N             keeps the first N characters of TEXT
//	waive-blocks REF REASON     waives each open block that can be waived, as user:mara
//	visible FILE                checks for invisible and control characters
//
// All output of toolcrib is checked: it must not contain hidden characters or commands for CI runners, standard output
// must be empty after errors, errors must have the requested format, and documents must match their schemas.
func TestScripts(t *testing.T) {
	shortrun.OneGoroutine(t)
	demo := absolute(t, "../testdata/demo")
	sample := absolute(t, "../testdata/scripts/sample.json")
	testscript.Run(t, testscript.Params{
		Dir:                "../testdata/scripts",
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("TOOLCRIB_DB", newDatabase(env))
			env.Setenv("DEMO", demo)
			env.Setenv("SAMPLE", sample)
			env.Setenv("HIDDEN", hidden)
			env.Setenv("RUNNER", forRunners)
			env.Setenv("HUB", startHub(env))
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "sqlite":
				return !storetest.OnPostgres(), nil
			case "long":
				return shortrun.Every(2) == 1, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"toolcrib": cmdToolcrib, "exits": cmdExits, "interrupts": cmdInterrupts,
			"database": cmdDatabase, "copied": cmdCopied, "same-database": cmdSameDatabase, "json": cmdJSON, "json-keys": cmdJSONKeys, "json-set": cmdJSONSet, "json-doc": cmdJSONDoc, "vary": cmdVary,
			"same": cmdSame, "flip": cmdFlip, "cut": cmdCut, "visible": cmdVisible, "waive-blocks": cmdWaiveBlocks,
		},
	})
}

// hidden is text that controls a terminal or is invisible: an escape sequence, its one-byte form, a carriage return, a
// bell, bidirectional controls, zero-width characters, a tag, a variation selector, and a line separator. Scripts have
// it in their environment.
const hidden = "\x1b[2J\u009b\r\a\u202e\u2066\u200b\ufeff\U000e0041\ufe0f\u2028\u00ad"

func absolute(t *testing.T, name string) string {
	t.Helper()
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func cmdToolcrib(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("say which exit status is expected: exits N toolcrib …")
	}
	runToolcrib(ts, 0, args)
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "toolcrib" {
		ts.Fatalf("usage: exits N toolcrib ARGS…")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	runToolcrib(ts, code, args[2:])
}

// runToolcrib runs toolcrib in the test process, with all external input as values; testdata/scripts/process.txtar runs
// it as a process. It returns the standard output. A command that serves although it should have failed is interrupted
// after four minutes, so that the failure names its script.
func runToolcrib(ts *testscript.TestScript, want int, args []string) string {
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	got := cli.Main(ctx, process.Env{
		Args: args, In: strings.NewReader(standardInput(ts, args)), Out: &out, Err: &errs, Getenv: ts.Getenv, Dir: ts.MkAbs("."),
		Now: time.Now, MinWait: longest, NewID: newID, Account: func() process.Account {
			account := loggedIn(args)()
			account.Home = ts.Getenv("ACCOUNT_HOME")
			return account
		},
	})
	printed(ts, out.String(), errs.String())
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	checkPrinted(ts, got, out.String(), errs.String(), args)
	return out.String()
}

// loggedIn returns the account of the user in the arguments. Each user of a script has a separate account, so that no
// user acts as another. By default, the user is root.
func loggedIn(args []string) func() process.Account {
	account := process.Account{Account: history.Account{UID: "0", Login: "root", Host: "testing"}}
	if i := slices.Index(args, "--as"); i >= 0 && i+1 < len(args) {
		if login, ok := strings.CutPrefix(args[i+1], "user:"); ok {
			account.UID, account.Login = "1000", login
		}
	}
	return func() process.Account { return account }
}

// standardInput returns the text of the script's stdin command, for a command that reads it. It can only be read with a
// process.
func standardInput(ts *testscript.TestScript, args []string) string {
	if !slices.Contains(args, "-") && !slices.Contains(args, "--accessible") && !slices.Contains(args, "--hook") {
		return ""
	}
	ts.Check(ts.Exec("cat"))
	return ts.ReadFile("stdout")
}

// printed passes the output to the following commands of the script.
func printed(ts *testscript.TestScript, stdout, stderr string) {
	for w, text := range map[io.Writer]string{ts.Stdout(): stdout, ts.Stderr(): stderr} {
		_, err := io.WriteString(w, text)
		ts.Check(err)
	}
}

// statusFindings is the only exit status other than 0 with which a document is printed.
const statusFindings = 6

// checkPrinted checks the rules for the output of all commands.
func checkPrinted(ts *testscript.TestScript, status int, stdout, stderr string, args []string) {
	for name, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
		if found := hiddenIn(text); found != "" {
			ts.Fatalf("%s holds %s", name, found)
		}
		if found := obeyed(text, args); found != "" {
			ts.Fatalf("a CI runner would obey %q on %s", found, name)
		}
	}
	checkSchema(ts, stdout)
	checkSchema(ts, stderr)
	if status == 0 || status == statusFindings {
		return
	}
	if stdout != "" && !slices.Contains(args, "doctor") { // prints the current settings even after an error
		ts.Fatalf("exit status %d, but standard output is not empty", status)
	}
	if slices.Contains(args, "--json") {
		checkDocument(ts, "stderr", stderr, "error")
		return
	}
	if !strings.Contains("\n"+stderr, "\ntoolcrib: ") { // may be followed by the output of a server
		ts.Fatalf("the error does not say who speaks: %q", stderr)
	}
}

// cmdInterrupts runs toolcrib with more standard input than a pipe buffers, to ensure that it is reading, and then
// interrupts it.
func cmdInterrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || args[0] != "toolcrib" {
		ts.Fatalf("usage: interrupts toolcrib ARGS…")
	}
	path, err := exec.LookPath(Program)
	ts.Check(err)
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(context.Background(), path, args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), &out, &errs
	cmd.Env = []string{"HOME=" + ts.Getenv("HOME"), "TOOLCRIB_DB=" + ts.Getenv("TOOLCRIB_DB")}
	in, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	const beyondAnyPipe = 2 << 20
	_, err = in.Write(bytes.Repeat([]byte("\n"), beyondAnyPipe))
	ts.Check(err)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	waited := cmd.Wait()
	printed(ts, out.String(), errs.String())
	if code := cmd.ProcessState.ExitCode(); code != 130 || out.Len() > 0 {
		ts.Fatalf("exit status %d (%v), want 130 and nothing on standard output", code, waited)
	}
}
