package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

// Program is the name under which toolcrib runs as a process of its own, with
// signals and exit status as a user has them.
const Program = "toolcrib-process"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		Program: func() {
			os.Exit(cli.Run(nil))
		},
		fixtureServer: serveFixture,
		lockHolder:    holdLock,
	})
}

// TestScripts runs testdata/scripts on the engine that TOOLCRIB_TEST_ENGINE names,
// each with a database of its own. What is about the file of a database stands
// behind the condition [sqlite], what takes long behind [long]. Beyond testscript's
// own commands they have:
//
//	toolcrib ARGS…              runs it; the exit status has to be 0
//	exits N toolcrib ARGS…      runs it; the exit status has to be N
//	interrupts toolcrib ARGS…   runs it as a process, interrupted while it reads
//	database [FILE]             makes an empty database, $TOOLCRIB_DB when no file is named
//	copied NAME [DATABASE]      copies $TOOLCRIB_DB or another database, and keeps the name of the copy in the environment
//	same-database NAME NAME     compares the rows of two databases
//	json FILE PATH VALUE        compares a value of a JSON document
//	json-keys FILE PATH KEY…    compares an object's keys; KEY? may be missing
//	json-set NAME FILE PATH     keeps a value in the environment
//	json-doc FILE KIND          checks what every document has to be
//	vary FROM TO PATH=VALUE…    copies a JSON file with other values
//	same FILE FILE              compares bytes
//	flip FILE TEXT              changes one bit of TEXT wherever it stands
//	cut NAME TEXT N             keeps the first N characters of TEXT
//	waive-blocks REF REASON     waives each open block that can be, as user:mara
//	visible FILE                looks for what a terminal would hide or obey
//
// Whatever toolcrib prints is held against the rules that hold for every
// command: nothing hidden, nothing that a CI runner obeys, standard output empty on errors, errors as asked, documents
// as their schemas.
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

// hidden matches text that a terminal obeys or draws as nothing: an escape sequence, its
// one-byte form, a return, a bell, bidirectional controls, characters of no
// width, a tag, a variation selector and a line separator. Scripts have it in
// their environment.
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

// runToolcrib runs toolcrib inside the test, with all that it takes from
// outside as values; testdata/scripts/process.txtar has it as a process. It
// returns what was on standard output. One that serves where it should have refused
// is interrupted after four minutes, so that its script fails by name.
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

// loggedIn returns the account of the user whom the arguments name: each user
// of a script has an account of their own, so none acts as another. Nobody else
// is logged in than root.
func loggedIn(args []string) func() process.Account {
	account := process.Account{Account: history.Account{UID: "0", Login: "root", Host: "testing"}}
	if i := slices.Index(args, "--as"); i >= 0 && i+1 < len(args) {
		if login, ok := strings.CutPrefix(args[i+1], "user:"); ok {
			account.UID, account.Login = "1000", login
		}
	}
	return func() process.Account { return account }
}

// standardInput returns the text that the script's stdin command left for a command
// that reads it. A process is the only way to get at it.
func standardInput(ts *testscript.TestScript, args []string) string {
	if !slices.Contains(args, "-") && !slices.Contains(args, "--accessible") && !slices.Contains(args, "--hook") {
		return ""
	}
	ts.Check(ts.Exec("cat"))
	return ts.ReadFile("stdout")
}

// printed hands on what was printed to the commands that follow.
func printed(ts *testscript.TestScript, stdout, stderr string) {
	for w, text := range map[io.Writer]string{ts.Stdout(): stdout, ts.Stderr(): stderr} {
		_, err := io.WriteString(w, text)
		ts.Check(err)
	}
}

// statusFindings is the one exit status besides 0 that comes with a document.
const statusFindings = 6

// checkPrinted holds what was printed against the rules for every command.
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
	if stdout != "" && !slices.Contains(args, "doctor") { // which tells the settings in force all the same
		ts.Fatalf("exit status %d, but standard output is not empty", status)
	}
	if slices.Contains(args, "--json") {
		checkDocument(ts, "stderr", stderr, "error")
		return
	}
	if !strings.Contains("\n"+stderr, "\ntoolcrib: ") { // what a server printed may follow
		ts.Fatalf("the error does not say who speaks: %q", stderr)
	}
}

// cmdInterrupts runs toolcrib with more on standard input than a pipe holds, so
// that it is known to be reading, then interrupts it.
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
