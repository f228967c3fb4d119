package cli

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"toolcrib/cli/command"
	"toolcrib/cli/settings"
	"toolcrib/internal/shortrun"
)

// notRun returns the lines that no test runs, with the reasons.
func notRun() map[string]string {
	return map[string]string{
		"go run . demo": "builds the program; .ci/run types it",
		"go test ./...": "is what runs this; .ci/run types it",
		"go install .":  "writes to the folder of the one who tests",
		"toolcrib import --mcp-url https://mcp.example.com/mcp --token-env EXAMPLE_TOKEN --server example": "asks a server on the network",
		"toolcrib import --mcp-url https://mcp.example.com/mcp --server example":                           "asks a server on the network",
		"toolcrib mcp --http 127.0.0.1:8765 --token-file ~/.config/toolcrib/mcp.token":                     "serves until it is interrupted; TestMCPTokenFile has it",
		"toolcrib migrate --db postgres://dba@db.example.com/toolcrib":                                     "needs that server; TestMigrateToServer has it",
		"toolcrib migrate --to postgres://dba@db.example.com/toolcrib":                                     "needs that server; TestMigrateToServer has it",
		"toolcrib migrate --db postgres://dba@db.example.com/toolcrib --to copy.db":                        "needs that server; TestMigrateToServer has it",
		"toolcrib migrate --db postgres://mara@db.example.com/toolcrib --to copy.db":                       "needs that server; TestMigrateToServer has it",
		"toolcrib publish /srv/www/registry":                                                               "writes outside the folder; the script follow has it",
		"toolcrib publish git:~/registry":                                                                  "needs that repository; the script follow has it",
		"toolcrib follow https://example.com/registry --signers reviewers":                                 "asks a server on the network; the script follow has it",
		"toolcrib serve --bundle --http :8443 --tls-cert cert.pem --tls-key key.pem":                       "serves until it is interrupted; TestGuardFollowsServe has it",
		"toolcrib follow https://crib.example.com:8443/v1/bundle --token token":                            "asks a server on the network; TestGuardFollowsServe has it",
		"toolcrib follow https://crib.example.com:8443/v1/bundle --token ~/.config/toolcrib/token":         "asks a server on the network; TestGuardFollowsServe has it",
		"toolcrib follow git:https://example.com/registry.git":                                             "asks a server on the network; the script follow has it",
		"toolcrib follow --status":                                                                         "needs a followed registry; the script follow has it",
		"toolcrib verify --calls calls-to-august.jsonl":                                                    "needs a file of moved calls; TestCallsPrune has it",
		"toolcrib verify --calls toolcrib.db.calls-1-5000.jsonl":                                           "needs a file of moved calls; TestCallsPrune has it",
		"toolcrib verify --calls ~/.local/share/toolcrib/toolcrib.db.calls-1-5000.jsonl":                   "needs a file of moved calls; TestCallsPrune has it",
		"toolcrib follow --stop": "needs a followed registry; the script follow has it",
		"toolcrib rollback set:research-notes --note \"They lose notes.\"": "needs that approved set; the script change_set has it",
		"toolcrib review --git origin/main...HEAD .claude AGENTS.md":       "needs a git repository; the script review_git has it",
		"toolcrib exclude 12": "needs an imported tool; the script exclude has it",
		"toolcrib exclude weather_now --path _meta.requestId":                      "needs an imported tool; the script exclude has it",
		"toolcrib exclude 12 --path description --pattern 'time is [0-9]+'":        "needs an imported tool; the script exclude has it",
		"toolcrib exclude weather_now --none":                                      "needs an imported tool; the script exclude has it",
		"toolcrib serve --ssh :2222":                                               "serves until it is interrupted; TestSSHCommands has it",
		"ssh -A -p 2222 crib.example.com":                                          "needs that server; TestOpenSSHClient has it",
		"ssh -p 2222 crib.example.com list --state user_review":                    "needs that server; TestOpenSSHClient has it",
		"ssh -p 2222 crib.example.com propose - < pacer.md":                        "needs that server; TestOpenSSHClient has it",
		"ssh crib approve 4 --print-statement > statement":                         "needs that server; TestSSHSignsElsewhere has it",
		"toolcrib sign statement > signature":                                      "signs what that server printed; TestSSHSignsElsewhere has it",
		"cat statement signature | ssh crib approve 4 --statement - --signature -": "needs that server; TestSSHSignsElsewhere has it",
		"toolcrib serve": "serves until it is interrupted; gateway/serve.TestServeOnASocket has it",
		"toolcrib serve --http :8443 --tls-cert cert.pem --tls-key key.pem --log-format json":                                          "serves until it is interrupted; serve.TestServeOverTLS has it",
		"toolcrib serve --http 127.0.0.1:8766":                                                                                         "serves until it is interrupted; serve.TestServe has it",
		`curl -H "Authorization: Bearer $TOOLCRIB_TOKEN" "http://127.0.0.1:8766/v1/agents/assistant/config?format=openai&channel=web"`: "asks that server; serve.TestServe has it",
		"toolcrib check --code github.json --server github":                                                                            "finds what was not imported; the script check has it",
		"toolcrib guard memory -- npx -y @modelcontextprotocol/server-memory":                                                          "serves until its client goes away; TestGuard has it",
		"toolcrib check --files . --lock toolcrib.lock":                                                                                "finds what the lock lacks; the script files has it",
		"toolcrib watch":                    "runs until it is interrupted; TestWatch has it",
		"toolcrib watch tracker --every 1h": "runs until it is interrupted; TestWatch has it",
		"toolcrib watch --as agent:watch":   "runs until it is interrupted; TestWatchAsAgent has it",
		"toolcrib watch --mcp 'npx -y @modelcontextprotocol/server-memory' --server memory": "runs until it is interrupted; TestWatch has it",
	}
}

