package follow_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/gateway/follow"
	"toolcrib/gateway/publish"
	"toolcrib/review/bundle"
	"toolcrib/signing/checkpoint"
	"toolcrib/signing/signers"
	"toolcrib/signing/statement"
)

// event returns the hash of the nth event of the named log.
func event(log string, n int64) string {
	sum := sha256.Sum256(fmt.Append(nil, log, n))
	return hex.EncodeToString(sum[:])
}

// published returns the files of a real bundle with size events in its log, of which those after fork come from
// another log. change modifies the bundle first.
func published(t *testing.T, size, fork int64, change func(*bundle.Bundle)) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("../../review/bundle/testdata/bundle.json")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&b)
	}
	log := &checkpoint.Log{}
	for n := int64(1); n <= size; n++ {
		e := event("log", n)
		if n == 1 {
			e = b.Database
		}
		if n > fork {
			e = event("fork", n)
		}
		if err := log.Append(e); err != nil {
			t.Fatal(err)
		}
		b.Log = statement.Head{Seq: n, Hash: e}
	}
	root, err := tlog.TreeHash(size, log)
	if err != nil {
		t.Fatal(err)
	}
	b.Checkpoint = checkpoint.Checkpoint{Genesis: b.Database, Size: size, Root: root}.Text()
	d, err := publish.New(b, log)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := d.ToFolder(dir); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	if err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// editIndex modifies the index in files.
func editIndex(t *testing.T, files map[string][]byte, edit func(map[string]any)) {
	t.Helper()
	var index map[string]any
	if err := json.Unmarshal(files[follow.IndexFile], &index); err != nil {
		t.Fatal(err)
	}
	edit(index)
	text, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	files[follow.IndexFile] = text
}

// each modifies every file in a folder.
func each(files map[string][]byte, folder string, change func([]byte) []byte) {
	for name, data := range files {
		if strings.HasPrefix(name, folder) {
			files[name] = change(data)
		}
	}
}

func setLast(b *bundle.Bundle, change func(*bundle.Version)) {
	change(&b.Versions[len(b.Versions)-1])
}

