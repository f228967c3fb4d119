package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/history"
	"toolcrib/internal/shortrun"
)

// homeless runs toolcrib in dir with the given environment variables and account.
func homeless(t *testing.T, dir string, vars map[string]string, account process.Account, args ...string) (stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(t.Context(), process.Env{
		Args: args, In: strings.NewReader(""), Out: &out, Err: &errs, Dir: dir, Now: time.Now,
		NewID:   func() string { return uuid.Must(uuid.NewV7()).String() },
		Getenv:  func(name string) string { return vars[name] },
		Account: func() process.Account { return account },
	})
	return errs.String(), code
}

// TestWorkingDirectoryIsNoHome checks that a configuration in the working directory does not count as the user's own if
// HOME is not usable, because its programs would be run (S1).
func TestWorkingDirectoryIsNoHome(t *testing.T) {
	shortrun.OneGoroutine(t)
	nobody := process.Account{Account: history.Account{UID: "54321"}}
	for name, vars := range map[string]map[string]string{
		"no HOME":       {},
		"empty HOME":    {"HOME": ""},
		"HOME is a dot": {"HOME": "."},
		"relative HOME": {"HOME": "home"},
		"relative XDG":  {"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			for _, home := range []string{".", "home"} {
				file := filepath.Join(dir, home, ".config", "toolcrib", settings.ConfigName)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte("[servers.evil]\ncommand = [\"touch\", \""+dir+"/PWNED\"]\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := names(t, dir)
			errs, code := homeless(t, dir, vars, nobody, "import", "--server", "evil")
			if code != command.ExitFailed || !strings.Contains(errs, "no home folder") || !strings.Contains(errs, "set HOME to an absolute path, or set XDG_CONFIG_HOME") {
				t.Errorf("exit status %d: %s", code, errs)
			}
			if errs, code := homeless(t, dir, vars, nobody, "list"); code != command.ExitFailed {
				t.Errorf("list: exit status %d: %s", code, errs)
			}
			entry := nobody
			entry.Home = t.TempDir()
			if errs, code := homeless(t, dir, vars, entry, "import", "--server", "evil"); code == command.ExitOK || strings.Contains(errs, "no home folder") {
				t.Errorf("with an account entry: exit status %d: %s", code, errs)
			}
			if errs, code := homeless(t, dir, vars, entry, "fork", "file_reader"); code != command.ExitOK {
				t.Errorf("fork: exit status %d: %s", code, errs)
			}
			if _, err := os.Stat(filepath.Join(entry.Home, ".local", "share", "toolcrib", "toolcrib.db")); err != nil {
				t.Errorf("the database is not in the account's home: %v", err)
			}
			if after := names(t, dir); after != before {
				t.Errorf("the working directory has %s, and had %s", after, before)
			}
		})
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		found = append(found, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, "\n")
}

// TestAccountIsNotTheEnvironment checks that environment variables do not affect the account, with and without cgo.
func TestAccountIsNotTheEnvironment(t *testing.T) {
	shortrun.OneGoroutine(t)
	before := process.SystemAccount()
	t.Setenv("HOME", "/nowhere")
	t.Setenv("USER", "boss")
	t.Setenv("LOGNAME", "boss")
	if after := process.SystemAccount(); after != before || after.UID == "" {
		t.Errorf("the account is %+v, and was %+v", after, before)
	}
	if got := process.LoginName(process.Env{Account: func() process.Account { return process.Account{Account: history.Account{UID: "54321"}} }}); got != "uid-54321" {
		t.Errorf("an account without an entry is %q", got)
	}
}

// TestFoldersOfTheDatabase checks that other accounts cannot access the folders of the default path, regardless of the
// umask.
func TestFoldersOfTheDatabase(t *testing.T) {
	shortrun.OneGoroutine(t)
	account := process.Account{Home: t.TempDir()}
	if errs, code := homeless(t, t.TempDir(), nil, account, "fork", "file_reader"); code != command.ExitOK {
		t.Fatalf("exit status %d: %s", code, errs)
	}
	for _, dir := range []string{".local", ".local/share", ".local/share/toolcrib"} {
		info, err := os.Stat(filepath.Join(account.Home, dir))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); runtime.GOOS != "windows" && got != 0o700 {
			t.Errorf("%s has mode %04o; want 0700", dir, got)
		}
	}
}

// TestFoldersOfWindows checks that the folders of Windows are used unless an XDG variable is set, and that relative
// paths are ignored (X12).
func TestFoldersOfWindows(t *testing.T) {
	for _, test := range []struct {
		name         string
		windows      bool
		vars         map[string]string
		config, data string
	}{
		{"Windows", true, map[string]string{"APPDATA": "/u/Roaming", "LOCALAPPDATA": "/u/Local"}, "/u/Roaming", "/u/Local"},
		{"an XDG variable", true, map[string]string{"APPDATA": "/u/Roaming", "XDG_CONFIG_HOME": "/x"}, "/x", "/u/.local/share"},
		{"a relative one", true, map[string]string{"APPDATA": "Roaming", "LOCALAPPDATA": "."}, "/u/.config", "/u/.local/share"},
		{"elsewhere", false, map[string]string{"APPDATA": "/u/Roaming", "LOCALAPPDATA": "/u/Local"}, "/u/.config", "/u/.local/share"},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := process.Env{Windows: test.windows, Account: func() process.Account { return process.Account{Home: "/u"} }, Getenv: func(name string) string { return test.vars[name] }}
			config, err := process.ConfigHome(env)
			data, err2 := process.DataHome(env)
			if err != nil || err2 != nil || config != filepath.FromSlash(test.config) || data != filepath.FromSlash(test.data) {
				t.Errorf("%s, %s: %v, %v", config, data, err, err2)
			}
		})
	}
}
