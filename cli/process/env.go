// Package process represents the running process as a value: arguments, streams, account, and folders.
package process

import (
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"golang.org/x/term"

	"toolcrib/gateway/guard"
)

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
