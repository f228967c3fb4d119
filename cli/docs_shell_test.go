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

// reader is somebody at a shell who types what a document says: with an empty
// home, in a folder of their own, and with the programs that the documents
// take for granted.
type reader struct {
	t    *testing.T
	home string
	dir  string
	bin  string
	env  []string
	// meant has the ids and digests that the document shows, with those that
	// stand there in truth.
	meant map[string]string
}

// typed is how a step ended.
type typed struct {
	stdout, stderr string
	status         int
}

func newReader(t *testing.T) *reader {
	t.Helper()
	root := t.TempDir()
	r := &reader{
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

// program puts a script in the reader's path.
func (r *reader) program(name, script string) {
	r.t.Helper()
	r.write(filepath.Join(r.bin, name), "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(filepath.Join(r.bin, name), 0o700); err != nil {
		r.t.Fatal(err)
	}
}

// write makes a file, in the reader's folder when its name says nothing else.
func (r *reader) write(name, text string) {
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

// types runs a step, in a shell when it needs one.
func (r *reader) types(line string) typed {
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
	err := proc.Run(cmd) // with what the shell started: an editor would never end
	if ctx.Err() != nil || cmd.ProcessState == nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	return typed{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// startsServers matches commands that start programs of the reader's path.
var startsServers = regexp.MustCompile(`^toolcrib (watch|init)\b`)

// plainWords takes a line of toolcrib apart, when a shell would do no more to
// it than that, and no program of the reader's path is called.
func plainWords(line string) ([]string, bool) {
	line = uncommented(line)
	if !strings.HasPrefix(line, "toolcrib ") || strings.ContainsAny(line, "|<>$*~\n\\") || strings.Contains(line, "--server") || startsServers.MatchString(line) {
		return nil, false
	}
	return commandsIn(line)[0], true
}

// inside runs toolcrib in the test, for lines that leave a shell nothing to do
// but to take words apart.
func (r *reader) inside(args ...string) typed {
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

// must runs what has to succeed for the rest to make sense, and returns what
// it printed.
func (r *reader) must(line string) string {
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

// inTruth puts the ids that are meant in the place of those that the document
// shows, and the digest that is shown now behind --expect.
func (r *reader) inTruth(line string) string {
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

// holds compares what a step printed with what the document shows. Ids and
// digests are those of another database: an id that is shown is remembered
// with the one that is meant.
func (r *reader) holds(shown []string, done typed) bool {
	printed := strings.Split(strings.TrimSuffix(done.stdout+done.stderr, "\n"), "\n")
	if len(printed) != len(shown) {
		return false
	}
	for i, line := range shown {
		ids, truths := documentedID.FindAllString(line, -1), documentedID.FindAllString(printed[i], -1)
		if len(ids) != len(truths) || blot(line) != blot(printed[i]) {
			return false
		}
		for n, id := range ids {
			r.meant[id] = truths[n]
		}
	}
	return true
}

// blot makes all ids, all digests and all times alike.
func blot(line string) string {
	line = documentedDigest.ReplaceAllString(documentedID.ReplaceAllString(line, "ID"), "HASH")
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(line, "TIME")
}

// loggedInAs returns the account of the user whom the arguments name.
func loggedInAs(args []string) func() process.Account {
	account := process.SystemAccount()
	if i := slices.Index(args, "--as"); i >= 0 && i+1 < len(args) {
		if login, ok := strings.CutPrefix(args[i+1], "user:"); ok {
			account.Login = login
		}
	}
	return func() process.Account { return account }
}
