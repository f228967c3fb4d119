// Package process represents the running process as a value: arguments, streams, account, and folders.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/mattn/go-shellwords"
	"golang.org/x/term"

	"toolcrib/gateway/guard"
	"toolcrib/history"
	"toolcrib/proposals"
)

// Account is the account that runs the process, according to the operating system. It does not depend on environment
// variables, because the caller of a program controls those.
type Account struct {
	history.Account
	Home string // home directory in the account database, or "" if the account has no entry
}

// CurrentAccount returns the account that runs the process.
func (e Env) CurrentAccount() Account {
	if e.Account != nil {
		return e.Account()
	}
	return SystemAccount()
}

// SystemAccount looks up the account by its user id. Without cgo, os/user.Current would take missing fields from USER
// and HOME, which must not be trusted because the caller sets them.
func SystemAccount() Account {
	var a Account
	a.Host, _ = os.Hostname() // if it fails, the host is recorded as unknown
	var entry *user.User
	var err error
	if uid := os.Getuid(); uid >= 0 {
		a.UID = strconv.Itoa(uid)
		entry, err = user.LookupId(a.UID)
	} else if entry, err = user.Current(); err == nil { // on Windows, which queries the token of the process
		a.UID = entry.Uid
	}
	if err == nil {
		a.Login, a.Home = entry.Username, entry.HomeDir
	}
	return a
}

// LoginName returns the login name of the account as an actor's name, or a name with the user id if the account has no
// entry.
func LoginName(env Env) string {
	a := env.CurrentAccount()
	if a.Login == "" {
		return proposals.ActorName("uid-" + a.UID)
	}
	return proposals.ActorName(a.Login[strings.LastIndexByte(a.Login, '\\')+1:]) // without the domain, as in DOMAIN\name
}

// NotUser reports whether name does not denote a user.
func NotUser(name string) bool {
	actor, err := proposals.ParseActor(name)
	return err != nil || actor.Kind != proposals.User || actor.String() != name
}

// ErrNoHome means that a default path requires a home folder and none is known.
var ErrNoHome = errors.New("no home folder")

