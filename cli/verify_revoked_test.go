package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/shortrun"
	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
)

// TestBrokenSignersAreNamed corrupts the signers file after a proposal was shown. The approval must fail for that
// reason, and not because the digest differs (S26).
func TestBrokenSignersAreNamed(t *testing.T) {
	shortrun.OneGoroutine(t)
	home := signedHome(t)
	home.must("propose", "--as", "agent:drafter", "open.json")
	var doc struct {
		Proposal struct {
			Digest string `json:"review_digest"`
		}
	}
	if err := json.Unmarshal([]byte(home.must("show", "#2", "--json", "--as", "user:mara")), &doc); err != nil || doc.Proposal.Digest == "" {
		t.Fatalf("%+v, %v", doc, err)
	}
	file := filepath.Join(home.dir, "home/.config/toolcrib/allowed_signers")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	home.write("home/.config/toolcrib/allowed_signers", string(text)+"no signer\n")
	for _, args := range [][]string{{}, {"--expect", doc.Proposal.Digest}} {
		_, errs, code := home.run(append([]string{"approve", "#2", "--as", "user:mara"}, args...)...)
		if code != 5 || !strings.Contains(errs, "unusable signers file") || strings.Contains(errs, "digest") {
			t.Errorf("%v: exit status %d: %s", args, code, errs)
		}
	}
	home.write("home/.config/toolcrib/allowed_signers", string(text))
	home.must("approve", "#2", "--as", "user:mara", "--expect", doc.Proposal.Digest)
}

// TestVerifyAfterRevocation revokes the key that signed an approval. Verification must report that the approval is not
// valid and the remedy, and must not recommend restoring a copy (S26).
func TestVerifyAfterRevocation(t *testing.T) {
	shortrun.OneGoroutine(t)
	home := signedHome(t)
	allowed, err := os.ReadFile(filepath.Join(home.dir, "home/.config/toolcrib/allowed_signers"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := signers.Parse(allowed)
	if err != nil {
		t.Fatal(err)
	}
	used := ssh.FingerprintSHA256(file.Entries()[0].Key)
	second := signingtest.NewKey(t, "ed25519").Write(t, "")
	home.must("signers", "add", "user:mara", second+".pub", "--as", "user:mara")
	home.must("signers", "remove", used, "--revoke", "--sign-key", second, "--as", "user:mara")
	out, errs, code := home.run("verify")
	if code != 6 || !strings.Contains(out, "1 decision signed by a revoked key") || !strings.Contains(out, "Make the decision again with another key") ||
		!strings.Contains(out, "No data was changed.") || strings.Contains(out, "restore") {
		t.Errorf("exit status %d: %s%s", code, out, errs)
	}
	if out, _, _ := home.run("verify", "--json"); !strings.Contains(out, `"rule":"V103"`) || strings.Contains(out, "V101") {
		t.Errorf("JSON: %s", out)
	}
}
