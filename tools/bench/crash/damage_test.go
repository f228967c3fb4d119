//go:build unix

package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
)

// inProcess runs toolcrib inside the test; a panic is an outcome.
func (c testDB) inProcess(t *testing.T, args ...string) (out string, code int, panicked any) {
	t.Helper()
	defer func() { panicked = recover() }()
	stdout, stderr, code := c.here("", args...)
	return stdout + stderr, code, nil
}

// damaged is a database with a history and a pending proposal, and its output while it
// is intact.
type damaged struct {
	testDB
	image   []byte
	pending string // id of the proposal that waits
	hash    string // of its content
	said    string
}

// reading is everything toolcrib prints about a database.
var reading = [][]string{
	{"list", "--json", "--limit", "1000"},
	{"tools", "--json"},
	{"agents", "--json"},
	{"log", "--json"},
	{"history", "tool:user/tool_0_0", "--json"},
	{"export"},
}

func (c testDB) says(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, args := range reading {
		out, code, panicked := c.inProcess(t, args...)
		fmt.Fprintf(&all, "%v: %d %v\n%s\n", args, code, panicked, out)
	}
	return all.String()
}

func newDamaged(t *testing.T) damaged {
	t.Helper()
	c := newTestDB(t)
	waiting := propose(t, c, 0, 12)
	c.must("", append([]string{"--approve", "--unseen"}, waiting[:8]...)...)
	c.must("", "reject", waiting[8], "--note", "Not needed.")
	c.must("", "needs-changes", waiting[9], "--note", "Say when to use it.")
	c.must("", "comment", waiting[10], "--note", "It reads well.")
	c.must("", "verify", "--deep") // and the log is written back
	p := damaged{testDB: c, pending: waiting[11]}
	var err error
	if p.image, err = os.ReadFile(c.path); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Proposal struct {
			Hash string `json:"content_hash"`
		} `json:"proposal"`
	}
	if err := json.Unmarshal([]byte(c.must("", "show", p.pending, "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	p.hash, p.said = doc.Proposal.Hash, c.says(t)
	return p
}

// verdicts counts what became of damaged files.
type verdicts struct {
	sync.Mutex
	refused, named, harmless int
}

func (v *verdicts) String() string {
	return fmt.Sprintf("%d refused at open, %d named by verify, %d without effect on anything that is read; no panic, no approval of anything but what was shown", v.refused, v.named, v.harmless)
}

func (v *verdicts) count(n *int) {
	v.Lock()
	defer v.Unlock()
	*n++
}

// examine writes a damaged image (and a log) and checks how toolcrib handles it.
func (p damaged) examine(t *testing.T, what string, image, wal []byte, v *verdicts) {
	t.Helper()
	dir := t.TempDir()
	c := p.on(filepath.Join(dir, "toolcrib.db"))
	for name, b := range map[string][]byte{"toolcrib.db": image, "toolcrib.db-wal": wal} {
		if b == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Error(err)
			return
		}
	}
	out, code, panicked := c.inProcess(t, "verify", "--deep")
	switch {
	case panicked != nil:
		t.Errorf("%s: verify panicked: %v", what, panicked)
	case code == 6:
		v.count(&v.named)
	case code == 0:
		if said := c.says(t); said != p.said {
			t.Errorf("%s: verify is content and the database says something else", what)
		}
		v.count(&v.harmless)
	case code == 1 && strings.HasPrefix(out, "toolcrib: "):
		v.count(&v.refused)
	default:
		t.Errorf("%s: verify: exit %d\n%s", what, code, out)
	}
	out, code, panicked = c.inProcess(t, "--approve", p.pending, "--json")
	if panicked != nil {
		t.Errorf("%s: approve panicked: %v", what, panicked)
	}
	if code == 0 && !strings.Contains(out, p.hash) {
		t.Errorf("%s: approved other content than was shown\n%s", what, out)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// TestDamagedFiles changes a byte, cuts the end off, blanks a page, or lays a
// wrong log beside the file, again and again in other places.
func TestDamagedFiles(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	p := newDamaged(t)
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	page := 4096
	kinds := []struct {
		name        string
		whole, some int
		damage      func(image []byte) (damaged, wal []byte, at int)
	}{
		{"one byte changed", 1000, 12, func(image []byte) ([]byte, []byte, int) {
			at := random.IntN(len(image))
			image[at] ^= byte(1 + random.IntN(255))
			return image, nil, at
		}},
		{"file cut short", 100, 4, func(image []byte) ([]byte, []byte, int) {
			at := 1 + random.IntN(len(image)-1)
			return image[:at], nil, at
		}},
		{"a page of zeros", 100, 4, func(image []byte) ([]byte, []byte, int) {
			at := random.IntN(len(image)/page) * page
			clear(image[at : at+page])
			return image, nil, at
		}},
		{"a wrong log beside it", 50, 4, func(image []byte) ([]byte, []byte, int) {
			wal := make([]byte, 32+random.IntN(4)*(24+page))
			for i := range wal {
				wal[i] = byte(random.IntN(256))
			}
			copy(wal, []byte{0x37, 0x7f, 0x06, 0x82, 0x00, 0x2d, 0xe2, 0x18, 0x00, 0x00, 0x10, 0x00}) // a header that begins well
			return image, wal, len(wal)
		}},
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			var v verdicts
			n := blows(kind.whole, kind.some)
			var beds sync.WaitGroup
			free := make(chan struct{}, runtime.GOMAXPROCS(0))
			for range n {
				image, wal, at := kind.damage(bytes.Clone(p.image))
				free <- struct{}{}
				beds.Go(func() {
					p.examine(t, fmt.Sprintf("%s at %d", kind.name, at), image, wal, &v)
					<-free
				})
			}
			beds.Wait()
			figures.note(t, kind.name, n, "%s", &v)
		})
	}
}
