// Package program builds and runs toolcrib as a process for the measurements of the
// other packages, and describes how long things took.
package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Build builds the stripped program in a folder and returns its path. It has to be
// called from within the checkout.
func Build(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "toolcrib")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "toolcrib")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build toolcrib, which has to be done from its checkout: %w", err)
	}
	return bin, nil
}

// Program is toolcrib with a home and a database.
type Program struct {
	Path, Home, Database string
}

// Command is a process of the program, in its home.
func (p Program) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Dir, cmd.Env = p.Home, []string{"HOME=" + p.Home, "PATH=" + os.Getenv("PATH"), "TOOLCRIB_DB=" + p.Database, "USER=mara"}
	return cmd
}

// Run runs a command and returns its output.
func (p Program) Run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	cmd := p.Command(ctx, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return Output(cmd)
}

// Output runs a command and returns its output. The error has what it complained of.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, errs.String())
	}
	return out, err
}

// Waiting returns the ids of up to a thousand proposals that wait for a decision.
func (p Program) Waiting(ctx context.Context) ([]string, error) {
	out, err := p.Run(ctx, "", "list", "--json", "--state", "user_review", "--limit", "1000")
	if err != nil {
		return nil, err
	}
	var doc struct {
		Proposals []struct {
			ID string `json:"id"`
		} `json:"proposals"`
	}
	err = json.Unmarshal(out, &doc)
	ids := make([]string, len(doc.Proposals))
	for i, waiting := range doc.Proposals {
		ids[i] = waiting.ID
	}
	return ids, err
}

// Worked returns how long a process has used a processor, which a busy machine does not
// change, from /proc.
func Worked(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name in brackets may hold blanks; utime and stime are the 12th and
	// 13th field behind it (proc(5)), in hundredths of a second.
	_, after, _ := strings.Cut(string(stat), ") ")
	var ticks int64
	for _, field := range strings.Fields(after)[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// PeakMemory returns the most memory of a process that was resident, in bytes,
// from /proc. What the system says at its end (wait4(2)) takes in the process that
// started it.
func PeakMemory(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	var kilobytes int64
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscanf(after, "%d kB", &kilobytes)
	return kilobytes << 10, err
}

// Quantiles sorts durations and describes them.
func Quantiles(took []time.Duration) string {
	if len(took) == 0 {
		return "none"
	}
	slices.Sort(took)
	at := func(p int) time.Duration { return took[(len(took)-1)*p/100].Round(10 * time.Microsecond) }
	return fmt.Sprintf("p50 %-9s p95 %-9s p99 %-9s max %s", at(50), at(95), at(99), at(100))
}
