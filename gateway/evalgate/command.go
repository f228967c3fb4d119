package evalgate

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"

	"toolcrib/gateway"
	"toolcrib/proc"
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
		return gateway.GateAnswer{}, fmt.Errorf("%s: %w", c.Args[0], err)
	}
	return decode(out.kept)
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
