package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// lab is a scratch folder with the program that is measured.
type lab struct{ dir, bin string }

// program returns toolcrib with a home and a database in the lab. It builds it unless
// one was named.
func (l *lab) program(ctx context.Context, database string) (program, error) {
	if l.bin == "" {
		bin := filepath.Join(l.dir, "toolcrib")
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if _, err := output(build); err != nil {
			return program{}, fmt.Errorf("build toolcrib, which has to be done from the root of its checkout: %w", err)
		}
		l.bin = bin
	}
	return program{l.bin, l.dir, filepath.Join(l.dir, database)}, nil
}

// fill makes a database with a crowd that the program's own rules assessed.
func fill(ctx context.Context, path string, crowd storetest.Dataset) error {
	desk, err := service.New(nil, review.Policy{}, time.Now, nil)
	if err != nil {
		return err
	}
	crowd.Rules = desk.RulesVersion()
	return crowd.Fill(ctx, path)
}

// program is toolcrib with a home and a database.
type program struct{ path, home, database string }

// command is a process of the program, in its home.
func (p program) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir = p.home
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TOOLCRIB_DB=" + p.database, "USER=mara"}
	return cmd
}

// run runs a command and returns its output.
func (p program) run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	cmd := p.command(ctx, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return output(cmd)
}

// output runs a command and returns its standard output. Errors include its standard
// error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %.2000s", strings.Join(cmd.Args, " "), err, errs.String())
	}
	return out, err
}

// configure writes a file of the configuration.
func (p program) configure(name, text string) error {
	folder := filepath.Join(p.home, ".config", "toolcrib")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)
}

// waiting returns the ids of up to a thousand proposals that wait for a decision.
func (p program) waiting(ctx context.Context) ([]string, error) {
	out, err := p.run(ctx, "", "list", "--json", "--state", "user_review", "--limit", "1000")
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

// approveAll approves all waiting proposals.
func (p program) approveAll(ctx context.Context) error {
	ids, err := p.waiting(ctx)
	if err == nil {
		_, err = p.run(ctx, "", append([]string{"approve", "--unseen"}, ids...)...)
	}
	return err
}

// serve starts a server and returns its process id and its address, which is the first
// group of the pattern in its log.
func serve(cmd *exec.Cmd, pattern string) (pid int, address string, err error) {
	errs, err := cmd.StderrPipe()
	if err != nil {
		return 0, "", err
	}
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	logged, found := bufio.NewReader(errs), regexp.MustCompile(pattern)
	for {
		line, err := logged.ReadString('\n')
		if err != nil {
			return 0, "", fmt.Errorf("%s did not start: %w: %s", strings.Join(cmd.Args, " "), err, line)
		}
		if match := found.FindStringSubmatch(line); match != nil {
			go func() { _, _ = io.Copy(io.Discard, logged) }()
			return cmd.Process.Pid, match[1], nil
		}
	}
}

// worked returns how long a process has used a processor, which a busy machine does not
// change, from /proc.
func worked(pid int) (time.Duration, error) {
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

// memory returns the resident memory of a process in MB from /proc: VmRSS is the current and VmHWM the peak value. The
// value of wait4(2) would include the parent process.
func memory(pid int, field string) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	var kilobytes float64
	_, after, _ := strings.Cut(string(status), field+":")
	_, err = fmt.Sscanf(after, "%f kB", &kilobytes)
	return kilobytes / 1024, err
}

// times are durations of the same act.
type times []time.Duration

// at returns the duration that p percent did not exceed.
func (t times) at(p int) time.Duration {
	if len(t) == 0 {
		return 0
	}
	slices.Sort(t)
	return t[(len(t)-1)*p/100]
}

// String describes the distribution.
func (t times) String() string {
	at := func(p int) time.Duration { return t.at(p).Round(10 * time.Microsecond) }
	return fmt.Sprintf("%6d times: p50 %-9s p95 %-9s p99 %-9s max %s", len(t), at(50), at(95), at(99), at(100))
}

// say prints one measured value.
func say(name, format string, args ...any) {
	fmt.Printf("%-26s %s\n", name, fmt.Sprintf(format, args...))
}