// TestDocumentsAsTyped runs the commands in README.md and docs/*.md, each page with an empty home and a new database,
// and compares their output with the documented one. Settings in a document are written to the user's own file.
func TestDocumentsAsTyped(t *testing.T) {
	shortrun.OneGoroutine(t)
	needsPrograms(t, "sh")
	skipped := notRun()
	lines := 0
	for _, file := range pages(t) {
		blocks := blocksOf(t, file)
		for _, b := range blocks {
			lines += len(b.typed(skipped))
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			if filepath.Base(file) != "README.md" {
				shortrun.NeedsLong(t)
			}
			t.Parallel()
			r := newReader(t)
			r.installPrograms()
			switch filepath.Base(file) {
			case "README.md", "tour.md": // these pages start with only a file
				needsPrograms(t, "jq", "patch")
				r.takesExamples()
				r.hasFiles()
				r.write(filepath.Join(r.home, ".cursor", "mcp.json"), `{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}}}`)
			case "applications.md", "tasks.md":
				needsPrograms(t, "jq")
				r.takesExamples()
			case "skills.md":
				r.hasFiles()
				r.write(filepath.Join(r.home, ".claude", "settings.json"), "{}")
			case "checkpoints.md", "ci.md", "follow.md", "signers.md", "signing.md", "ssh.md", "teams.md":
				r.hasKeys("init", "")
				r.must("toolcrib fork file_reader")
			case "mcp.md":
				r.write(filepath.Join(r.home, ".cursor", "mcp.json"), `{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}}}`)
				r.must("toolcrib fork file_reader")
			case "runtime.md":
				r.write(filepath.Join(r.home, ".cursor", "mcp.json"), `{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}}}`)
				r.must("toolcrib init --yes")
				r.must("toolcrib approve set:memory --unseen")
			default:
				r.must("toolcrib fork file_reader")
			}
			for _, b := range blocks {
				r.takes(b, skipped)
			}
		})
	}
	if lines < 40 {
		t.Errorf("only %d lines are typed", lines)
	}
}