// Home returns the user's home folder: the value of HOME, or the entry in the account database. A relative HOME is
// ignored, because it would make files in the working directory count as the user's own.
func (e Env) Home() (string, error) {
	if dir := e.Getenv("HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	a := e.CurrentAccount()
	if filepath.IsAbs(a.Home) {
		return a.Home, nil
	}
	why := "HOME is not set"
	if dir := e.Getenv("HOME"); dir != "" {
		why = fmt.Sprintf("HOME is %q, which is not absolute", dir)
	}
	return "", fmt.Errorf("%w: %s, and the account database has none for uid %s; set HOME to an absolute path", ErrNoHome, why, a.UID)
}

// OfAccount returns a copy of e without environment variables, so that all folders have their default locations in the
// home folder of the account database. Clients start hooks with variables that a project's settings may control.
func (e Env) OfAccount() Env {
	account := e.CurrentAccount()
	windows := map[string]string{"APPDATA": "Roaming", "LOCALAPPDATA": "Local"}
	e.Getenv = func(name string) string {
		if folder := windows[name]; e.Windows && folder != "" && filepath.IsAbs(account.Home) {
			return filepath.Join(account.Home, "AppData", folder)
		}
		return ""
	}
	return e
}

// ConfigHome returns the folder for settings. ConfigHome, DataHome, and StateHome follow the XDG Base Directory
// Specification 0.8. If its variables are not set, the known folders of Windows are used there: settings roam with the
// account, the database does not.
func ConfigHome(env Env) (string, error) { return xdg(env, "XDG_CONFIG_HOME", ".config", "APPDATA") }

// DataHome returns the folder for data.
func DataHome(env Env) (string, error) {
	return xdg(env, "XDG_DATA_HOME", filepath.Join(".local", "share"), "LOCALAPPDATA")
}

// StateHome returns the folder for state.
func StateHome(env Env) (string, error) {
	return xdg(env, "XDG_STATE_HOME", filepath.Join(".local", "state"), "LOCALAPPDATA")
}

// xdg returns an absolute folder. As the specification requires, it ignores variables with relative paths.
func xdg(env Env, variable, fallback, windows string) (string, error) {
	if dir := env.Getenv(variable); filepath.IsAbs(dir) {
		return dir, nil
	}
	if dir := env.Getenv(windows); env.Windows && filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := env.Home()
	if err != nil {
		return "", fmt.Errorf("%w, or set %s", err, variable)
	}
	return filepath.Join(home, fallback), nil
}

// UntilDone returns a reader that reads from in and fails when ctx is done, so that an interrupt ends a program that
// waits for input.
func UntilDone(ctx context.Context, in io.Reader) io.Reader {
	return ReaderFunc(func(p []byte) (int, error) {
		buf := make([]byte, len(p)) // not p, because an abandoned read may still write to its buffer
		n, err := BeforeDone(ctx, func() (int, error) { return in.Read(buf) })
		return copy(p, buf[:n]), err
	})
}

// BeforeDone returns the result of do, or the error of ctx if that is done first. Resources that do opens after that
// remain open until the process ends.
func BeforeDone[T any](ctx context.Context, do func() (T, error)) (result T, err error) {
	done := make(chan func() (T, error), 1)
	go func() {
		result, err := do()
		done <- func() (T, error) { return result, err }
	}()
	select {
	case <-ctx.Done():
		return result, ctx.Err()
	case returned := <-done:
		return returned()
	}
}

// ReaderFunc implements io.Reader with a function.
type ReaderFunc func([]byte) (int, error)

func (f ReaderFunc) Read(p []byte) (int, error) { return f(p) }

// Words splits a line into words, as a shell does. It keeps empty quoted words, because otherwise the next word would
// move to their position. It neither expands nor runs anything, and treats shell operators as ordinary characters.
func Words(line string) ([]string, error) {
	p := shellwords.NewParser()
	p.ParseEnv, p.ParseBacktick = false, false
	p.SetExcludeSeparators([]rune(";&|<>()`")...)
	return p.Parse(line)
}

// CheckFindings returns ErrFindings if ok is false.
func CheckFindings(ok bool) error {
	if ok {
		return nil
	}
	return ErrFindings
}

// ErrUsage marks errors about the command line.
var ErrUsage = errors.New("usage")

// Usagef returns an error about the command line.
func Usagef(format string, args ...any) error {
	return fmt.Errorf("%s%w", fmt.Sprintf(format, args...), Silent(ErrUsage))
}

// Silent returns an error that matches err but has no text.
func Silent(err error) error { return hidden{err} }

// hidden wraps an error without adding text.
type hidden struct{ error }

func (hidden) Error() string { return "" }

func (h hidden) Unwrap() error { return h.error }

// ErrFindings ends a command that succeeded and printed findings.
var ErrFindings = errors.New("findings")

// ExitStatus ends a command with the exit status of a program that it has run.
type ExitStatus int

// Error implements error.
func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// ErrNoDryRun rejects --dry-run for an operation that cannot be simulated.
func ErrNoDryRun(what string) error {
	return Usagef("%s cannot be tried with --dry-run: it would have to write, start, or send something; nothing was done", what)
}

// ErrPrinted ends a command that printed a statement instead of deciding.
var ErrPrinted = errors.New("statement printed")

// release is the version of a release. tools/release/build sets it with a linker flag.
var release string //nolint:gochecknoglobals // only a variable can be set by the linker

// ProgramVersion returns the version of the release or of the module that the program was built from, or "devel" if
// unknown.
func ProgramVersion() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// Env is the environment of the process, with all input from outside.
type Env struct {
	Args   []string // without the program's name
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string
	Dir    string // working directory
	// Program is the path of the running program, for configurations that start it. If it is "", they use its name.
	Program string
	Now     func() time.Time
	NewID   func() string // returns a new UUIDv7
	// Guard sets the timeouts and limits of toolcrib guard; zero values are defaults.
	Guard guard.Times
	// System is the folder of the administrator's files; "" means /etc/toolcrib. It cannot be changed with an
	// environment variable.
	System string
	// Account returns the account that runs the process. If it is nil, the operating system is queried.
	Account func() Account
	// Windows selects the default folders of Windows.
	Windows bool
	// MinWait is the minimum time that the process waits for servers to end and receivers to accept notices. Otherwise,
	// it continues after a few seconds. Tests set it so that they pass on a busy machine.
	MinWait time.Duration
	// InTerminal, OutTerminal, and ErrTerminal report whether the streams are terminals.
	InTerminal, OutTerminal, ErrTerminal bool
	// RestoreGC is called before the process runs for a long time: after the first page of the workbench, or before a
	// server accepts connections. It may be nil.
	RestoreGC func()
	// Hold delays the exit of an interrupted process until release is called, so that the terminal can be restored. It
	// may be nil.
	Hold func() (release func())
}

// System returns the environment of the running process.
func System() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the folder was deleted; opening relative paths will fail with a clear error
	}
	program, _ := os.Executable() // "" if the system does not provide it
	return Env{
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir, Program: program,
		Now:        time.Now,
		Windows:    runtime.GOOS == "windows",
		NewID:      func() string { return uuid.Must(uuid.NewV7()).String() },
		InTerminal: term.IsTerminal(int(os.Stdin.Fd())), OutTerminal: term.IsTerminal(int(os.Stdout.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}
