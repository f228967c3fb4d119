// This file defines the workspace of a project, and writes its live file.

package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"toolcrib/history"
	"toolcrib/internal/failpoint"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Paths in a workspace, relative to its folder.
const (
	folder   = ".control-room/prompts"
	liveName = folder + "/prompts.json"
)

// PendingExport is a version that has not been written to a folder yet.
type PendingExport struct {
	Seq     int64 // number of the entry in the queue
	Version history.Version
}

// Store is the storage that a workspace requires.
type Store interface {
	SnapshotStore
	// Attach registers dir as a folder of a project. From then on, the store queues the files of
	// each approval for dir. Attach does nothing if dir is already registered.
	Attach(ctx context.Context, dir, project string) error
	// Current returns the live definitions of a layer, sorted by subject.
	Current(ctx context.Context, layer registry.Layer) ([]Dated, error)
	// Expect durably records hash as a possible hash of the live file in dir. Known
	// returns all recorded hashes.
	Expect(ctx context.Context, dir, hash string) error
	Known(ctx context.Context, dir string) ([]string, error)
	// Exclusively runs fn while no other process runs Exclusively and no approval is committed. It
	// then removes the pending exports with the numbers that fn returns in written. If fn returns a
	// hash other than "", the hash replaces all hashes that Expect recorded for dir.
	Exclusively(ctx context.Context, dir string, fn func(context.Context, Store) (written []int64, hash string, err error)) error
}

// Dated is a live definition with the times of its first and its newest version.
type Dated struct {
	registry.Live
	CreatedAt, UpdatedAt time.Time
}

// Workspace writes approved definitions to the folder of a project.
type Workspace struct {
	store   Store
	dir     string
	project string
}

// New returns the workspace of a project in the folder dir. It attaches the folder to store.
func New(ctx context.Context, store Store, dir, project string) (*Workspace, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the workspace %s does not exist; create the folder first", dir)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("the workspace %s is not a folder", dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // the store must always receive the same path for a folder
	}
	return &Workspace{store: store, dir: dir, project: project}, store.Attach(ctx, dir, project)
}

// ErrDrift indicates that the live file was edited by hand.
var ErrDrift = errors.New("edited by hand")

// Publish writes all queued files. If the live file was edited by hand, Publish writes only the
// snapshots and returns an error that wraps ErrDrift. The live file and its entries in the queue
// are then unchanged.
func (w *Workspace) Publish(ctx context.Context) error {
	for {
		pending, err := w.store.PendingExports(ctx, w.dir)
		if err != nil || len(pending) == 0 {
			return err
		}
		again, err := w.publish(ctx)
		if !again {
			return err
		}
	}
}

// publish makes one attempt to write the queued files. It first records the new hash of the
// live file. If a crash then prevents the queue from being updated, the new file does not
// look edited by hand. stale is true if an approval happened during the call.
func (w *Workspace) publish(ctx context.Context) (stale bool, err error) {
	text, err := w.content(ctx, w.store)
	if err != nil {
		return false, err
	}
	expected := registry.HashBytes(text)
	failpoint.Here("publish")
	if err := w.store.Expect(ctx, w.dir, expected); err != nil {
		return false, err
	}
	var drift error
	err = w.store.Exclusively(ctx, w.dir, func(ctx context.Context, store Store) ([]int64, string, error) {
		text, err := w.content(ctx, store)
		if err != nil {
			return nil, "", err
		}
		if registry.HashBytes(text) != expected {
			stale = true
			return nil, "", nil
		}
		pending, err := store.PendingExports(ctx, w.dir)
		if err != nil {
			return nil, "", err
		}
		for _, d := range pending {
			if err := w.snapshot(d.Version); err != nil {
				return nil, "", err
			}
		}
		_, edited, err := w.edited(ctx, store, text)
		if err != nil || edited {
			if drift = err; edited {
				drift = fmt.Errorf("%s was %w after toolcrib wrote it, so it was not overwritten; see the edits with toolcrib drift", w.LivePath(), ErrDrift)
			}
			// The entries that require the live file remain in the queue.
			return seqs(slices.DeleteFunc(pending, func(d PendingExport) bool { return d.Version.Subject.Layer == w.layer() })), "", nil
		}
		failpoint.Here("live-file")
		if err := w.writeLive(text); err != nil {
			return nil, "", err
		}
		failpoint.Here("published")
		return seqs(pending), expected, nil
	})
	return stale && err == nil, errors.Join(err, drift)
}

func seqs(pending []PendingExport) []int64 {
	return lists.Map(pending, func(d PendingExport) int64 { return d.Seq })
}

func (w *Workspace) layer() registry.Layer { return registry.ProjectLayer(w.project) }

