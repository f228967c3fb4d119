package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"toolcrib/registry"
)

// Edit is a definition that the live file has otherwise than the registry.
// Before is zero for one that only the file has, After for one that only the
// registry has.
type Edit struct {
	Subject registry.Subject
	Version int // the live version, 0 when there is none
	Before  registry.Definition
	After   registry.Definition
}

// Drift is the difference between the live file and the registry.
type Drift struct {
	File  string
	Known bool // the file has the bytes that toolcrib wrote last, or is missing
	Edits []Edit
}

// Drift compares the live file with the registry. It returns an error when the
// file cannot be read.
func (w *Workspace) Drift(ctx context.Context) (Drift, error) {
	out := Drift{File: w.LivePath()}
	want, err := w.content(ctx, w.store)
	if err != nil {
		return out, err
	}
	text, err := w.files().read(liveName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(text, want) {
		out.Known = true
		return out, nil
	}
	if err != nil {
		return out, err
	}
	known, err := w.store.Known(ctx, w.dir)
	if err != nil {
		return out, err
	}
	if slices.Contains(known, registry.HashBytes(text)) {
		out.Known = true
		return out, nil
	}
	current, err := w.store.Current(ctx, w.layer())
	if err != nil {
		return out, err
	}
	found, err := decodeLive(text, w.layer(), current)
	if err != nil {
		return out, fmt.Errorf("%s was %w and cannot be read: %w", out.File, ErrDrift, err)
	}
	out.Edits = edits(current, found)
	return out, nil
}

// edits compares the live definitions with those of a file.
func edits(current []Dated, found map[registry.Subject]registry.Definition) []Edit {
	var list []Edit
	for _, d := range current {
		after, there := found[d.Subject]
		delete(found, d.Subject)
		active := d.Definition.Status() == registry.Active
		switch {
		case !there && active:
			list = append(list, Edit{Subject: d.Subject, Version: d.Version, Before: d.Definition})
		case there && after.Hash() != d.Definition.Hash():
			list = append(list, Edit{Subject: d.Subject, Version: d.Version, Before: d.Definition, After: after})
		}
	}
	for subject, after := range found {
		list = append(list, Edit{Subject: subject, After: after})
	}
	slices.SortFunc(list, func(a, b Edit) int { return cmp.Compare(a.Subject.String(), b.Subject.String()) })
	return list
}

// Overwrite writes the live file from the registry and moves the old one to a file
// beside it, whose name it returns; "" when there was none.
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
