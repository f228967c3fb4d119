package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// scanner is toolcrib or a peer.
type scanner struct {
	name string
	scan func(ctx context.Context, peers, work string, sets []set) (map[string]bool, error)
}

func scanners() []scanner {
	return []scanner{
		{"toolcrib", toolcrib}, {"agent-security-scanner-mcp", promptScanner}, {"ferret-scan", ferret}, {"ecc-agentshield", agentShield},
	}
}

// lay writes each row to a file with a name that starts with the row's id.
func lay(folder string, sets []set, ext string, text func(row) []byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, s := range sets {
		for _, r := range s.rows {
			if err := os.WriteFile(filepath.Join(folder, r.id+ext), text(r), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// idOf returns the id of the row in a file that lay wrote.
func idOf(file string) string {
	id, _, _ := strings.Cut(filepath.Base(filepath.FromSlash(file)), ".")
	return id
}

// output runs a program in a folder and parses its output as JSON, ignoring its exit status, because scanners fail when
// they find something.
func output(ctx context.Context, dir string, answer any, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return err
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return fmt.Errorf("%s %s printed %d bytes: %w", filepath.Base(program), strings.Join(args, " "), len(out), err)
	}
	return nil
}

// manyFiles is how many files one run of toolcrib reads.
const manyFiles = 500

// toolcrib lints tools as lists of one, prompts as texts. A row is found when a rule of
// S or P warns or blocks.
func toolcrib(ctx context.Context, _, work string, sets []set) (map[string]bool, error) {
	program, err := build(ctx, work)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, s := range sets {
		for _, r := range s.rows {
			file, text := r.id+".txt", []byte(r.text)
			if r.tool != nil {
				file, text = r.id+".json", []byte(`{"tools":[`+string(r.tool)+`]}`)
			}
			if err := os.WriteFile(filepath.Join(work, file), text, 0o600); err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	found := map[string]bool{}
	for chunk := range slices.Chunk(files, manyFiles) {
		list, err := lint(ctx, work, program, chunk)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if f.Severity != "info" && strings.ContainsAny(f.Rule[:1], "SP") {
				found[idOf(f.File)] = true
			}
		}
	}
	return found, nil
}

// build builds toolcrib in a folder, which it makes.
func build(ctx context.Context, work string) (program string, err error) {
	if err := os.MkdirAll(work, 0o755); err != nil {
		return "", err
	}
	program = filepath.Join(work, "toolcrib")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return program, nil
}

// finding is a finding of lint in a file.
type finding struct{ Rule, Severity, File string }

func lint(ctx context.Context, work, program string, files []string) ([]finding, error) {
	var doc struct{ Findings []finding }
	err := output(ctx, work, &doc, program, append([]string{"lint", "--json"}, files...)...)
	return doc.Findings, err
}

//go:embed prompts.mjs
var promptsScript []byte

// promptScanner has the scanner read each text as a prompt, in one process. A row is
// found when the scanner would warn or block.
func promptScanner(ctx context.Context, peers, work string, sets []set) (map[string]bool, error) {
	module := filepath.Join(peers, "node_modules", "agent-security-scanner-mcp", "src", "tools", "scan-prompt.js")
	if _, err := os.Stat(module); err != nil {
		return nil, err
	}
	if err := lay(filepath.Join(work, "rows"), sets, ".txt", func(r row) []byte { return []byte(r.text) }); err != nil {
		return nil, err
	}
	script := filepath.Join(work, "prompts.mjs")
	if err := os.WriteFile(script, promptsScript, 0o600); err != nil {
		return nil, err
	}
	var actions map[string]string
	if err := output(ctx, work, &actions, "node", script, module, "rows"); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for file, action := range actions {
		found[idOf(file)] = action == "BLOCK" || action == "WARN"
	}
	return found, nil
}

// report is the answer of a scanner of folders.
type report struct {
	Findings []struct {
		ID, RuleID, File, Severity string
	}
}

// ferret scans texts as agents of a client. A row is found when a finding is not of a
// low severity.
func ferret(ctx context.Context, peers, work string, sets []set) (map[string]bool, error) {
	return scanFolder(ctx, peers, work, sets, "ferret", []string{"scan", ".", "--format", "json"}, func(string) bool { return true })
}

// agentShield does the same. It omits findings about missing content, because there are
// some for every file.
func agentShield(ctx context.Context, peers, work string, sets []set) (map[string]bool, error) {
	return scanFolder(ctx, peers, work, sets, "agentshield", []string{"scan", "--path", ".", "--format", "json"}, func(id string) bool {
		return !strings.HasPrefix(id, "prompt-defense-missing") && !strings.HasPrefix(id, "agents-no-")
	})
}

// scanFolder runs a scanner over a folder with all texts as agents in Markdown.
func scanFolder(ctx context.Context, peers, work string, sets []set, name string, args []string, counts func(rule string) bool) (map[string]bool, error) {
	program := filepath.Join(peers, "node_modules", ".bin", name)
	if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := lay(filepath.Join(work, "agents"), sets, ".md", func(r row) []byte { return []byte(r.text) }); err != nil {
		return nil, err
	}
	// A pipe would lose output after the first buffer, because the program exits at once.
	file := filepath.Join(work, "report.json")
	cmd := exec.CommandContext(ctx, program, append(args, "--output", file)...)
	cmd.Dir = work
	if _, failed := errors.AsType[*exec.ExitError](cmd.Run()); cmd.ProcessState == nil && !failed {
		return nil, fmt.Errorf("%s did not start", name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s wrote no report: %w", name, errors.Join(err, ctx.Err()))
	}
	var doc report
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, f := range doc.Findings {
		severity := strings.ToLower(f.Severity)
		if severity != "low" && severity != "info" && counts(f.ID+f.RuleID) {
			found[idOf(f.File)] = true
		}
	}
	return found, nil
}
