// This file writes snapshots and accesses the files of a workspace.

package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/internal/atomicfile"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// snapshotFile is the content of a snapshot.
type snapshotFile struct {
	Schema       int               `json:"schema"`
	Kind         string            `json:"kind"`
	Subject      registry.Subject  `json:"subject"`
	Version      int               `json:"version"`
	ContentHash  string            `json:"content_hash"`
	PrevHash     string            `json:"prev_hash"`
	Hash         string            `json:"hash"`
	Proposal     string            `json:"proposal"`
	Revision     int               `json:"revision"`
	Author       string            `json:"author"`
	Assessment   string            `json:"assessment"`
	ReviewDigest string            `json:"review_digest"`
	Rendered     map[string]string `json:"rendered"`
	RulesVersion string            `json:"rules_version"`
	DecidedBy    string            `json:"decided_by"`
	DecidedAt    time.Time         `json:"decided_at"`
	Note         string            `json:"note"`
	Waivers      []history.Waiver  `json:"waivers"`
	Signature    string            `json:"signature,omitempty"`
	Definition   json.RawMessage   `json:"definition"`
}

// historyName is the name of the folder for snapshots.
const historyName = "history"

// snapshotPath returns the path of a version's file, with slashes. The folder is
// the id of a tool; for other kinds it has a prefix such as "agent.", which no id
// can have. The name is the time of the decision, in a format that all file systems
// support.
func snapshotPath(v history.Version) string {
	id := v.Subject.ID
	if v.Subject.Kind != registry.KindTool {
		id = string(v.Subject.Kind) + "." + id
	}
	return path.Join(folder, historyName, id, v.DecidedAt.UTC().Format("2006-01-02T15-04-05.000000Z")+".json")
}

// snapshot writes the file of a version unless it exists. If several versions of a
// subject were decided in the same microsecond, later ones get a number as a
// suffix.
func (w *Workspace) snapshot(v history.Version) error {
	text, err := encodeSnapshot(v)
	if err != nil {
		return err
	}
	first := filepath.FromSlash(snapshotPath(v))
	for n := 1; ; n++ {
		name := first
		if n > 1 {
			name = strings.TrimSuffix(first, ".json") + "-" + strconv.Itoa(n) + ".json"
		}
		there, err := w.files().read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := w.files().sweep(filepath.Dir(name)); err != nil {
				return err
			}
			return w.files().write(name, text)
		case err != nil:
			return err
		case bytes.Equal(there, text):
			return nil
		}
	}
}

func encodeSnapshot(v history.Version) ([]byte, error) {
	f := snapshotFile{
		Schema: 1, Kind: "version", Subject: v.Subject, Version: v.Number, ContentHash: v.ContentHash, PrevHash: v.PrevHash, Hash: v.Hash,
		Proposal: v.Proposal, Revision: v.Revision, Author: v.Author, Assessment: v.Assessment, ReviewDigest: v.ReviewDigest,
		Rendered: v.Rendered, RulesVersion: v.RulesVersion, DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt, Note: v.Note,
		Waivers: v.Waivers, Signature: v.Signature, Definition: v.Definition,
	}
	if f.Waivers == nil {
		f.Waivers = []history.Waiver{}
	}
	if f.Rendered == nil {
		f.Rendered = map[string]string{}
	}
	text, err := jsondoc.EncodeIndented(f)
	if err != nil {
		return nil, fmt.Errorf("snapshot of version %d of %s: %w", v.Number, v.Subject, err)
	}
	return text, nil
}

// maxFile limits the size of workspace files that are read, in bytes. Projects do
// not reach it.
const maxFile = 64 << 20

// errNoFile is returned for paths that are not regular files: opening a pipe would
// block.
var errNoFile = errors.New("is not a file")

// files accesses the files below the folder of a workspace. Others, including
// agents, can often write to the folder, so links that leave it are not followed
// (see os.Root).
type files struct{ dir string }

// in calls fn with the folder.
func (f files) in(fn func(*os.Root) error) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	err = fn(root)
	var at *fs.PathError
	for inner := err; errors.As(inner, &at); inner = at.Err {
		if at.Err.Error() == "path escapes from parent" { // os.Root does not export this error
			err = fmt.Errorf("%w: %s; the link was not followed", errEscapes, filepath.Join(f.dir, at.Path))
			break
		}
	}
	return errors.Join(err, root.Close())
}

// errEscapes is returned if a link leaves the workspace.
var errEscapes = errors.New("the workspace contains a link that leads outside it")

// read returns the content of a file, or fs.ErrNotExist.
func (f files) read(name string) (text []byte, err error) {
	err = f.in(func(root *os.Root) error {
		text, err = readIn(root, name)
		return err
	})
	return text, err
}

func readIn(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s %w", filepath.Join(root.Name(), name), errNoFile)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than %d MiB", filepath.Join(root.Name(), name), maxFile>>20)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// sweep removes temporary files of killed processes from the folder dir. The caller
// ensures that no process is writing there.
func (f files) sweep(dir string) error {
	return f.in(func(root *os.Root) error {
		entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), atomicfile.Temporary) {
				continue
			}
			if err := root.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// write replaces a file atomically and sets its mode to 0644.
func (f files) write(name string, text []byte) error {
	return f.in(func(root *os.Root) error {
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return atomicfile.WriteIn(root, name, text, atomicfile.Options{Mode: 0o644})
	})
}