// TestRefused follows a registry of 300 events and offers others, which must be refused with a reason and leave the
// accepted copy in place.
func TestRefused(t *testing.T) {
	const old = 300
	same := func(*testing.T, map[string][]byte) {}
	for name, c := range map[string]struct {
		size, fork int64
		change     func(*bundle.Bundle)
		damage     func(t *testing.T, files map[string][]byte)
		want       string
	}{
		"older":              {299, old, nil, same, "older than the accepted copy"},
		"much older":         {1, old, nil, same, "older than the accepted copy"},
		"another history":    {400, 200, nil, same, "of the log differ"},
		"another last event": {300, 299, nil, same, "of the log differ"},
		"forked at once":     {400, 1, nil, same, "of the log differ"},
		"another registry":   {400, old, func(b *bundle.Bundle) { b.Database = strings.Repeat("ab", 32) }, same, "different registry"},
		"a subject is gone": {400, old, func(b *bundle.Bundle) {
			gone := b.Versions[len(b.Versions)-1].Subject
			var left []bundle.Version
			for _, v := range b.Versions {
				if v.Subject != gone {
					left = append(left, v)
				}
			}
			b.Versions = left
		}, same, "is missing, but the accepted copy contains it"},
		"a definition changed": {400, old, func(b *bundle.Bundle) {
			setLast(b, func(v *bundle.Version) { v.Definition = []byte(strings.Replace(string(v.Definition), "a", "b", 1)) })
		}, same, "refused"},
		"a version number changed": {400, old, func(b *bundle.Bundle) { setLast(b, func(v *bundle.Version) { v.Number++ }) }, same, "refused"},
		"another approver":         {400, old, func(b *bundle.Bundle) { setLast(b, func(v *bundle.Version) { v.DecidedBy = "user:eve" }) }, same, "refused"},
		"a subject renamed":        {400, old, func(b *bundle.Bundle) { setLast(b, func(v *bundle.Version) { v.Subject = "tool:user/other" }) }, same, "refused"},
		"no subject":               {400, old, func(b *bundle.Bundle) { setLast(b, func(v *bundle.Version) { v.Subject = "none" }) }, same, "refused"},
		"no definition":            {400, old, func(b *bundle.Bundle) { setLast(b, func(v *bundle.Version) { v.Definition = []byte("null") }) }, same, "refused"},
		"no checkpoint": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) { delete(i, "checkpoint") })
		}, "malformed checkpoint"},
		"a checkpoint of another size": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) { i["log"] = map[string]any{"seq": 399, "hash": event("log", 399)} })
		}, "belongs to another log"},
		"another root": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) {
				i["checkpoint"] = strings.Replace(i["checkpoint"].(string), "\ncalls", "x\ncalls", 1)
			})
		}, "malformed checkpoint"},
		"tiles are missing": {400, old, nil, func(_ *testing.T, f map[string][]byte) {
			maps.DeleteFunc(f, func(name string, _ []byte) bool { return strings.HasPrefix(name, "tile/") })
		}, "cannot be compared"},
		"tiles are cut": {400, old, nil, func(_ *testing.T, f map[string][]byte) {
			each(f, "tile/", func(d []byte) []byte { return d[:len(d)/2] })
		}, "cannot be compared"},
		"tiles are longer": {400, old, nil, func(_ *testing.T, f map[string][]byte) {
			each(f, "tile/", func(d []byte) []byte { return append(d, 0) })
		}, "cannot be compared"},
		"tiles are changed": {400, old, nil, func(_ *testing.T, f map[string][]byte) {
			each(f, "tile/", func(d []byte) []byte { d[0] ^= 1; return d })
		}, "cannot be compared"},
		"the index is cut":    {400, old, nil, func(_ *testing.T, f map[string][]byte) { f[follow.IndexFile] = f[follow.IndexFile][:200] }, "malformed bundle"},
		"the index is empty":  {400, old, nil, func(_ *testing.T, f map[string][]byte) { f[follow.IndexFile] = nil }, "malformed bundle"},
		"the index is a page": {400, old, nil, func(_ *testing.T, f map[string][]byte) { f[follow.IndexFile] = []byte("<html>Sign in</html>") }, "malformed bundle"},
		"the index has another format": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) { i["format"] = "toolcrib bundle index 9" })
		}, "the format is not"},
		"the index has an unknown key": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) { i["trust"] = true })
		}, "malformed bundle"},
		"the index has a part twice": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) { parts := i["parts"].([]any); i["parts"] = append(parts, parts[0]) })
		}, "more than once"},
		"the index has a path": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) { i["parts"] = []any{"../../accepted.json"} })
		}, "invalid part name"},
		"the index has no parts": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) { i["parts"] = []any{} })
		}, "is missing"},
		"the index lacks a part": {400, old, nil, func(t *testing.T, f map[string][]byte) {
			t.Helper()
			editIndex(t, f, func(i map[string]any) { i["parts"] = i["parts"].([]any)[1:] })
		}, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFollower(t, old)
			f.files = published(t, c.size, c.fork, c.change)
			c.damage(t, f.files)
			f.refuses(t, c.want)
		})
	}
}

// follower follows a server whose files the test modifies.
type follower struct {
	follow.Copy
	files   map[string][]byte
	handle  http.HandlerFunc // in place of the files; nil for none
	address string
}

// newFollower accepts a registry of size events.
func newFollower(t *testing.T, size int64) *follower {
	t.Helper()
	return newFollowerOf(t, published(t, size, size, nil))
}

// newFollowerOf accepts a published registry.
func newFollowerOf(t *testing.T, files map[string][]byte) *follower {
	t.Helper()
	f := &follower{files: files, Copy: follow.Copy{Dir: filepath.Join(t.TempDir(), "copy"), Now: time.Now}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.handle != nil {
			f.handle(w, r)
			return
		}
		f.serve(w, r)
	}))
	t.Cleanup(server.Close)
	f.address = server.URL
	if changed, err := f.update(t.Context()); err != nil || !changed {
		t.Fatal(changed, err)
	}
	return f
}

