// This file compares the files of a workspace with the versions in the registry.

package workspace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/registry"
)

// Fault is a difference between a snapshot file and the content that toolcrib wrote.
// Subject and Version identify the version of the snapshot. They are zero for a Foreign
// file.
type Fault struct {
	File    string // relative to the folder of the workspace
	Kind    FaultKind
	Subject registry.Subject
	Version int
}

// FaultKind is the kind of a Fault.
type FaultKind string

// The kinds of faults.
const (
	Edited  FaultKind = "edited"
	Missing FaultKind = "missing"
	Foreign FaultKind = "foreign" // does not belong to any version that was written to the folder
)

// SnapshotStore is the part of a Store that CheckSnapshots requires.
type SnapshotStore interface {
	// Written returns the versions that were written to dir as snapshots.
	Written(ctx context.Context, dir string) ([]history.Version, error)
	// PendingExports returns the versions that have not been written to dir yet, oldest first.
	PendingExports(ctx context.Context, dir string) ([]PendingExport, error)
}

// CheckSnapshots compares every snapshot file in dir with its version. It returns the
// differences, sorted by file.
func CheckSnapshots(ctx context.Context, store SnapshotStore, dir string) ([]Fault, error) {
	c := snapshotCheck{files: files{dir}, versions: map[snapshotKey]history.Version{}, at: map[string]snapshotKey{}, seen: map[snapshotKey]bool{}}
	written, err := store.Written(ctx, dir)
	if err != nil {
		return nil, err
	}
	pending, err := store.PendingExports(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, d := range pending {
		c.expect(d.Version)
	}
	for _, v := range written {
		c.expect(v)
	}
	err = c.files.in(func(root *os.Root) error {
		err := fs.WalkDir(root.FS(), path.Join(folder, historyName), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") { // skips hidden files, such as temporary files
				return err
			}
			if !entry.Type().IsRegular() {
				c.add(name, Foreign, snapshotKey{})
				return nil
			}
			text, err := readIn(root, filepath.FromSlash(name))
			if err != nil {
				return err
			}
			// Compare the file with the version that it names. If the content or the folder does not match, compare it
			// with the version whose snapshot has this path.
			var f snapshotFile
			if json.Unmarshal(text, &f) == nil {
				k := snapshotKey{f.Subject, f.Version}
				if v, ok := c.versions[k]; ok && !c.seen[k] && path.Dir(snapshotPath(v)) == path.Dir(name) {
					want, err := encodeSnapshot(v)
					if err != nil {
						return err
					}
					if bytes.Equal(text, want) {
						c.seen[k] = true
						return nil
					}
				}
			}
			k, ok := c.at[name]
			if !ok {
				c.add(name, Foreign, snapshotKey{})
				return nil
			}
			c.seen[k] = true
			c.add(name, Edited, k)
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, v := range written {
		if k := keyOf(v); !c.seen[k] {
			c.add(snapshotPath(v), Missing, k)
			c.seen[k] = true
		}
	}
	slices.SortFunc(c.faults, func(a, b Fault) int { return cmp.Compare(a.File, b.File) })
	return c.faults, nil
}

// Faults returns the result of CheckSnapshots for the workspace.
func (w *Workspace) Faults(ctx context.Context) ([]Fault, error) {
	return CheckSnapshots(ctx, w.store, w.dir)
}

// snapshotKey identifies a version.
type snapshotKey struct {
	subject registry.Subject
	number  int
}

func keyOf(v history.Version) snapshotKey { return snapshotKey{v.Subject, v.Number} }

// snapshotCheck is the state of CheckSnapshots.
type snapshotCheck struct {
	files    files
	versions map[snapshotKey]history.Version
	at       map[string]snapshotKey // versions by the path of their snapshots
	seen     map[snapshotKey]bool   // versions for which a file was found, edited or not
	faults   []Fault
}

func (c *snapshotCheck) expect(v history.Version) {
	c.versions[keyOf(v)], c.at[snapshotPath(v)] = v, keyOf(v)
}

func (c *snapshotCheck) add(file string, kind FaultKind, k snapshotKey) {
	c.faults = append(c.faults, Fault{File: file, Kind: kind, Subject: k.subject, Version: k.number})
}

// Edit is a difference between the live file and the registry. Before is zero for a
// definition that is only in the file. After is zero for a definition that is only in
// the registry.
type Edit struct {
	Subject registry.Subject
	Version int // live version; 0 for a definition that is only in the file
	Before  registry.Definition
	After   registry.Definition
}

// Drift describes the differences between the live file and the registry.
type Drift struct {
	File  string
	Known bool // the file is missing, or was not edited by hand
	Edits []Edit
}

// Drift compares the live file with the registry. It returns an error if the file cannot
// be read or parsed.
func (w *Workspace) Drift(ctx context.Context) (Drift, error) {
	out := Drift{File: w.LivePath()}
	want, err := w.content(ctx, w.store)
	if err != nil {
		return out, err
	}
	text, edited, err := w.edited(ctx, w.store, want)
	if err != nil || !edited {
		out.Known = err == nil
		return out, err
	}
	current, err := w.store.Current(ctx, w.layer())
	if err != nil {
		return out, err
	}
	found, err := decodeLive(text, w.layer(), current)
	if err != nil {
		return out, fmt.Errorf("%s: %w, and the file cannot be parsed: %w", out.File, ErrDrift, err)
	}
	for _, d := range current {
		after, there := found[d.Subject]
		delete(found, d.Subject)
		active := d.Definition.Status() == registry.Active
		switch {
		case !there && active:
			out.Edits = append(out.Edits, Edit{Subject: d.Subject, Version: d.Version, Before: d.Definition})
		case there && after.Hash() != d.Definition.Hash():
			out.Edits = append(out.Edits, Edit{Subject: d.Subject, Version: d.Version, Before: d.Definition, After: after})
		}
	}
	for subject, after := range found {
		out.Edits = append(out.Edits, Edit{Subject: subject, After: after})
	}
	slices.SortFunc(out.Edits, func(a, b Edit) int { return cmp.Compare(a.Subject.String(), b.Subject.String()) })
	return out, nil
}

// Overwrite replaces the live file by the live definitions of the registry. If the file exists, it first copies the
// file. It returns the path of the copy, or "" if there is no copy.
func (w *Workspace) Overwrite(ctx context.Context, now time.Time) (kept string, err error) {
	text, err := w.files().read(liveName)
	switch {
	case err == nil:
		ending := ".edited-" + now.UTC().Format("2006-01-02T15-04-05Z")
		kept = w.LivePath() + ending
		if err := w.files().write(liveName+ending, text); err != nil {
			return "", err
		}
		if err := w.store.Expect(ctx, w.dir, registry.HashBytes(text)); err != nil {
			return kept, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	want, err := w.content(ctx, w.store)
	if err != nil {
		return kept, err
	}
	hash := registry.HashBytes(want)
	if err := w.store.Expect(ctx, w.dir, hash); err != nil {
		return kept, err
	}
	if err := w.writeLive(want); err != nil {
		return kept, err
	}
	return kept, w.Publish(ctx)
}
