package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/internal/proc"
)

// docRunner is a user who runs the commands in a document, with an empty home, in a separate folder, and with the programs
// that the documents assume.
type docRunner struct {
	t    *testing.T
	home string
	dir  string
	bin  string
	env  []string
	// meant maps the ids and digests in the document to the actual ones.
	meant map[string]string
}

// typed is the result of a step.
type typed struct {
	stdout, stderr string
	status         int
}

func newReader(t *testing.T) *docRunner {
	t.Helper()
	root := t.TempDir()
	r := &docRunner{
		t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "work"), bin: filepath.Join(root, "bin"),
		meant: map[string]string{},
	}
	for _, dir := range []string{r.home, r.dir, r.bin} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.env = []string{
		"HOME=" + r.home, "PATH=" + r.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TMPDIR=" + root,
	}
	r.program("toolcrib", `exec toolcrib-process "$@"`)
	return r
}

// program adds a script to the reader's path.
func (r *docRunner) program(name, script string) {
	r.t.Helper()
	r.write(filepath.Join(r.bin, name), "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(filepath.Join(r.bin, name), 0o700); err != nil {
		r.t.Fatal(err)
	}
}

// write creates a file. Relative names are in the reader's folder.
func (r *docRunner) write(name, text string) {
	r.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.dir, name)
	}
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// types runs a step, in a shell if necessary.
func (r *docRunner) types(line string) typed {
	r.t.Helper()
	if words, ok := plainWords(line); ok {
		return r.inside(words...)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 3*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.dir, r.env, &out, &errs
	cmd.WaitDelay = 5 * time.Second
	err := proc.Run(cmd) // including child processes, because an editor would not exit
	if ctx.Err() != nil || cmd.ProcessState == nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	return typed{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// startsServers matches commands that start programs in the reader's path.
var startsServers = regexp.MustCompile(`^toolcrib (watch|init)\b`)

// plainWords splits a toolcrib command line into words if a shell would do nothing else, and no program in the reader's
// path is used.
func plainWords(line string) ([]string, bool) {
	line = uncommented(line)
	if !strings.HasPrefix(line, "toolcrib ") || strings.ContainsAny(line, "|<>$*~\n\\") || strings.Contains(line, "--server") || startsServers.MatchString(line) {
		return nil, false
	}
	return commandsIn(line)[0], true
}

// inside runs toolcrib in the test process, for lines that need no shell.
func (r *docRunner) inside(args ...string) typed {
	r.t.Helper()
	var out, errs bytes.Buffer
	status := Main(r.t.Context(), process.Env{
		Args: args, In: strings.NewReader(""), Out: &out, Err: &errs, Dir: r.dir, Now: time.Now, Account: loggedInAs(args),
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Getenv: func(name string) string {
			value := ""
			for _, v := range r.env {
				if after, ok := strings.CutPrefix(v, name+"="); ok {
					value = after
				}
			}
			return value
		},
	})
	return typed{out.String(), errs.String(), status}
}

// must runs a command that must succeed and returns its output.
func (r *docRunner) must(line string) string {
	r.t.Helper()
	done := r.types(line)
	if done.status != command.ExitOK {
		r.t.Fatalf("%s: exit status %d\n%s%s", line, done.status, done.stdout, done.stderr)
	}
	return done.stdout
}

var (
	documentedID     = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	documentedDigest = regexp.MustCompile(`\b[0-9a-f]{64}\b|\b[0-9a-f]{12}\b|\bDIGEST\b`)
	documentedPrefix = regexp.MustCompile(`\b[0-9a-f]{6,8}\b`)
)

// inTruth replaces the ids in a documented command with the actual ones, and the digest after --expect with the current
// one.
func (r *docRunner) inTruth(line string) string {
	if scripted, ok := asScripted()[uncommented(line)]; ok {
		return scripted
	}
	line = documentedPrefix.ReplaceAllStringFunc(line, func(prefix string) string {
		for shown, truth := range r.meant {
			if strings.HasPrefix(shown, prefix) {
				return truth
			}
		}
		return prefix
	})
	before, after, ok := strings.Cut(line, "--expect ")
	if !ok || !documentedDigest.MatchString(after) {
		return line
	}
	words := strings.Fields(before)
	id := words[len(words)-1]
	show, field := "toolcrib show ", "review_digest"
	if strings.Contains(before, "calls ") {
		show, field = "toolcrib calls show ", "digest"
	}
	digest := regexp.MustCompile(`"` + field + `":"([0-9a-f]{64})"`).FindStringSubmatch(r.must(show + id + " --json"))
	if digest == nil {
		r.t.Fatalf("%s%s shows no %s", show, id, field)
	}
	return before + "--expect " + documentedDigest.ReplaceAllString(after, digest[1])
}

// holds compares the output of a step with the documented output. Because ids and digests differ between databases, it
// records the actual one for each documented one.
func (r *docRunner) holds(shown []string, done typed) bool {
	printed := strings.Split(strings.TrimSuffix(done.stdout+done.stderr, "\n"), "\n")
	if len(printed) != len(shown) {
		return false
	}
	for i, line := range shown {
		ids, truths := documentedID.FindAllString(line, -1), documentedID.FindAllString(printed[i], -1)
		if len(ids) != len(truths) || maskVariable(line) != maskVariable(printed[i]) {
			return false
		}
		for n, id := range ids {
			r.meant[id] = truths[n]
		}
	}
	return true
}

// maskVariable replaces all ids, digests, and times with fixed values.
func maskVariable(line string) string {
	line = documentedDigest.ReplaceAllString(documentedID.ReplaceAllString(line, "ID"), "HASH")
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(line, "TIME")
}

// loggedInAs returns the account of the user in the arguments.
func loggedInAs(args []string) func() process.Account {
	account := process.SystemAccount()
	if i := slices.Index(args, "--as"); i >= 0 && i+1 < len(args) {
		if login, ok := strings.CutPrefix(args[i+1], "user:"); ok {
			account.Login = login
		}
	}
	return func() process.Account { return account }
}
