package chief

import (
	"context"
	"errors"
	"fmt"
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

// DefaultTimeout sets how long a reviewer may take.
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
	out, err := proc.Exchange(ctx, c.Args, c.Dir, question, maxAnswer)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return review.Opinion{}, fmt.Errorf("%w within %s", review.ErrConsultant, timeout)
	case out.Full:
		return review.Opinion{}, fmt.Errorf("%w: it wrote more than %d bytes", review.ErrOpinion, maxAnswer)
	case err != nil:
		return review.Opinion{}, fmt.Errorf("%w: %w%s", review.ErrConsultant, err, lastLine(string(out.Stderr)))
	}
	return decodeFor(r, out.Stdout)
}

// lastLine returns the last line that a failed program wrote, to be appended to
// an error.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	return ": " + strings.ToValidUTF8(s[:min(len(s), 200)], "\uFFFD")
}
