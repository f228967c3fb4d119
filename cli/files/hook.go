package files

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/visible"
)

// hooks are the clients whose hook format check answers in.
var hooks = map[string]func(reason string) any{
	"claude-code": stopped,
	"codex":       stopped,
	"cursor": func(reason string) any {
		return map[string]any{"continue": false, "user_message": reason}
	},
}

// stopped is the answer of a hook that ends the turn: the fields that its events share,
// and those of a prompt that is submitted.
func stopped(reason string) any {
	return map[string]any{"continue": false, "stopReason": reason, "decision": "block", "reason": reason}
}

// Hook compares the files of a session and prints what the hook of its client expects:
// nothing to go on, or the reason to stop. What could not be compared stops a session too,
// also for a lock that failed to be read. The exit status is 0 both ways, since clients
// take most others for a broken hook and go on.
func Hook(ctx context.Context, a *command.App, client string, args []string, locked []instructions.Approved, failed error) error {
	answer, known := hooks[client]
	if !known {
		return process.Usagef("--hook is %q; write claude-code, codex or cursor", client)
	}
	folders := args
	if len(args) == 0 {
		var err error
		if folders, err = sessionFolders(a, client); err != nil {
			failed = cmp.Or(failed, err)
		}
		a.Env.Dir = folders[0] // the project is that of the session, wherever its client runs hooks
	}
	var found []findings.Finding
	for i, folder := range folders {
		if failed != nil {
			break
		}
		these := []string{folder}
		if i == 0 {
			these = args
		}
		var more []findings.Finding
		more, failed = Check(ctx, a, these, locked)
		found = append(found, more...)
	}
	where := ""
	if len(args) == 0 {
		where = " in " + a.Env.Dir
	}
	var reason string
	switch {
	case failed != nil:
		reason = "the files cannot be compared with what was approved: " + output.FullStop(output.Sentence(failed))
	case len(found) == 0:
		return nil
	default:
		reason = found[0].Message
		if more := len(found) - 1; more > 0 {
			reason += " " + output.Verbed(more, "more file") + " not as approved."
		}
	}
	text, err := json.Marshal(answer("toolcrib: " + reason + " Run toolcrib check --files" + where + ", then start a new session."))
	if err != nil {
		return err
	}
	_, err = a.Env.Out.Write(append(visible.JSON(text), '\n'))
	return err
}

// maxHookInput is how much of what a client writes to a hook is read: the prompt is in it.
const maxHookInput = 64 << 20

// sessionFolders returns the folders that a session works in, at least one. Claude Code
// names that in which it was started, as its working directory moves. Cursor runs the hooks
// of a user in its own folder, and writes the workspace's to the hook: without them nobody
// knows what to compare.
func sessionFolders(a *command.App, client string) ([]string, error) {
	switch client {
	case "claude-code":
		if dir := a.Env.Getenv("CLAUDE_PROJECT_DIR"); dir != "" {
			return []string{dir}, nil
		}
	case "cursor":
		var input struct {
			Roots []string `json:"workspace_roots"`
		}
		if !a.Env.InTerminal {
			err := json.NewDecoder(io.LimitReader(a.Env.In, maxHookInput)).Decode(&input)
			if err != nil && !errors.Is(err, io.EOF) { // by hand there is none
				return []string{a.Env.Dir}, fmt.Errorf("read what Cursor writes to the hook: %w", err)
			}
		}
		var roots []string
		for _, r := range input.Roots {
			if r = strings.TrimSpace(r); r != "" {
				roots = append(roots, a.Path(r))
			}
		}
		if len(roots) > 0 {
			return roots, nil
		}
		if dir := a.Env.Getenv("CURSOR_PROJECT_DIR"); dir != "" {
			return []string{dir}, nil
		}
	}
	return []string{a.Env.Dir}, nil
}
