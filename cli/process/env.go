// Package process is the running process as a value: its arguments and streams, its
// account and its folders.
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

// release is the version that tools/release/build builds; the linker sets it.
var release string //nolint:gochecknoglobals // only a variable can be set by the linker

// ProgramVersion is the version of the release, or else of the module that the
// program was built from.
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

// Env is the environment of the process as a value: all input from outside.
type Env struct {
	Args   []string // without the program's name
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string
	Dir    string // working directory
	// Program is the path of the running program, for configurations that start it, or "" to find the program by its
	// name.
	Program string
	Now     func() time.Time
	NewID   func() string // a new UUIDv7
	// Guard are the periods and limits of toolcrib guard; zeros for the usual ones.
	Guard guard.Times
	// System is the folder of the administrator's files; "" for /etc/toolcrib. No
	// environment variable names another.
	System string
	// Account returns the account that runs the process; nil asks the operating
	// system.
	Account func() Account
	// Windows selects the default folders of Windows.
	Windows bool
	// MinWait is the minimum time that the process waits for others where it would otherwise continue after a few
	// seconds: for a server to end, or for a receiver of notices. Tests set it so that they pass on a busy machine.
	MinWait time.Duration
	// InTerminal, OutTerminal and ErrTerminal report whether a terminal is at the
	// other end.
	InTerminal, OutTerminal, ErrTerminal bool
	// RestoreGC is called when the process is about to run for a long time: after the first page of the workbench, or
	// before a server accepts connections. It may be nil.
	RestoreGC func()
	// Hold delays the exit of an interrupted process until release is called, so that the terminal can be restored. It
	// may be nil.
	Hold func() (release func())
}

// System returns the environment of the running process.
func System() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the folder is gone; relative names fail with their own message
	}
	program, _ := os.Executable() // "" where the system does not know
	return Env{
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir, Program: program,
		Now:        time.Now,
		Windows:    runtime.GOOS == "windows",
		NewID:      func() string { return uuid.Must(uuid.NewV7()).String() },
		InTerminal: term.IsTerminal(int(os.Stdin.Fd())), OutTerminal: term.IsTerminal(int(os.Stdout.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}
