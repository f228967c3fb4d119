// This file implements the responses to the hooks that clients run before each prompt.

package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/report"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/visible"
	"toolcrib/registry/places"
)

// hooks contains a function for each supported client. The function returns the response that makes the client stop a
// session for the given reason.
var hooks = map[string]func(reason string) any{
	"claude-code": stopped,
	"codex":       stopped,
	"cursor": func(reason string) any {
		return map[string]any{"continue": false, "user_message": reason}
	},
}

// stopped returns the response that ends the turn in Claude Code and Codex. It combines the fields for any event with
// the fields for a submitted prompt.
func stopped(reason string) any {
	return map[string]any{"continue": false, "stopReason": reason, "decision": "block", "reason": reason}
}

// Hook compares the files of a session with their approved versions. If they match, it prints nothing, and the session
// continues. Otherwise, it prints a response that makes the client stop the session. It does the same if the comparison
// fails, or if failed, the error of an earlier operation, is not nil. The exit status is always 0, because most clients
// treat any other status as a broken hook and continue the session.
//
// Hook determines the database and the home folder from its flags, the user's configuration, and the account. It
// ignores environment variables, because the settings of a project can set them for the client.
func Hook(ctx context.Context, a *command.App, client string, args []string, locked []instructions.Approved, failed error) error {
	answer, known := hooks[client]
	if !known {
		return process.Usagef("--hook is %q: use claude-code, codex, or cursor", client)
	}
	getenv := a.Env.Getenv
	a.Env, a.Flags.UserOnly = a.Env.OfAccount(), true
	for _, variable := range os.Environ() { // PostgreSQL drivers read variables that begin with PG
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PG") && !strings.HasPrefix(name, "PGPASS") {
			os.Unsetenv(name) //nolint:errcheck,gosec // the name is valid
		}
	}
	var checked report.Findings
	var note string
	where := ""
	if failed == nil {
		var list []root
		if len(args) > 0 {
			list, failed = roots(a, args)
		} else {
			var dirs []string
			dirs, failed = sessionFolders(a, client, getenv)
			where = " in " + dirs[0]
			if failed == nil {
				list, note, failed = sessionRoots(a, dirs, getenv("HOME"))
			}
		}
		if failed == nil {
			checked, failed = check(ctx, a, list, locked, client)
			if len(args) == 0 && len(list) > 0 && list[0].scope == places.Project {
				where = " in " + list[0].dir
			}
		}
	}
	var reason string
	switch {
	case failed != nil:
		reason = "cannot compare the files with their approved versions: " + output.FullStop(output.Sentence(failed))
	case len(checked.Findings) == 0:
		return nil
	default:
		reason = checked.Findings[0].Message
		if more := len(checked.Findings) - 1; more > 0 {
			reason += " " + output.CountedIs(more, "more file") + " different too."
		}
	}
	text, err := json.Marshal(answer("toolcrib: " + reason + note + " Run toolcrib check --files" + where + ", then start a new session."))
	if err != nil {
		return err
	}
	_, err = a.Env.Out.Write(append(visible.JSON(text), '\n'))
	return err
}

// maxHookInput limits the size of the client's message, which includes the prompt.
const maxHookInput = 64 << 20

// hookInput contains the folders in a client's message. Claude Code (code.claude.com/docs/en/hooks) and Codex
// (developers.openai.com/codex/hooks) send the working directory. Cursor (cursor.com/docs/agent/hooks) sends the roots
// of its workspace.
type hookInput struct {
	Dir   string   `json:"cwd"`
	Roots []string `json:"workspace_roots"`
}

// sessionFolders returns the folders of a session: the folders in the client's message, the folder in the client's
// environment variable, and the working directory. No single source is reliable, because the settings of a project can
// set the variable, and an agent can change the directory. Cursor runs a user's hooks in Cursor's configuration folder,
// so the working directory is added for Cursor only if no other folder is known. The result contains at least one
// folder.
func sessionFolders(a *command.App, client string, getenv func(string) string) ([]string, error) {
	var input hookInput
	if !a.Env.InTerminal {
		err := json.NewDecoder(io.LimitReader(a.Env.In, maxHookInput)).Decode(&input)
		if err != nil && !errors.Is(err, io.EOF) { // standard input is empty if a user runs the hook by hand
			return []string{a.Env.Dir}, fmt.Errorf("read the message of the client: %w", err)
		}
	}
	names := append(input.Roots, input.Dir)
	switch client {
	case "claude-code":
		names = append(names, getenv("CLAUDE_PROJECT_DIR"))
	case "cursor":
		names = append(names, getenv("CURSOR_PROJECT_DIR"))
	}
	var dirs []string
	for _, name := range names {
		if strings.TrimSpace(name) != "" {
			dirs = append(dirs, a.Path(name))
		}
	}
	if client != "cursor" || len(dirs) == 0 {
		dirs = append(dirs, a.Env.Dir)
	}
	return dirs, nil
}
