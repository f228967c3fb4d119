package evalgate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/proc"
)

// Command is a gate that is a program: it reads the question from standard
// input and writes its answer to standard output. Any status but 0 is a gate
// that failed. What the program started ends with it, or with the question.
type Command struct {
	Args []string // the program and its arguments
	Dir  string   // working directory
}

var _ gateway.Gate = Command{}

// Ask implements gateway.Gate.
func (c Command) Ask(ctx context.Context, in gateway.Invocation) (gateway.GateAnswer, error) {
	q, err := encode(in)
	if err != nil {
		return gateway.GateAnswer{}, err
	}
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...) //nolint:gosec // the user's own configuration names it
	cmd.Dir = c.Dir
	cmd.WaitDelay = 100 * time.Millisecond // for what hides from its group and keeps the pipe open
	var out bounded
	cmd.Stdin, cmd.Stdout = bytes.NewReader(q), &out
	if err := proc.Run(cmd); err != nil {
		return gateway.GateAnswer{}, ended(err)
	}
	return decode(out.kept)
}

// ended says why the program gave no answer, and not where it is: the agent may
// see it.
func ended(err error) error {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return fmt.Errorf("its program ended with %s", exit.ProcessState)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return errors.New("its program is not there")
	}
	return errors.New("its program cannot be run")
}

// bounded keeps a little more of what is written to it than an answer may
// have, and takes the rest, so that the program is not stopped by a full pipe.
type bounded struct{ kept []byte }

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	room := max(maxAnswer+1-len(b.kept), 0)
	b.kept = append(b.kept, p[:min(len(p), room)]...)
	return len(p), nil
}
