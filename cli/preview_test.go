package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/cli/document"
	"toolcrib/cli/process"
	"toolcrib/internal/shortrun"
	"toolcrib/prompt"
)

// runAt runs a command on the database in dir and returns its output.
func runAt(t *testing.T, dir string, in string, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(t.Context(), process.Env{
		Args: args, In: strings.NewReader(in), Out: &out, Err: &errs, Dir: dir,
		Getenv: func(key string) string {
			return map[string]string{"HOME": dir, "USER": "mara", "TOOLCRIB_DB": filepath.Join(dir, "test.db")}[key]
		},
		Now:   func() time.Time { return time.Date(2026, 11, 20, 22, 42, 0, 0, time.UTC) },
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	})
	if code != 0 {
		t.Fatalf("%v ends with %d: %s", args, code, errs.String())
	}
	return out.Bytes()
}

const retirement = `{"type": "deactivate", "subject": "tool:global/get_gmail", "baseVersion": 1,
 "rationale": "Nobody has connected a mailbox.", "examples": ["Read my mail.", "Read the letter from Ada."],
 "testCases": [{"name": "a", "input": "x", "expect": "pass", "output": "a", "checks": [{"type": "contains", "value": "a"}]},
  {"name": "b", "input": "x", "expect": "fail", "output": "b", "checks": [{"type": "contains", "value": "a"}]}]}`

// TestOnePromptEverywhere compares a preview with an export after the approval, byte for byte, and the prompts that it
// changes with those listed by the review.
func TestOnePromptEverywhere(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	runAt(t, dir, retirement, "propose", "-")
	at := prompt.Reference().Now.Format(time.RFC3339)

	var would document.PreviewList
	decode(t, runAt(t, dir, "", "preview", "#1", "--agent", "assistant", "--at", at, "--json"), &would)
	texts, changed := map[string]string{}, map[string]bool{}
	for _, p := range would.Previews {
		texts[p.Channel] = p.Text
		changed["agent:global/assistant#"+p.Channel] = true
	}
	if channels := slices.Sorted(maps.Keys(texts)); len(channels) != 5 {
		t.Fatalf("channels %v", channels)
	}

	var dossier document.Dossier
	decode(t, runAt(t, dir, "", "show", "#1", "--json"), &dossier)
	for key, seal := range dossier.Proposal.Rendered {
		if !changed[key] || len(seal) != 64 {
			t.Errorf("the review has %q for %s, which the preview does not show", seal, key)
		}
	}
	if len(dossier.Proposal.Rendered) != len(changed) {
		t.Errorf("the review names %v, the preview shows %v", dossier.Proposal.Rendered, changed)
	}

	runAt(t, dir, "", "approve", "#1")
	var exported struct {
		Prompts []struct{ Channel, Text string }
	}
	decode(t, runAt(t, dir, "", "export", "--agent", "assistant"), &exported)
	for _, p := range exported.Prompts {
		if p.Text != texts[p.Channel] {
			t.Errorf("%s: the export differs from the preview", p.Channel)
		}
	}
	var now document.PreviewList
	decode(t, runAt(t, dir, "", "preview", "--agent", "assistant", "--at", at, "--json"), &now)
	for _, p := range now.Previews {
		if p.Text != texts[p.Channel] {
			t.Errorf("%s: what is live differs from what was previewed", p.Channel)
		}
	}
	if len(exported.Prompts) != 5 || len(now.Previews) != 5 {
		t.Errorf("%d exported, %d live", len(exported.Prompts), len(now.Previews))
	}
}

func decode(t *testing.T, data []byte, dst any) {
	t.Helper()
	if err := json.Unmarshal(data, dst); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}
