//go:build unix

package crash

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestKilledWhileSignersChange kills toolcrib at each step of changing the signers:
// the change is undone or whole, or named by signers verify and finished without a
// key by the command that is named there.
func TestKilledWhileSignersChange(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	mara, ada := signingKey(t, "mara"), signingKey(t, "ada")
	fingerprint := fingerprintOf(t, ada)
	for name, change := range map[string][]string{
		"init":   {"signers", "init", "--sign-key", mara, "--as", "user:mara"},
		"add":    {"signers", "add", "user:ada", ada + ".pub", "--as", "user:mara"},
		"remove": {"signers", "remove", fingerprint, "--as", "user:mara"},
		"revoke": {"signers", "remove", fingerprint, "--revoke", "--as", "user:mara"},
	} {
		t.Run(name, func(t *testing.T) {
			kills, finished := 0, 0
			for _, point := range []string{"file-renamed", "committed", "file", "file-written"}[:blows(4, 1)] {
				for n := 1; n <= 6; n++ {
					c := newTestDB(t)
					c.must("", opening()...)
					if name != "init" {
						c.must("", "signers", "init", "--sign-key", mara, "--as", "user:mara")
					}
					if name == "remove" || name == "revoke" {
						c.must("", "signers", "add", "user:ada", ada+".pub", "--as", "user:mara")
					}
					if !c.at(point, n, "", change...) {
						break
					}
					kills++
					repair := []string{"signers", "record", "--sign-key", mara, "--as", "user:mara"}
					if name == "init" {
						repair = change
					}
					if _, _, code := c.run("", "signers", "verify"); code != 0 {
						finished++
						c.must("", repair...)
					} else if name == "init" {
						_, _, _ = c.run("", repair...) // exit status 4 where everything is written
					}
					c.must("", "signers", "verify")
					c.must("", "verify", "--deep")
					c.must(proposal("user", "scene_pacer"), "propose", "-")
					c.must("", "reject", "#1", "--note", "Not needed.", "--sign-key", mara, "--as", "user:mara")
				}
			}
			if finished == 0 && name != "init" { // without a state, nothing differs from it
				t.Errorf("%d kills, of which none left a change to finish", kills)
			}
			figures.note(t, "kill -9 while the signers change: "+name, kills, "%d times undone or whole, else finished by the named command", kills-finished)
		})
	}
}

// signingKey makes a key and returns the file of its private half.
func signingKey(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// fingerprintOf returns the fingerprint of a key as ssh-keygen -l prints it.
func fingerprintOf(t *testing.T, file string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-lf", file+".pub").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))[1]
}
