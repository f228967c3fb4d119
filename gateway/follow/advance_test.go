package follow_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/gateway/follow"
	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/bundle"
	"toolcrib/signing/checkpoint"
	"toolcrib/signing/statement"
)

// origin is a registry with many tools of MCP servers and unsigned versions.
type origin struct {
	bundle bundle.Bundle
	log    *checkpoint.Log
}

const (
	toolsOfOrigin   = 400
	serversOfOrigin = 8
)

func newOrigin(t *testing.T) *origin {
	t.Helper()
	o := &origin{log: &checkpoint.Log{}}
	o.bundle.Format, o.bundle.View, o.bundle.Database = bundle.Format, []string{"global", "user"}, event("log", 1)
	o.bundle.Statements, o.bundle.Signers = []bundle.Statement{}, []bundle.State{}
	for n := range toolsOfOrigin {
		o.approve(t, fmt.Sprintf("tool_%d", n), fmt.Sprintf("server%d", n%serversOfOrigin), "Do the first thing.")
	}
	return o
}

// approve adds a tool or the next version of it.
func (o *origin) approve(t *testing.T, id, server, description string) {
	t.Helper()
	raw := fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, id, description)
	v := bundle.Version{Subject: "tool:user/" + id, Version: history.Version{Number: 1, Proposal: "p", DecidedBy: "user:ada"}}
	v.Version.Subject, _ = registry.ParseSubject(v.Subject)
	at := 0
	for i, before := range o.bundle.Versions {
		if before.Subject == v.Subject {
			v.Number, v.PrevHash, at = before.Number+1, before.Hash, i+1
		}
	}
	definition, err := json.Marshal(map[string]any{
		"id": id, "kind": "action", "name": id, "description": description, "category": "other", "inputSchema": map[string]any{"type": "object"},
		"provider": map[string]any{"type": "mcp", "server": server, "name": id},
		"source":   map[string]any{"type": "mcp", "ref": server + "#" + id, "hash": registry.HashBytes([]byte(raw))},
	})
	if err != nil {
		t.Fatal(err)
	}
	n, err := jsondoc.Parse(definition, jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	v.Definition = jsondoc.Canonical(n)
	v.DecidedAt = time.Date(2026, 1, 1, 0, 0, len(o.bundle.Versions), 0, time.UTC)
	v.ContentHash = registry.HashBytes(v.Definition)
	v.Hash = v.Sum()
	o.bundle.At = v.DecidedAt
	if at == 0 {
		at = len(o.bundle.Versions)
	}
	o.bundle.Versions = slices.Insert(o.bundle.Versions, at, v)
	o.bundle.Log = statement.Head{Seq: o.bundle.Log.Seq + 1, Hash: event("log", o.bundle.Log.Seq+1)}
	if err := o.log.Append(o.bundle.Log.Hash); err != nil {
		t.Fatal(err)
	}
}

// files publishes the registry. edit modifies the parts, by hash.
func (o *origin) files(t *testing.T, edit func(parts map[string]bundle.Records)) map[string][]byte {
	t.Helper()
	root, err := tlog.TreeHash(o.bundle.Log.Seq, o.log)
	if err != nil {
		t.Fatal(err)
	}
	o.bundle.Checkpoint = checkpoint.Checkpoint{Genesis: o.bundle.Database, Size: o.bundle.Log.Seq, Root: root}.Text()
	index, parts, err := o.bundle.Split()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, tile := range tlog.NewTiles(8, 0, o.bundle.Log.Seq) {
		if files[tile.Path()], err = tlog.ReadTileData(tile, o.log); err != nil {
			t.Fatal(err)
		}
	}
	decoded := map[string]bundle.Records{}
	for hash, part := range parts {
		var r bundle.Records
		if err := json.Unmarshal(part, &r); err != nil {
			t.Fatal(err)
		}
		decoded[hash] = r
	}
	if edit != nil {
		edit(decoded)
	}
	for i, hash := range index.Parts {
		part, err := jsondoc.Encode(decoded[hash])
		if err != nil {
			t.Fatal(err)
		}
		index.Parts[i] = bundle.PartHash(part)
		files["parts/"+index.Parts[i]+".gz"] = follow.Compress(part)
	}
	if files["index.json"], err = index.Encode(); err != nil {
		t.Fatal(err)
	}
	return files
}

// live returns the definition of each tool in the copy.
func (f *follower) live(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for n := range serversOfOrigin + 1 {
		r, err := f.Server(t.Context(), fmt.Sprintf("server%d", n))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range r.Lives {
			found[l.Subject.String()] = fmt.Sprint(n, " ", l.Version, " ", l.ContentHash)
		}
	}
	return found
}

