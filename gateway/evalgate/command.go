package evalgate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

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
	out, err := proc.Exchange(ctx, c.Args, c.Dir, q, maxAnswer+1) // one byte more shows that it is too long
	if err != nil {
		return gateway.GateAnswer{}, ended(err)
	}
	return decode(out.Stdout)
}

// ended returns why the program gave no answer, and not where it is: the agent may
// see it.
func ended(err error) error {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return fmt.Errorf("its program exited with %s", exit.ProcessState)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return errors.New("its program was not found")
	}
	return errors.New("its program cannot be run")
}
