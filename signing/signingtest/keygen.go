package signingtest

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// NeedsKeygen skips the test if ssh-keygen is not installed.
func NeedsKeygen(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed; other tests check its output in testdata")
	}
}

// Keygen runs ssh-keygen with the given standard input and arguments. It returns the
// standard output, the combined standard output and standard error, and whether
// ssh-keygen succeeded.
func Keygen(t testing.TB, stdin []byte, args ...string) (stdout []byte, said string, ok bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ssh-keygen", args...)
	var out, errors bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errors
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.Bytes(), strings.TrimSpace(out.String() + errors.String()), err == nil
}

// MustKeygen runs ssh-keygen and returns its standard output. It fails the test if
// ssh-keygen fails.
func MustKeygen(t testing.TB, stdin []byte, args ...string) []byte {
	t.Helper()
	out, said, ok := Keygen(t, stdin, args...)
	if !ok {
		t.Fatalf("ssh-keygen %s: %s", strings.Join(args, " "), said)
	}
	return out
}