func (f *follower) serve(w http.ResponseWriter, r *http.Request) {
	data, ok := f.files[strings.TrimPrefix(r.URL.Path, "/")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(data)
}

func (f *follower) update(ctx context.Context) (bool, error) {
	source, err := follow.NewSource(f.address, "", "")
	if err != nil {
		return false, err
	}
	return f.Update(ctx, f.address, source)
}

// refuses updates from the source, which must fail with a recorded reason. The accepted copy must stay readable, and
// a valid registry must be accepted afterwards.
func (f *follower) refuses(t *testing.T, want string) {
	t.Helper()
	before, err := f.Accepted()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	changed, err := f.update(ctx)
	if err == nil || changed || !strings.Contains(err.Error(), want) {
		t.Errorf("changed %v, %v; want an error with %q", changed, err, want)
	}
	if now, err := f.Accepted(); err != nil || now != before {
		t.Errorf("accepted is %+v, %v; it was %+v", now, err, before)
	}
	if checked := f.Checked(); checked.Problem == "" || checked.At.Equal(checked.Tried) {
		t.Errorf("checked is %+v", checked)
	}
	if r, err := f.Whole(t.Context()); err != nil || len(r.Lives) != 2 {
		t.Errorf("the accepted copy has %+v, %v", r, err)
	}
	f.files, f.handle = published(t, before.Size+100, before.Size+100, nil), nil
	if changed, err := f.update(t.Context()); err != nil || !changed {
		t.Errorf("a good registry afterwards: %v, %v", changed, err)
	}
}

// TestBadTransfers has responses that are not valid parts of a registry.
func TestBadTransfers(t *testing.T) {
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for data := make([]byte, 1<<20); ; {
			if _, err := w.Write(data); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		files  func(files map[string][]byte)
		handle http.HandlerFunc
		want   string
	}{
		"parts are cut":         {func(f map[string][]byte) { each(f, "parts/", func(d []byte) []byte { return d[:len(d)-9] }) }, nil, "part"},
		"parts are empty":       {func(f map[string][]byte) { each(f, "parts/", func([]byte) []byte { return nil }) }, nil, "part"},
		"parts are no archives": {func(f map[string][]byte) { each(f, "parts/", func([]byte) []byte { return []byte("hello") }) }, nil, "part"},
		"parts are others": {func(f map[string][]byte) {
			each(f, "parts/", func([]byte) []byte { return follow.Compress([]byte("{}")) })
		}, nil, "does not match the hash"},
		"parts expand to much": {func(f map[string][]byte) {
			each(f, "parts/", func([]byte) []byte { return follow.Compress(make([]byte, bundle.MaxSize+1)) })
		}, nil, "too large"},
		"parts are missing": {func(f map[string][]byte) {
			maps.DeleteFunc(f, func(name string, _ []byte) bool { return strings.HasPrefix(name, "parts/") })
		}, nil, "not exist"},
		"an endless index": {nil, endless, "too large"},
		"a failing server": {nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, "502"},
		"nothing there":    {nil, http.NotFound, "not exist"},
		"a sign-in page":   {nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "malformed"},
		"an open redirect": {nil, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://registry.example/x", http.StatusFound)
		}, "not encrypted"},
		"redirects in rings": {nil, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "too often"},
		"a broken transfer": {nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "{")
		}, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFollower(t, 300)
			f.files = published(t, 400, 400, func(b *bundle.Bundle) { b.Raws = append(b.Raws, "{}") })
			if c.files != nil {
				c.files(f.files)
			}
			f.handle = c.handle
			f.refuses(t, c.want)
		})
	}
}

// TestHangingSource checks that an update from a source that never answers ends.
func TestHangingSource(t *testing.T) {
	f := newFollower(t, 100)
	hangs := make(chan struct{})
	f.handle = func(http.ResponseWriter, *http.Request) { <-hangs }
	defer close(hangs)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := f.update(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a source that hangs: %v", err)
	}
}

// TestSigners checks that a registry is accepted with its own signers and refused with others.
func TestSigners(t *testing.T) {
	f := newFollower(t, 100)
	own := signersOf(t)
	for name, c := range map[string]struct {
		signers string
		want    string
	}{
		"its own": {own, ""},
		"others":  {"user:ada ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHIPiwJrBzNPpD6R7OaTLw4V2KRxS1hGIoECymuwxwZ1\n", "refused"},
	} {
		trusted, err := signers.Parse([]byte(c.signers))
		if err != nil {
			t.Fatal(err)
		}
		other := &follower{Copy: follow.Copy{Dir: t.TempDir(), Now: time.Now, Trust: bundle.Trust{Signers: trusted}}, address: f.address}
		_, err = other.update(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// signersOf returns the signers that the registry lists.
func signersOf(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../review/bundle/testdata/bundle.json")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.Signers[0].Text) {
		if strings.HasPrefix(line, "user:") {
			return line
		}
	}
	t.Fatal("nobody signs")
	return ""
}
