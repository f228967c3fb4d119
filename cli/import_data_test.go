package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/wire"
)

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestImportExportKeepsLists imports, approves, and exports the lists of MCP servers. Every tool must remain unchanged,
// including all keys. A second list that differs only in its formatting must not cause proposals (H9).
func TestImportExportKeepsLists(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	files, err := filepath.Glob("testdata/lists/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lists: %v", err)
	}
	lenient := newTestDB(t).lenient()
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text := readText(t, file)
			doc, err := wire.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			c := newTestDB(t)
			c.write(".config/toolcrib/toolcrib.toml", lenient)
			c.write("list.json", text)
			c.run("import", "list.json", "--server", "published")
			c.approveAll()
			back, err := wire.Decode([]byte(c.run("export", "--format", "mcp", "--server", "published")))
			if err != nil {
				t.Fatal(err)
			}
			hashes := map[string]string{}
			for _, it := range back.Items {
				hashes[it.Name] = it.Hash()
			}
			for _, it := range doc.Items {
				if hashes[it.Name] != it.Hash() {
					t.Errorf("%s does not come back as it was: %q", it.Name, hashes[it.Name])
				}
			}
			if len(back.Items) != len(doc.Items) {
				t.Errorf("%d tools come back of %d", len(back.Items), len(doc.Items))
			}
			if again := c.run("import", "list.json", "--server", "published", "--json"); !strings.Contains(again, `"proposals":[]`) {
				t.Errorf("a second import proposes %s", again)
			}
			if name := strings.Replace(file, ".json", "_again.json", 1); slices.Contains(files, name) {
				c.write("next.json", readText(t, name))
				if same := c.run("import", "next.json", "--server", "published", "--json"); !strings.Contains(same, `"proposals":[]`) {
					t.Errorf("the next version is the same, and proposed is %s", same)
				}
			}
		})
	}
}

// lenient returns a configuration in which no finding blocks an approval.
func (c testDB) lenient() string {
	c.t.Helper()
	var doc struct {
		Rules []struct {
			ID string `json:"id"`
		} `json:"rules"`
	}
	if err := json.Unmarshal([]byte(c.run("rules", "--json")), &doc); err != nil || len(doc.Rules) == 0 {
		c.t.Fatalf("no rules: %v", err)
	}
	var b strings.Builder
	b.WriteString("[rules]\n")
	for _, r := range doc.Rules {
		if strings.ContainsAny(r.ID[:1], "SNOP") {
			fmt.Fprintf(&b, "%s = \"off\"\n", r.ID)
		}
	}
	return b.String()
}
