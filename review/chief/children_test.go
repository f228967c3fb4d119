//go:build unix

package chief_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"toolcrib/review"
)

// TestChildrenEndWithTheReviewer lets a reviewer start a process that keeps the reviewer's output open. When that
// process runs, the test cancels the question.
func TestChildrenEndWithTheReviewer(t *testing.T) {
	door, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test's own
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = door.Close() }()
	t.Setenv(meets, door.Addr().String())
	c := command(t, "leaving")
	c.Timeout = 10 * time.Minute
	propose(t, desk(t, asking(func(r review.Request) {
		ctx, cancel := context.WithCancel(t.Context())
		came := make(chan net.Conn, 1)
		go func() {
			defer cancel()
			if conn, err := door.Accept(); err == nil {
				came <- conn
			}
		}()
		began := time.Now()
		if _, err := c.Review(ctx, r); !errors.Is(err, review.ErrConsultant) {
			t.Errorf("it answered %v", err)
		}
		if d := time.Since(began); d > hanging {
			t.Errorf("it was waited for, for %s", d)
		}
		child := <-came
		defer func() { _ = child.Close() }()
		_ = child.SetReadDeadline(time.Now().Add(hanging))
		if _, err := child.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("what it started lives on")
		}
	})))
}
