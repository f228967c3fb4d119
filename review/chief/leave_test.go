package chief_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"time"
)

// meets is the environment variable with the address that the child process of a reviewer connects to.
const meets = "TOOLCRIB_TEST_MEETS"

// leave starts a child process that inherits the output, and waits for it.
func leave() int {
	child := exec.Command(os.Args[0]) //nolint:noctx // it is to outlive its parent
	child.Env = append(os.Environ(), asReviewer+"=left")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if child.Run() != nil {
		return 4
	}
	return 0
}

// hanging is the time after which a failing test ends.
const hanging = 3 * time.Minute

// left runs until the test closes the connection, or for ten minutes.
func left() int {
	conn, err := net.DialTimeout("tcp", os.Getenv(meets), hanging) //nolint:noctx // a moment
	if err != nil {
		return 1
	}
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Minute))
	_, _ = io.Copy(io.Discard, conn)
	return 0
}
