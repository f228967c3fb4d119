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

// snapshotFile is the content of a snapshot file.
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

// historyName is the name of the folder that contains the snapshots.
const historyName = "history"

// snapshotPath returns the path of a version's snapshot, with slashes. The snapshot is in a folder with the id of the
// subject as its name. For subjects other than tools, the name of the folder has a prefix such as "agent.". No id of a
// tool has such a prefix. The name of the file is the time of the decision in a format that all file systems support.
func snapshotPath(v history.Version) string {
	id := v.Subject.ID
	if v.Subject.Kind != registry.KindTool {
		id = string(v.Subject.Kind) + "." + id
	}
	return path.Join(folder, historyName, id, v.DecidedAt.UTC().Format("2006-01-02T15-04-05.000000Z")+".json")
}

// snapshot writes the snapshot of a version unless the file exists already. If several
// versions of a subject were decided in the same microsecond, the names of the later
// snapshots have a number as a suffix.
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

// maxFile is the maximum size of a file that is read from a workspace, in bytes. Files of
// real projects are smaller.
const maxFile = 64 << 20

// errNoFile indicates that a path is not a regular file. Only regular files are opened, because opening a pipe would
// block.
var errNoFile = errors.New("is not a regular file")

// files accesses the files below the folder of a workspace. Other users and agents can often write to the folder.
// Therefore, symbolic links that lead out of the folder are not followed (see os.Root).
type files struct{ dir string }

// in opens the folder and passes it to fn.
func (f files) in(fn func(*os.Root) error) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	err = fn(root)
	var at *fs.PathError
	for inner := err; errors.As(inner, &at); inner = at.Err {
		if at.Err.Error() == "path escapes from parent" { // os.Root does not export this error
			err = fmt.Errorf("%w: %s; toolcrib does not follow this link", errEscapes, filepath.Join(f.dir, at.Path))
			break
		}
	}
	return errors.Join(err, root.Close())
}

// errEscapes indicates that a symbolic link leads out of the workspace.
var errEscapes = errors.New("the workspace contains a link to a place outside the workspace")

// read returns the content of the named file. The error wraps fs.ErrNotExist if the file does not exist.
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
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1)) // the file may grow while it is read
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", filepath.Join(root.Name(), name), maxFile>>20)
	}
	return text, err
}

// sweep removes the temporary files of killed processes from the folder at dir. The caller must ensure that no
// process is writing to the folder.
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

// write atomically replaces the content of the named file, and sets its mode to 0644.
func (f files) write(name string, text []byte) error {
	return f.in(func(root *os.Root) error {
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return atomicfile.WriteIn(root, name, text, atomicfile.Options{Mode: 0o644})
	})
}
