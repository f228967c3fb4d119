// Package process represents the running process as a value of the type Env. It contains the arguments, streams,
// account, and folders of the process.
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

// Account is the account that runs the process, as reported by the operating system. It does not depend on environment
// variables, because the program that starts the process controls them.
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

// SystemAccount returns the account that runs the process. It looks up the account by the user id of the process.
// Without cgo, os/user.Current would take missing fields from the variables USER and HOME, which the program that
// starts the process controls.
func SystemAccount() Account {
	var a Account
	a.Host, _ = os.Hostname() // if Hostname fails, the host is recorded as unknown
	var entry *user.User
	var err error
	if uid := os.Getuid(); uid >= 0 {
		a.UID = strconv.Itoa(uid)
		entry, err = user.LookupId(a.UID)
	} else if entry, err = user.Current(); err == nil { // on Windows, user.Current queries the token of the process
		a.UID = entry.Uid
	}
	if err == nil {
		a.Login, a.Home = entry.Username, entry.HomeDir
	}
	return a
}

// LoginName returns the login name of the account in a form that is valid as the name of an actor. If the account
// database has no entry for the account, the result contains the user id instead.
func LoginName(env Env) string {
	a := env.CurrentAccount()
	if a.Login == "" {
		return proposals.ActorName("uid-" + a.UID)
	}
	return proposals.ActorName(a.Login[strings.LastIndexByte(a.Login, '\\')+1:]) // without the domain in DOMAIN\name
}

// NotUser reports whether name is not the canonical name of a user, such as user:ada.
func NotUser(name string) bool {
	actor, err := proposals.ParseActor(name)
	return err != nil || actor.Kind != proposals.User || actor.String() != name
}

// ErrNoHome indicates that a default path is in the home folder, but the home folder is unknown.
var ErrNoHome = errors.New("no home folder")

// Home returns the home folder of the user: the value of HOME or, if HOME is not an absolute path, the folder in the
// account database. With a relative path, files in the working directory would be treated as files of the user.
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
	return "", fmt.Errorf("%w: %s, and the account database contains no home folder for uid %s; set HOME to an absolute path", ErrNoHome, why, a.UID)
}

// OfAccount returns a copy of e without environment variables. All folders then have their default locations in the
// home folder according to the account database. Hooks use this copy, because a client may start hooks with environment
// variables from the settings of a project.
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
// Specification 0.8. On Windows, they return the known folders if the XDG variables are not set. Settings are in the
// roaming folder of the account, and data and state are in the local folder.
func ConfigHome(env Env) (string, error) { return xdg(env, "XDG_CONFIG_HOME", ".config", "APPDATA") }

// DataHome returns the folder for data.
func DataHome(env Env) (string, error) {
	return xdg(env, "XDG_DATA_HOME", filepath.Join(".local", "share"), "LOCALAPPDATA")
}

// StateHome returns the folder for state.
func StateHome(env Env) (string, error) {
	return xdg(env, "XDG_STATE_HOME", filepath.Join(".local", "state"), "LOCALAPPDATA")
}

// xdg returns the value of the environment variable called variable or, if the value is not an absolute path, the
// default folder. The specification requires that relative paths are ignored.
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

// UntilDone returns a reader that reads from r until ctx is done, and then returns the error of ctx. An interrupt can
// therefore stop a program that waits for input.
func UntilDone(ctx context.Context, r io.Reader) io.Reader {
	return ReaderFunc(func(p []byte) (int, error) {
		buf := make([]byte, len(p)) // not p, because r.Read may still write after ctx is done
		n, err := BeforeDone(ctx, func() (int, error) { return r.Read(buf) })
		return copy(p, buf[:n]), err
	})
}

// BeforeDone calls fn and returns its result. If ctx is done first, BeforeDone returns the error of ctx without waiting
// for fn. Resources that fn opens afterward remain open until the process exits.
func BeforeDone[T any](ctx context.Context, fn func() (T, error)) (result T, err error) {
	done := make(chan func() (T, error), 1)
	go func() {
		result, err := fn()
		done <- func() (T, error) { return result, err }
	}()
	select {
	case <-ctx.Done():
		return result, ctx.Err()
	case returned := <-done:
		return returned()
	}
}

