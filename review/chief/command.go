package chief

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"toolcrib/internal/proc"
	"toolcrib/review"
)

// Command is a program that reviews: it reads the request from standard input
// and writes its assessment to standard output. A status other than 0, a
// time-out or an answer that cannot be read is a failure. What the program
// started ends with it, or with its time.
type Command struct {
	Label   string   // how assessments call it
	Args    []string // the program and its arguments
	Dir     string   // working directory
	Timeout time.Duration
}

var _ review.Consultant = Command{}

// DefaultTimeout is how long a reviewer may take.
const DefaultTimeout = 30 * time.Second

// Name implements review.Consultant.
func (c Command) Name() string { return c.Label }

// Review implements review.Consultant.
func (c Command) Review(ctx context.Context, r review.Request) (review.Opinion, error) {
	question, err := Encode(r)
	if err != nil {
		return review.Opinion{}, err
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...) //nolint:gosec // the user's own configuration names it
	cmd.Dir = c.Dir
	cmd.WaitDelay = time.Second // for what hides from its group and keeps the pipes open
	var out, errs bounded
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), &out, &errs
	err = proc.Run(cmd)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return review.Opinion{}, fmt.Errorf("%w within %s", review.ErrConsultant, timeout)
	case out.full:
		return review.Opinion{}, fmt.Errorf("%w: it wrote more than %d bytes", review.ErrOpinion, maxAnswer)
	case err != nil:
		return review.Opinion{}, fmt.Errorf("%w: %w%s", review.ErrConsultant, err, lastWords(errs.buf.String()))
	}
	o, err := Decode(out.buf.Bytes())
	if err != nil {
		return o, err
	}
	return o, about(o, r)
}

// lastWords is the end of what a program said before it failed.
func lastWords(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	return ": " + strings.ToValidUTF8(s[:min(len(s), 200)], "\uFFFD")
}

// bounded keeps at most maxAnswer bytes of what is written to it, and takes the
// rest without an error, so that the program is not killed by a full pipe. The
// buffer is no embedded one: its ReadFrom would go around Write.
type bounded struct {
	buf  bytes.Buffer
	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	room := max(maxAnswer-b.buf.Len(), 0)
	b.full = b.full || len(p) > room
	b.buf.Write(p[:min(len(p), room)])
	return len(p), nil
}