// asScripted maps commands that ask questions on a terminal to commands for scripts without a terminal.
func asScripted() map[string]string {
	return map[string]string{
		"toolcrib init":         "toolcrib init --yes",
		"toolcrib wrap":         "toolcrib wrap --yes",
		"toolcrib wrap --hooks": "toolcrib wrap --hooks --yes",
		// TestSetIsOneDecision tests the workbench.
		"toolcrib": "toolcrib list --state user_review --json --jq '.proposals[].id' | xargs -r toolcrib approve --unseen",
	}
}

// typed returns the steps of a shell block without the skipped ones.
func (b block) typed(skipped map[string]string) []documentedStep {
	if b.kind() != "sh" {
		return nil
	}
	return slices.DeleteFunc(b.steps(), func(step documentedStep) bool {
		_, skip := skipped[uncommented(step.typed)]
		return skip
	})
}

// takes processes a block according to its language.
func (r *docRunner) takes(b block, skipped map[string]string) {
	r.t.Helper()
	switch b.kind() {
	case "sh":
		for _, step := range b.typed(skipped) {
			r.follows(b.where, step)
		}
	case "toml":
		r.configures(b)
	case "yaml":
		r.runsJob(b)
	case "json":
		var any any
		if err := toJSON(b, &any); err != nil {
			r.t.Errorf("%s: %v", b.where, err)
		}
	case "text", "sql": // not executable
	default:
		r.t.Errorf("%s: no rule for a block of %q", b.where, b.lang)
	}
}

// follows runs a step and compares its output. A step with documented output that begins with "toolcrib:" must fail.
func (r *docRunner) follows(where string, step documentedStep) {
	r.t.Helper()
	done := r.types(r.inTruth(step.typed))
	fails := len(step.shown) > 0 && strings.HasPrefix(step.shown[0], "toolcrib: ")
	if fails != (done.status != command.ExitOK) {
		r.t.Errorf("%s: %s: exit status %d\n%s%s", where, step.typed, done.status, done.stdout, done.stderr)
	}
	if len(step.shown) > 0 && !r.holds(step.shown, done) {
		r.t.Errorf("%s: %s: the document shows\n%s\nbut it prints\n%s%s", where, step.typed, strings.Join(step.shown, "\n"), done.stdout, done.stderr)
	}
}

// uncommented returns a line without its explanation.
func uncommented(line string) string {
	line, _, _ = strings.Cut(line, " # ")
	return strings.TrimSpace(line)
}

// needsPrograms skips the test if a program that the document uses is not installed.
func needsPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("the document uses %s: %v", name, err)
		}
	}
}

// configures writes settings to the user's own file.
func (r *docRunner) configures(b block) {
	r.t.Helper()
	text := strings.Join(b.lines, "\n")
	var keys map[string]any
	if err := toml.Unmarshal([]byte(text), &keys); err != nil {
		r.t.Errorf("%s: %v", b.where, err)
		return
	}
	r.write(filepath.Join(r.home, ".config", "toolcrib", settings.ConfigName), text)
	if done := r.types("toolcrib doctor"); done.status != command.ExitOK && done.status != command.ExitFindings && done.status != command.ExitNotFound {
		r.t.Errorf("%s: toolcrib doctor: exit status %d\n%s", b.where, done.status, done.stderr)
	}
}

// runsJob parses a workflow and runs the shell steps of its jobs as the runner does, except for the step that builds
// toolcrib.
func (r *docRunner) runsJob(b block) {
	r.t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Env   map[string]string
			Steps []struct{ Name, Run, Uses string }
		}
	}
	if err := yaml.Unmarshal([]byte(strings.Join(b.lines, "\n")), &workflow); err != nil {
		r.t.Errorf("%s: %v", b.where, err)
		return
	}
	runs := 0
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if strings.Contains(step.Uses, "/toolcrib@") {
				runs++ // TestActionComments tests the action
			}
			if step.Run == "" || strings.HasPrefix(step.Run, "go build ") {
				continue
			}
			runs++
			if done := r.types("set -e\n" + step.Run); done.status != command.ExitOK {
				r.t.Errorf("%s: step %q: exit status %d\n%s%s", b.where, step.Name, done.status, done.stdout, done.stderr)
			}
		}
	}
	if runs == 0 {
		r.t.Errorf("%s: no step was run", b.where)
	}
}