// files returns an accessor for the files in the folder.
func (w *Workspace) files() files { return files{w.dir} }

// LivePath returns the path of the live file.
func (w *Workspace) LivePath() string { return filepath.Join(w.dir, filepath.FromSlash(liveName)) }

// writeLive writes the live file unless it is up to date. It does not create a file for a
// project without definitions.
func (w *Workspace) writeLive(text []byte) error {
	now, err := w.files().read(liveName)
	switch {
	case err == nil && bytes.Equal(now, text):
		return nil
	case errors.Is(err, fs.ErrNotExist) && bytes.Equal(text, emptyFile):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := w.files().sweep(folder); err != nil {
		return err
	}
	return w.files().write(liveName, text)
}

// edited reads the live file and reports whether it was edited by hand. The file was edited
// if it exists and differs both from content and from everything that toolcrib has written.
func (w *Workspace) edited(ctx context.Context, store Store, content []byte) (text []byte, edited bool, err error) {
	text, err = w.files().read(liveName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil, bytes.Equal(text, content):
		return text, false, err
	}
	known, err := store.Known(ctx, w.dir)
	return text, err == nil && !slices.Contains(known, registry.HashBytes(text)), err
}

// emptyFile is the content of the live file for a project without definitions.
var emptyFile = registry.V0File{}.Encode()

// definitionsKey is the key of the definitions that the v0 format cannot represent, such
// as action tools and agents.
const definitionsKey = "definitions"

// content returns the content that the live file should have: the active definitions of
// the project. Prompt tools are in the v0 format.
func (w *Workspace) content(ctx context.Context, store Store) ([]byte, error) {
	current, err := store.Current(ctx, w.layer())
	if err != nil {
		return nil, err
	}
	var file registry.V0File
	rest := jsondoc.NewArray()
	for _, d := range current {
		switch {
		case d.Definition.Status() == registry.Deactivated:
		case isPrompt(d.Definition):
			p, _ := registry.NewV0Prompt(*d.Definition.Tool, rfc3339(d.CreatedAt), rfc3339(d.UpdatedAt))
			file.Prompts = append(file.Prompts, p)
		default:
			n, err := jsondoc.FromValue(map[string]any{"subject": d.Subject, "version": d.Version, "definition": json.RawMessage(d.Definition.Canonical())})
			if err != nil {
				return nil, err
			}
			rest.Items = append(rest.Items, n)
		}
	}
	text := file.Encode()
	if len(rest.Items) == 0 {
		return text, nil
	}
	n, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	n.Set(definitionsKey, rest)
	return jsondoc.Indent(n), nil
}

func isPrompt(d registry.Definition) bool { return d.Tool != nil && d.Tool.Kind == registry.PromptTool }

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// decodeLive parses a live file and returns its definitions. The v0 format lacks some
// fields of prompt tools, which are copied from the live definitions in current.
func decodeLive(text []byte, layer registry.Layer, current []Dated) (map[registry.Subject]registry.Definition, error) {
	n, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	found := map[registry.Subject]registry.Definition{}
	rest := n.Remove(definitionsKey)
	if rest == nil {
		rest = jsondoc.NewArray()
	}
	for i, item := range rest.Items {
		path := jsondoc.Index(definitionsKey, i)
		var text string
		if s := item.Get("subject"); s != nil {
			text = s.Text
		}
		subject, err := registry.ParseSubject(text)
		if err != nil {
			return nil, fmt.Errorf("%s.subject: %w", path, err)
		}
		if subject.Layer != layer {
			return nil, fmt.Errorf("%s.subject: %s does not belong to %s", path, subject, layer)
		}
		definition := item.Get("definition")
		if definition == nil {
			return nil, fmt.Errorf("%s.definition is missing", path)
		}
		d, ps := registry.BindDefinition(subject.Kind, definition, path+".definition")
		if err := ps.Err(); err != nil {
			return nil, err
		}
		found[subject] = d
	}
	file, err := registry.DecodeV0(jsondoc.Canonical(n))
	if err != nil {
		return nil, err
	}
	for _, p := range file.Prompts {
		t := p.Tool()
		subject := registry.Subject{Kind: registry.KindTool, Layer: layer, ID: t.ID}
		if i := slices.IndexFunc(current, func(d Dated) bool { return d.Subject == subject && isPrompt(d.Definition) }); i >= 0 {
			edited := t
			t = *current[i].Definition.Tool
			t.Name, t.Archetype, t.Scope = edited.Name, edited.Archetype, edited.Scope
			t.UsageNotes, t.Goals, t.Guardrails, t.Prompt = edited.UsageNotes, edited.Goals, edited.Guardrails, edited.Prompt
			t.Status = ""
		}
		found[subject] = registry.Definition{Tool: &t}
	}
	return found, nil
}
