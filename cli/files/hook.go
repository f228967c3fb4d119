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
	"toolcrib/gateway/instructions"
	"toolcrib/internal/visible"
	"toolcrib/registry/places"
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
//
// The flags of the hook, the user's configuration and the account choose the database and
// the home. The variables of the client do not: the settings of a project may set them.
func Hook(ctx context.Context, a *command.App, client string, args []string, locked []instructions.Approved, failed error) error {
	answer, known := hooks[client]
	if !known {
		return process.Usagef("--hook is %q; write claude-code, codex or cursor", client)
	}
	getenv := a.Env.Getenv
	a.Env, a.Flags.UserOnly = a.Env.OfAccount(), true
	dropDatabaseVariables()
	var checked Report
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
		reason = "the files cannot be compared with what was approved: " + output.FullStop(output.Sentence(failed))
	case len(checked.Found) == 0:
		return nil
	default:
		reason = checked.Found[0].Message
		if more := len(checked.Found) - 1; more > 0 {
			reason += " " + output.Verbed(more, "more file") + " not as approved."
		}
	}
	text, err := json.Marshal(answer("toolcrib: " + reason + note + " Run toolcrib check --files" + where + ", then start a new session."))
	if err != nil {
		return err
	}
	_, err = a.Env.Out.Write(append(visible.JSON(text), '\n'))
	return err
}

// dropDatabaseVariables takes from the process the variables with which libpq, and the
// driver like it, choose another server, user or database than an address names.
func dropDatabaseVariables() {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PG") && !strings.HasPrefix(name, "PGPASS") {
			os.Unsetenv(name) //nolint:errcheck,gosec // the name is one of the process
		}
	}
}

// maxHookInput is how much of what a client writes to a hook is read: the prompt is in it.
const maxHookInput = 64 << 20

// hookInput has the folders in what a client writes to a hook: Claude Code
// (code.claude.com/docs/en/hooks) and Codex (developers.openai.com/codex/hooks) write the
// working directory, Cursor (cursor.com/docs/agent/hooks) the roots of its workspace.
type hookInput struct {
	Dir   string   `json:"cwd"`
	Roots []string `json:"workspace_roots"`
}

// sessionFolders returns the folders that a session works in, at least one: those that the
// client writes to the hook, that which a variable names, and the working directory. Where
// they disagree all of them count, as the settings of a project may set the variable, and
// an agent may change its directory. Cursor runs the hooks of a user in its own folder, so
// that its working directory counts only where nothing else is known.
func sessionFolders(a *command.App, client string, getenv func(string) string) ([]string, error) {
	var input hookInput
	if !a.Env.InTerminal {
		err := json.NewDecoder(io.LimitReader(a.Env.In, maxHookInput)).Decode(&input)
		if err != nil && !errors.Is(err, io.EOF) { // by hand there is none
			return []string{a.Env.Dir}, fmt.Errorf("read what the client writes to the hook: %w", err)
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
