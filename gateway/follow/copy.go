// Package follow maintains a verified copy of a registry that is published elsewhere. On a machine that follows a
// registry, guards and other readers look up approved definitions in the copy. They require neither a database nor a
// network connection.
//
// The copy is a folder that all processes of a machine share. A registry is published as a bundle; see package bundle.
// Only a single process at a time polls for a new bundle, verifies the bundle, and replaces the copy (Copy.Update). The
// other processes wait for the replacement (Copy.Wait). A bundle is refused if its log does not extend the log of the
// accepted bundle, or if it is not signed by trusted signers. After a refusal, the accepted bundle remains in use.
package follow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sync/errgroup"

	"toolcrib/internal/atomicfile"
	"toolcrib/internal/filelock"
	"toolcrib/registry"
	"toolcrib/review/bundle"
	"toolcrib/signing/checkpoint"
)

// Names of published files. The name of a part is its hash. The names of the tiles of the log's hash tree are specified
// in https://c2sp.org/tlog-tiles.
const (
	IndexFile = "index.json"
	PartsDir  = "parts"
	// TileHeight is the height of the tiles.
	TileHeight = 8
)

// PartFile returns the path of the published, compressed part with the given hash.
func PartFile(hash string) string { return PartsDir + "/" + hash + ".gz" }

// ErrRefused indicates that a published bundle was refused. ErrNoCopy and ErrExpired indicate that the machine has no
// usable copy.
var (
	ErrRefused = errors.New("the published registry is refused")
	ErrNoCopy  = errors.New("the followed registry has not been copied yet")
	ErrExpired = errors.New("the copy of the followed registry is too old")
)

// Copy is the local copy of a followed registry.
type Copy struct {
	Dir string
	// Trust contains the trusted signers. If it is empty, only hashes and version chains are verified.
	Trust  bundle.Trust
	MaxAge time.Duration // maximum time since the last successful poll; 0 for no limit
	Now    func() time.Time
	// Looked, if not nil, is called by Poll after each successful update.
	Looked func(context.Context)
}

// Accepted describes the accepted bundle.
type Accepted struct {
	Source   string    `json:"source"` // address of the source
	Database string    `json:"database"`
	Size     int64     `json:"size"` // number of events in the log of the registry
	Root     string    `json:"root"` // root hash of the log's tree, in base64; "" if the source does not prove it
	Index    string    `json:"index"`
	Tag      string    `json:"tag,omitempty"`
	At       time.Time `json:"at"` // time of acceptance
}

// Checked describes the last poll of the source.
type Checked struct {
	At      time.Time `json:"at"`                // time of the last successful poll
	Tried   time.Time `json:"tried"`             // time of the last poll
	Problem string    `json:"problem,omitempty"` // error of the last poll; "" if it succeeded
}

// Names in the folder of a copy. filesView is the name of the view with skills and instruction files.
const (
	acceptedFile = "accepted.json"
	checkedFile  = "checked.json"
	lockFile     = "poll.lock"
	listenLock   = "listen.lock"
	filesView    = "files"
)

// maxTotal is the maximum total size of the parts that an update downloads, in bytes after decompression.
const maxTotal = 1 << 30

// serverView returns the name of the view for an MCP server. The name of a view is also a file name. It contains a hash
// of the server's name, because the server's name can be any text.
func serverView(server string) string { return "server_" + registry.HashBytes([]byte(server)) }

func readJSON[T any](file string) (v T, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	return v, err
}