// TestAdvance updates a copy repeatedly from changed parts and compares it with a new copy.
func TestAdvance(t *testing.T) {
	o := newOrigin(t)
	f := newFollowerOf(t, o.files(t, nil))
	requested := map[string]int{}
	f.handle = func(w http.ResponseWriter, r *http.Request) {
		requested[strings.Split(r.URL.Path, "/")[1]]++
		f.serve(w, r)
	}
	guard := &follow.Server{Copy: &f.Copy, Name: "server3"}
	before, err := guard.Registry(t.Context())
	if err != nil || len(before.Lives) != toolsOfOrigin/serversOfOrigin {
		t.Fatal(before, err)
	}
	for name, change := range map[string]func(){
		"one changes":         func() { o.approve(t, "tool_5", "server5", "Do another thing.") },
		"one is new":          func() { o.approve(t, "tool_new", "server5", "Do a new thing.") },
		"one changes twice":   func() { o.approve(t, "tool_6", "server6", "Do."); o.approve(t, "tool_6", "server6", "Do more.") },
		"one moves elsewhere": func() { o.approve(t, "tool_7", "server8", "Do it elsewhere.") },
	} {
		change()
		clear(requested)
		f.files = o.files(t, nil)
		if changed, err := f.update(t.Context()); err != nil || !changed {
			t.Fatal(name, changed, err)
		}
		if requested["parts"] != 1 {
			t.Errorf("%s: the copy requested %v", name, requested)
		}
		if got, want := f.live(t), newFollowerOf(t, f.files).live(t); !maps.Equal(got, want) {
			t.Errorf("%s: the copy has %d tools, a new one %d, and they differ", name, len(got), len(want))
		}
		if r, err := f.Whole(t.Context()); err != nil || len(r.Lives) != len(f.live(t)) {
			t.Errorf("%s: the whole copy: %v", name, err)
		}
	}
	if after, err := guard.Registry(t.Context()); err != nil || after != before {
		t.Errorf("the registry of a server that did not change was read again: %v", err)
	}
	o.approve(t, "tool_3", "server3", "Do the third thing.")
	f.files = o.files(t, nil)
	if _, err := f.update(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after, err := guard.Registry(t.Context()); err != nil || after == before {
		t.Errorf("the registry of a server that changed was not read again: %v", err)
	}
}

// TestAdvanceRefuses has changed parts that are inconsistent with the unchanged ones.
func TestAdvanceRefuses(t *testing.T) {
	o := newOrigin(t)
	o.approve(t, "tool_0", "server0", "Do the first thing better.")
	start := o.files(t, nil)
	first := o.bundle.Versions[0]
	o.approve(t, "tool_5", "server5", "Do another thing.")
	with := func(subject string, change func(*bundle.Records, int)) func(map[string]bundle.Records) {
		return func(parts map[string]bundle.Records) {
			for hash, r := range parts {
				if i := slices.IndexFunc(r.Versions, func(v bundle.Version) bool { return v.Subject == subject }); i >= 0 {
					change(&r, i)
					parts[hash] = r
				}
			}
		}
	}
	for name, edit := range map[string]func(map[string]bundle.Records){
		"another definition": with("tool:user/tool_5", func(r *bundle.Records, i int) { r.Versions[i].Definition = first.Definition }),
		"the definition of a sibling": with("tool:user/tool_5", func(r *bundle.Records, i int) {
			j := (i + 2) % len(r.Versions)
			r.Versions[j].Definition = first.Definition
		}),
		"a sibling is missing": with("tool:user/tool_5", func(r *bundle.Records, i int) {
			j := (i + 2) % len(r.Versions)
			r.Versions = slices.Delete(r.Versions, j, j+1)
		}),
		"an accepted version is missing": with("tool:user/tool_5", func(r *bundle.Records, i int) {
			r.Versions = slices.Delete(r.Versions, i, i+1)
		}),
		"an older version in another part": with("tool:user/tool_5", func(r *bundle.Records, i int) {
			if !slices.ContainsFunc(r.Versions, func(v bundle.Version) bool { return v.Subject == first.Subject }) {
				r.Versions = append(r.Versions, first)
			}
		}),
		"a statement about nothing": with("tool:user/tool_5", func(r *bundle.Records, i int) { r.Statements = append(r.Statements, bundle.Statement{Statement: "x"}) }),
		"signers":                   with("tool:user/tool_5", func(r *bundle.Records, i int) { r.Signers = append(r.Signers, bundle.State{Number: 1}) }),
	} {
		f := newFollowerOf(t, start)
		had := f.live(t)
		f.files = o.files(t, edit)
		if changed, err := f.update(t.Context()); err == nil || changed || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: changed %v, %v", name, changed, err)
		}
		if now := f.live(t); !maps.Equal(had, now) {
			t.Errorf("%s: the accepted copy changed", name)
		}
		f.files = o.files(t, nil)
		if changed, err := f.update(t.Context()); err != nil || !changed {
			t.Errorf("%s: a good registry afterwards: %v, %v", name, changed, err)
		}
	}
}

// TestServersOfAnyName follows a registry with server names that are paths or too long for a file name.
func TestServersOfAnyName(t *testing.T) {
	o := newOrigin(t)
	names := []string{"../../pwned", "no/such", strings.Repeat("x", 250)}
	for i, name := range names {
		o.approve(t, fmt.Sprintf("odd_%d", i), name, "Do the first thing.")
	}
	f := newFollowerOf(t, o.files(t, nil))
	for _, name := range names {
		r, err := f.Server(t.Context(), name)
		if err != nil || len(r.Lives) != 1 {
			t.Errorf("%.20s: %v, %d tools", name, err, len(r.Lives))
		}
	}
	if found, _ := filepath.Glob(filepath.Join(f.Dir, "..", "*pwned*")); len(found) > 0 {
		t.Errorf("written outside of the copy: %q", found)
	}
}
