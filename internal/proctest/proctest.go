// Package proctest starts programs for tests. A test can write to the input of such a
// program and read its output.
package proctest

import (
	"bufio"
	"io"
	"os/exec"
	"testing"
)

// Started is a running program with its standard input and output.
type Started struct {
	*exec.Cmd
	In  io.WriteCloser
	Out *bufio.Reader
}

// Start starts cmd. It fails the test if cmd cannot be started. The caller must call
// Wait.
func Start(t testing.TB, cmd *exec.Cmd) Started {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return Started{cmd, in, bufio.NewReader(out)}
}