// Accepted returns the accepted bundle. It returns ErrNoCopy if no bundle has been accepted.
func (c *Copy) Accepted() (Accepted, error) {
	a, err := readJSON[Accepted](filepath.Join(c.Dir, acceptedFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoCopy
	}
	return a, err
}

// Checked returns the result of the last poll, or the zero value if the source was never polled.
func (c *Copy) Checked() Checked {
	k, _ := readJSON[Checked](filepath.Join(c.Dir, checkedFile)) // a missing or damaged file is treated as if no poll had occurred
	return k
}

// Update polls the source, and replaces the copy if the source has a newer trusted bundle. It does nothing while another
// process is polling. It records the time and the error of the poll for Checked.
func (c *Copy) Update(ctx context.Context, address string, source Source) (changed bool, err error) {
	if err := os.MkdirAll(filepath.Join(c.Dir, PartsDir), 0o700); err != nil {
		return false, err
	}
	unlock, held, err := filelock.Try(filepath.Join(c.Dir, lockFile))
	if held || err != nil {
		return false, err
	}
	defer unlock()
	limited, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	changed, err = c.update(limited, address, source)
	if errors.Is(err, ErrRefused) {
		c.clean()
	}
	checked := c.Checked()
	checked.Tried, checked.Problem = c.Now().UTC(), ""
	if err == nil {
		checked.At = checked.Tried
	} else {
		checked.Problem = err.Error()
	}
	return changed, errors.Join(err, atomicfile.WriteJSON(filepath.Join(c.Dir, checkedFile), checked))
}

func (c *Copy) update(ctx context.Context, address string, source Source) (bool, error) {
	old, err := c.Accepted()
	first := errors.Is(err, ErrNoCopy)
	switch {
	case err != nil && !first:
		return false, err
	case !first && old.Source != address:
		return false, fmt.Errorf("this machine already follows %s; run toolcrib follow --stop first", old.Source)
	}
	encoded, tag, err := source.Get(ctx, IndexFile, old.Tag, 4<<20)
	if errors.Is(err, errUnchanged) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	index, err := bundle.DecodeIndex(encoded)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	now := Accepted{Source: address, Database: index.Database, Size: index.Log.Seq, Index: bundle.PartHash(encoded), Tag: tag, At: c.Now().UTC()}
	if now.Index == old.Index {
		old.Tag = tag
		return false, atomicfile.WriteJSON(filepath.Join(c.Dir, acceptedFile), old)
	}
	// Proving the root requires tiles, which a source that is a single file does not contain.
	if _, single := source.(fileSource); !single {
		if now.Root, err = c.grown(ctx, source, index, old); err != nil {
			return false, fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	if err := c.fetch(ctx, source, index); err != nil {
		return false, err
	}
	var heads map[string]head
	var next advanced
	verified := false
	if !first {
		if heads, err = readJSON[map[string]head](filepath.Join(c.Dir, old.Index, headsFile)); err != nil {
			return false, fmt.Errorf("the accepted copy cannot be read: %w; run toolcrib follow --stop, and follow again", err)
		}
		if next, verified, err = c.advance(ctx, old, index, heads); err != nil {
			return false, err
		}
	}
	if !verified {
		if next, err = c.verify(ctx, index, heads); err != nil {
			return false, err
		}
	}
	if err := c.write(old, now, encoded, next); err != nil {
		return false, err
	}
	if err := atomicfile.WriteJSON(filepath.Join(c.Dir, acceptedFile), now); err != nil {
		return false, err
	}
	c.clean()
	return true, nil
}

// grown returns the root hash of the log that index describes. It returns an error if the log does not extend the log
// of oldBundle.
func (c *Copy) grown(ctx context.Context, source Source, index bundle.Index, oldBundle Accepted) (root string, err error) {
	cp, err := checkpoint.Read([]byte(index.Checkpoint))
	if err != nil {
		cp, err = checkpoint.Parse(index.Checkpoint) // an unsigned checkpoint
	}
	switch {
	case err != nil:
		return "", err
	case cp.Genesis != index.Database || cp.Size != index.Log.Seq:
		return "", errors.New("the checkpoint belongs to another log")
	case oldBundle.Size == 0:
		return cp.Root.String(), nil
	case oldBundle.Database != index.Database:
		return "", fmt.Errorf("the source has a different registry: its log begins with %.12s, and the log of the accepted copy begins with %.12s", index.Database, oldBundle.Database)
	case cp.Size < oldBundle.Size:
		return "", fmt.Errorf("the log is older than the accepted copy: %d events instead of %d", cp.Size, oldBundle.Size)
	case oldBundle.Root == "":
		return cp.Root.String(), nil
	}
	was, err := tlog.TreeHash(oldBundle.Size, tlog.TileHashReader(tlog.Tree{N: cp.Size, Hash: cp.Root}, tiles{ctx, source}))
	if err != nil {
		return "", fmt.Errorf("the log cannot be compared with the log of the last accepted copy of the registry: %w", err)
	}
	if was.String() != oldBundle.Root {
		return "", fmt.Errorf("the first %d events of the log differ from the accepted copy", oldBundle.Size)
	}
	return cp.Root.String(), nil
}

// tiles implements tlog.TileReader for the hash tree of a published log.
type tiles struct {
	ctx    context.Context
	source Source
}

func (tiles) Height() int { return TileHeight }

func (t tiles) ReadTiles(list []tlog.Tile) ([][]byte, error) {
	read := make([][]byte, len(list))
	for i, tile := range list {
		size := tile.W * tlog.HashSize
		data, _, err := t.source.Get(t.ctx, tile.Path(), "", int64(size))
		if err != nil {
			return nil, err
		}
		if len(data) != size {
			return nil, fmt.Errorf("%s has %d bytes; expected %d", tile.Path(), len(data), size)
		}
		read[i] = data
	}
	return read, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// fetch downloads the parts of index that the copy does not have.
func (c *Copy) fetch(ctx context.Context, source Source, index bundle.Index) error {
	missing := slices.DeleteFunc(slices.Clone(index.Parts), func(hash string) bool {
		_, err := os.Stat(filepath.Join(c.Dir, PartsDir, hash))
		return err == nil
	})
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	var total atomic.Int64
	for _, hash := range missing {
		if strings.ContainsAny(hash, `/\.`) {
			return fmt.Errorf("%w: the index contains the invalid part name %q", ErrRefused, hash)
		}
		g.Go(func() error {
			data, _, err := source.Get(ctx, PartFile(hash), "", bundle.MaxSize)
			if err != nil {
				return err
			}
			part, err := expand(data)
			if err != nil {
				return fmt.Errorf("%w: part %s: %w", ErrRefused, hash, err)
			}
			if bundle.PartHash(part) != hash {
				return fmt.Errorf("%w: the content of part %s does not match the hash in the index", ErrRefused, hash)
			}
			if total.Add(int64(len(part))) > maxTotal {
				return fmt.Errorf("%w: the parts have more than %d MiB in total", ErrRefused, maxTotal>>20)
			}
			return atomicfile.Write(filepath.Join(c.Dir, PartsDir, hash), part, atomicfile.Options{Mode: 0o600})
		})
	}
	return g.Wait()
}

func (c *Copy) part(hash string) ([]byte, error) {
	return os.ReadFile(filepath.Join(c.Dir, PartsDir, hash))
}

func (c *Copy) index(a Accepted) (bundle.Index, error) {
	data, err := os.ReadFile(filepath.Join(c.Dir, a.Index, IndexFile))
	if err != nil {
		return bundle.Index{}, err
	}
	return bundle.DecodeIndex(data)
}

// clean removes the files of earlier and refused bundles. It ignores errors, because the next update calls clean again.
func (c *Copy) clean() {
	a, _ := c.Accepted() // without an accepted bundle, a is zero and all files are removed
	index, err := c.index(a)
	if err != nil && a.Index != "" {
		return
	}
	entries, _ := os.ReadDir(c.Dir)
	for _, e := range entries {
		if e.IsDir() && e.Name() != PartsDir && e.Name() != a.Index && e.Name() != "git" {
			_ = os.RemoveAll(filepath.Join(c.Dir, e.Name()))
		}
	}
	parts, _ := os.ReadDir(filepath.Join(c.Dir, PartsDir))
	for _, e := range parts {
		if !slices.Contains(index.Parts, e.Name()) {
			_ = os.Remove(filepath.Join(c.Dir, PartsDir, e.Name()))
		}
	}
}

// Remove deletes the copy.
func (c *Copy) Remove() error { return os.RemoveAll(c.Dir) }

// Server returns the approved tools and texts of the MCP server with the given name.
func (c *Copy) Server(ctx context.Context, name string) (*Registry, error) {
	return c.read(ctx, serverView(name), nil)
}

// Files returns the approved skills and instruction files.
func (c *Copy) Files(ctx context.Context) (*Registry, error) { return c.read(ctx, filesView, nil) }

// Whole returns the complete registry.
func (c *Copy) Whole(ctx context.Context) (*Registry, error) { return c.read(ctx, "", nil) }

// current returns the accepted bundle. It returns ErrExpired if the last successful poll was more than MaxAge ago.
func (c *Copy) current() (Accepted, error) {
	a, err := c.Accepted()
	if err != nil || c.MaxAge <= 0 {
		return a, err
	}
	if age := c.Now().Sub(c.Checked().At); age > c.MaxAge {
		err = fmt.Errorf("%w: %s last confirmed the copy %s ago, and the limit is %s (follow.max_age)", ErrExpired, a.Source, age.Round(time.Second), c.MaxAge)
	}
	return a, err
}

// read reads and verifies the named view of the accepted bundle, or the complete bundle if view is "". cached is an
// earlier result or nil. If the content of the view has not changed since the earlier call, read returns cached.
func (c *Copy) read(ctx context.Context, view string, cached *Registry) (*Registry, error) {
	for {
		a, err := c.current()
		if err != nil {
			return nil, err
		}
		var b bundle.Bundle
		var data []byte
		if view == "" {
			var index bundle.Index
			if index, err = c.index(a); err == nil {
				b, err = index.Join(c.part)
			}
		} else if data, err = c.viewData(a, view); err == nil {
			if cached != nil && cached.hash == registry.HashBytes(data) {
				return cached, nil
			}
			b, err = bundle.Decode(data)
		}
		if again, failed := c.Accepted(); failed == nil && again.Index != a.Index {
			continue // another process has replaced the bundle in the meantime
		}
		if err != nil {
			return nil, fmt.Errorf("the copy of the followed registry cannot be read: %w; run toolcrib follow --stop, and follow again", err)
		}
		lives, err := c.check(ctx, b)
		if err != nil {
			return nil, fmt.Errorf("the copy of the followed registry is not valid: %w", err)
		}
		r := newRegistry(a, b, lives)
		r.hash = registry.HashBytes(data)
		if view == "" {
			r.versions = b.Versions
		}
		return r, nil
	}
}

func (c *Copy) view(a Accepted, name string) (bundle.Bundle, error) {
	data, err := c.viewData(a, name)
	if err != nil {
		return bundle.Bundle{}, err
	}
	return bundle.Decode(data)
}

// viewData returns the encoded view with the given name. If the file of the view does not exist, viewData returns an
// empty view.
func (c *Copy) viewData(a Accepted, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(c.Dir, a.Index, name+".json"))
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	index, err := c.index(a)
	if err != nil {
		return nil, err
	}
	return bundle.Bundle{Format: bundle.Format, Header: index.Header, Records: bundle.Records{Versions: []bundle.Version{}, Statements: []bundle.Statement{}, Signers: []bundle.State{}}}.Encode()
}