// ReaderFunc is a function that implements io.Reader.
type ReaderFunc func([]byte) (int, error)

func (f ReaderFunc) Read(p []byte) (int, error) { return f(p) }

// Words splits a line into words, as a shell does. The result includes empty words in quotation marks. Words neither
// expands variables nor runs commands, and treats shell operators as ordinary characters.
func Words(line string) ([]string, error) {
	p := shellwords.NewParser()
	p.ParseEnv, p.ParseBacktick = false, false
	p.SetExcludeSeparators([]rune(";&|<>()`")...)
	return p.Parse(line)
}

// CheckFindings returns nil if ok is true, and ErrFindings otherwise.
func CheckFindings(ok bool) error {
	if ok {
		return nil
	}
	return ErrFindings
}

// ErrUsage is wrapped by errors about the command line.
var ErrUsage = errors.New("usage")

// Usagef returns an error about the command line with the formatted message. The error wraps ErrUsage.
func Usagef(format string, args ...any) error {
	return proposals.Reason(ErrUsage, format, args...)
}

// ErrFindings is the result of a command that ran successfully and printed findings.
var ErrFindings = errors.New("findings")

// ExitStatus is the error of a command that ran a program. The command exits with this status, the exit status of the
// program.
type ExitStatus int

// Error implements error.
func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// ErrNoDryRun returns the usage error for --dry-run with an operation that cannot be simulated.
func ErrNoDryRun(operation string) error {
	return Usagef("%s cannot be combined with --dry-run, because the operation has to write, start, or send something; nothing was done", operation)
}

// ErrPrinted is the result of a command that printed a statement for signing instead of making a decision.
var ErrPrinted = errors.New("statement printed")

// release is the version number in a release build, and "" in other builds. tools/release/build sets it with a linker
// flag.
var release string //nolint:gochecknoglobals // the linker can set only variables

// ProgramVersion returns the version of the release, or the version of the module that the program was built from. It
// returns "devel" if both are unknown.
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

// Env contains everything that the process receives from outside: arguments, streams, variables, the clock, and the
// account.
type Env struct {
	Args   []string // arguments without the name of the program
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string
	Dir    string // working directory
	// Program is the path of the running program, or "". The configuration files that toolcrib writes contain this
	// path. If Program is "", they contain the name of the program instead.
	Program string
	Now     func() time.Time
	NewID   func() string // returns a new UUIDv7
	// Guard contains the timeouts and limits of the guard command. Zero values select the defaults.
	Guard guard.Times
	// System is the folder of the administrator's files, or "" for /etc/toolcrib. No environment variable can change
	// it.
	System string
	// Account returns the account that runs the process. If Account is nil, SystemAccount is used.
	Account func() Account
	// Windows reports whether to use the default folders of Windows.
	Windows bool
	// MinWait is a lower bound for the time limits of connections to servers, publications of checkpoints, and
	// deliveries of notices. Tests set it, because the usual limits of a few seconds can be too short on a busy
	// machine.
	MinWait time.Duration
	// InTerminal, OutTerminal, and ErrTerminal report whether standard input, standard output, and standard error are
	// terminals.
	InTerminal, OutTerminal, ErrTerminal bool
	// RestoreGC restores the normal settings of the garbage collector. It is called if the process will run for a long
	// time: after the first page of the workbench is drawn, and before a server accepts connections. RestoreGC may be
	// nil.
	RestoreGC func()
	// Hold prevents an interrupt from ending the process until release is called. A caller can thus restore the
	// terminal first. Hold may be nil.
	Hold func() (release func())
}

// System returns the environment of the running process.
func System() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the working directory was deleted; opening a relative path will return a clear error
	}
	program, _ := os.Executable() // "" if the system does not know the path
	return Env{
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir, Program: program,
		Now:        time.Now,
		Windows:    runtime.GOOS == "windows",
		NewID:      func() string { return uuid.Must(uuid.NewV7()).String() },
		InTerminal: term.IsTerminal(int(os.Stdin.Fd())), OutTerminal: term.IsTerminal(int(os.Stdout.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}
