package cli

import (
	"os/exec"
	"path/filepath"

	"toolcrib/cli/process"
)

// hasKeys creates SSH keys for the reader. For examples of all commands except those that start signing, it also
// creates a registry with signed decisions and a statement, and for record, an edited signers file.
func (r *docRunner) hasKeys(command, waiting string) {
	r.t.Helper()
	needsPrograms(r.t, "ssh-keygen")
	me := "user:" + process.LoginName(process.Env{})
	for name, kind := range map[string]string{
		filepath.Join(r.home, ".ssh", "id_ed25519"): "ed25519", filepath.Join(r.dir, "ada"): "ed25519", filepath.Join(r.dir, "old"): "ecdsa",
		filepath.Join(r.dir, "new"): "ed25519",
	} {
		r.write(name, "")
		args := []string{"-q", "-t", kind, "-N", "", "-f", name + "_"}
		if out, err := exec.CommandContext(r.t.Context(), "ssh-keygen", args...).CombinedOutput(); err != nil {
			r.t.Fatalf("%v: %s", err, out)
		}
		r.must("mv " + name + "_ " + name + " && mv " + name + "_.pub " + name + ".pub")
	}
	if command == "signers" || command == "init" {
		return
	}
	r.must("toolcrib signers init")
	switch command {
	case "sign":
		r.must("toolcrib show " + waiting + " > shown")
		r.must("toolcrib reject " + waiting + " --note No --print-statement > statement")
	case "remove":
		r.must("toolcrib signers add " + me + " old.pub")
	case "record":
		r.must("(printf '" + me + " '; cat ada.pub) >> ~/.config/toolcrib/allowed_signers")
	}
}
