package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/cli"
	"toolcrib/cli/process"
)

// testHome is a home folder for toolcrib.
type testHome struct {
	*testing.T
	dir string
}

// newTestHome returns a home with the given configuration, with a new database, and with a proposal in which the first test case has no
// recorded answer.
func newTestHome(t *testing.T, config string) testHome {
	t.Helper()
	c := testHome{t, t.TempDir()}
	c.write("home/.config/toolcrib/toolcrib.toml", config)
	c.write("home/.local/share/toolcrib/toolcrib.db", "")
	writeImage(t, filepath.Join(c.dir, "home/.local/share/toolcrib/toolcrib.db"))
	text, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc["testCases"].([]any)[0].(map[string]any), "output")
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	c.write("open.json", string(b))
	return c
}

func (c testHome) write(name, text string) {
	c.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
}

func (c testHome) run(args ...string) (out, errs string, code int) {
	c.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Main(c.Context(), process.Env{
		Args: args, In: strings.NewReader(""), Out: &stdout, Err: &stderr, Dir: c.dir, Now: time.Now, Account: loggedIn(args),
		MinWait: longest, NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Getenv: func(name string) string {
			return map[string]string{"HOME": filepath.Join(c.dir, "home"), "MODEL_KEY": modelKey}[name]
		},
	})
	if strings.Contains(stdout.String()+stderr.String(), modelKey) {
		c.Errorf("the key was printed: %s%s", stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String(), code
}

// assessment proposes open.json and returns its assessment.
func (c testHome) assessment() (a struct {
	Recommendation, Comment string
	Findings                []struct{ Rule, Severity, Message, Path string }
	Harness                 []struct {
		Name, Outcome, Reason string
		Live                  bool
	}
	Problems []string
},
) {
	c.Helper()
	if _, errs, code := c.run("propose", "open.json", "--as", "user:ada"); code != 0 {
		c.Fatalf("propose: exit status %d: %s", code, errs)
	}
	out, errs, code := c.run("review", "#1", "--json")
	if code != 0 {
		c.Fatalf("review: exit status %d: %s", code, errs)
	}
	doc := struct{ Assessment any }{&a}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		c.Fatal(err)
	}
	return a
}
