package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

const twoOwners = `
[[policy]]
subjects = ["tool:**"]
owners = ["user:mara", "user:ada"]
approvals = 2
`

// TestEnvironmentLowersNoPolicy lets an agent with a shell set HOME and XDG_CONFIG_HOME to its own configuration,
// without a policy and with a different one.
func TestEnvironmentLowersNoPolicy(t *testing.T) {
	shortrun.OneGoroutine(t)
	home := newTestHome(t, twoOwners)
	own := filepath.Join(home.dir, "home")
	db := filepath.Join(own, ".local/share/toolcrib/toolcrib.db")
	home.must("propose", "--as", "agent:drafter", "open.json")
	for name, evil := range map[string]string{"no policy": "", "its own": "[[policy]]\nsubjects = [\"tool:**\"]\nowners = [\"user:mara\"]\n"} {
		home.write("evil/.config/toolcrib/toolcrib.toml", evil)
		for variable, vars := range map[string]map[string]string{
			"HOME":            {"HOME": filepath.Join(home.dir, "evil"), "TOOLCRIB_DB": db},
			"XDG_CONFIG_HOME": {"HOME": own, "XDG_CONFIG_HOME": filepath.Join(home.dir, "evil/.config"), "TOOLCRIB_DB": db},
			"an empty HOME":   {"HOME": t.TempDir(), "TOOLCRIB_DB": db},
		} {
			if said, code := home.with(vars, own, "", "approve", "#1", "--as", "user:eve"); code != 5 {
				t.Errorf("%s, %s, as another: exit status %d: %s", name, variable, code, said)
			}
			said, code := home.with(vars, own, "", "approve", "#1", "--as", "user:mara", "--dry-run", "--json")
			if code != 0 || !strings.Contains(said, `"verdict":"endorsed"`) {
				t.Errorf("%s, %s, as an owner: exit status %d: %s", name, variable, code, said)
			}
		}
	}
}

// TestSystemPolicyIsAdded lets the administrator specify owners that the user's own file cannot remove.
func TestSystemPolicyIsAdded(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the system's folder is the administrator's")
	}
	home := newTestHome(t, "[[policy]]\nsubjects = [\"tool:**\"]\nowners = [\"user:mara\"]\n")
	system := filepath.Join(home.dir, "etc")
	home.write("etc/toolcrib.toml", "[[policy]]\nsubjects = [\"tool:**\"]\nowners = [\"user:ada\"]\n")
	home.must("propose", "--as", "agent:drafter", "open.json")
	vars := map[string]string{"HOME": filepath.Join(home.dir, "home")}
	if said, code := home.with(vars, "", system, "approve", "#1", "--as", "user:mara"); code != 0 || !strings.Contains(said, "1 of 2, waits for user:ada") {
		t.Errorf("exit status %d: %s", code, said)
	}
	if said, code := home.with(vars, "", system, "approve", "#1", "--as", "user:ada"); code != 0 || !strings.Contains(said, "is live in version 1") {
		t.Errorf("exit status %d: %s", code, said)
	}
	home.write("etc/toolcrib.toml", "[[policy]]\nsubject = [\"tool:**\"]\n")
	if said, code := home.with(vars, "", system, "list"); code != 1 || !strings.Contains(said, "unknown key policy.subject") {
		t.Errorf("exit status %d: %s", code, said)
	}
}
