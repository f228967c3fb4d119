package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/registry/wire"
)

// published is where saved answers of published MCP servers are, beside the
// project.
const published = "../../shared/data/mcp"

// TestPublishedListsLoseNothing imports and approves what published servers
// list, and exports it again: every tool says what it said, with all its keys.
// Between two versions that say the same nothing is proposed.
func TestPublishedListsLoseNothing(t *testing.T) {
	files, err := filepath.Glob(published + "/*.json")
	if err != nil || len(files) == 0 {
		t.Skipf("there are no saved lists in %s", published)
	}
	if testing.Short() {
		t.Skip("hundreds of tools are approved; -short is without them")
	}
	lenient := newTestDB(t).lenient()
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := wire.Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			c := newTestDB(t)
			c.write(".config/toolcrib/toolcrib.toml", lenient)
			c.write("list.json", string(text))
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
			if strings.Contains(file, "notion-mcp-server@2.4.1") {
				next, err := os.ReadFile(strings.Replace(file, "2.4.1", "2.5.2", 1))
				if err != nil {
					t.Skip("the version that says the same is not here")
				}
				c.write("next.json", string(next))
				if same := c.run("import", "next.json", "--server", "published", "--json"); !strings.Contains(same, `"proposals":[]`) {
					t.Errorf("the next version says the same, and proposed is %s", same)
				}
			}
		})
	}
}

// lenient is a configuration that lets whatever a server says be approved.
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
