//go:build unix

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"toolcrib/internal/proc"
)

// Environment variables that make the test binary act as a program of a test: its
// role, and the address to which the process that it starts connects.
const (
	role  = "TOOLCRIB_TEST_PROC"
	meets = "TOOLCRIB_TEST_PROC_MEETS"
)

// hanging ends a failing test.
const hanging = 3 * time.Minute

func TestMain(m *testing.M) {
	switch how := os.Getenv(role); how {
	case "":
		os.Exit(m.Run())
	case "stays": // for ten minutes, or until the test closes the connection
		conn, err := net.DialTimeout("tcp", os.Getenv(meets), hanging) //nolint:noctx // short
		if err != nil {
			os.Exit(1)
		}
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Minute))
		_, _ = conn.Write([]byte("."))
		_, _ = io.Copy(io.Discard, conn)
	default:
		child := exec.Command(os.Args[0]) //nolint:noctx // it outlives its parent
		child.Env = append(os.Environ(), role+"=stays")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: how == "hides and ends"}
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
		fmt.Print("said")
		if how == "waits" {
			_ = child.Wait()
		}
		// Wait until the child has connected, so that there is a child to end.
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	os.Exit(0)
}

// run runs a program in a role and returns its output, its error, and the
// connection of the process that it started, which closes when that process ends.
// run calls met after that process has connected.
func run(t *testing.T, how string, met func(cancel context.CancelFunc, stdin io.Closer)) (said string, child net.Conn, err error) {
	t.Helper()
	door, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // used by this test only
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = door.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdin, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	defer theirs.Close()
	came := make(chan net.Conn, 1)
	go func() {
		conn, err := door.Accept()
		if err == nil {
			_, _ = conn.Read(make([]byte, 1))
			met(cancel, theirs)
		}
		came <- conn
	}()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+how, meets+"="+door.Addr().String())
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.WaitDelay = stdin, &out, 2*time.Second
	began := time.Now()
	err = proc.Run(cmd)
	if d := time.Since(began); d > hanging {
		t.Errorf("%s: Run waited %s for a process outside of the group", how, d)
	}
	child = <-came
	t.Cleanup(func() { _ = child.Close() })
	return out.String(), child, err
}

// gone reports whether the process at the other end of child ends by itself.
func gone(child net.Conn) bool {
	_ = child.SetReadDeadline(time.Now().Add(hanging))
	_, err := child.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

func TestChildrenEndWithTheContext(t *testing.T) {
	said, child, err := run(t, "waits", func(cancel context.CancelFunc, _ io.Closer) { cancel() })
	if err == nil || said != "said" {
		t.Errorf("output %q, error %v", said, err)
	}
	if !gone(child) {
		t.Error("the child is still running")
	}
}

func TestChildrenEndWithTheProgram(t *testing.T) {
	said, child, err := run(t, "ends", func(_ context.CancelFunc, stdin io.Closer) { _ = stdin.Close() })
	if err != nil || said != "said" {
		t.Errorf("output %q, error %v", said, err)
	}
	if !gone(child) {
		t.Error("the child is still running")
	}
}

// TestEscapedProcessIsNotWaitedFor has a process leave the group while it holds its
// parent's pipe. Run must not wait for it.
func TestEscapedProcessIsNotWaitedFor(t *testing.T) {
	said, _, err := run(t, "hides and ends", func(_ context.CancelFunc, stdin io.Closer) { _ = stdin.Close() })
	if err != nil || said != "said" {
		t.Errorf("output %q, error %v", said, err)
	}
}

func TestNoProgram(t *testing.T) {
	if err := proc.Run(exec.CommandContext(t.Context(), "/no/such/program")); err == nil {
		t.Error("a missing program was run")
	}
}
