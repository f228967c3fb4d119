package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// snapshotFile is the content of a version's file.
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

// historyName is the folder of the snapshots.
const historyName = "history"

// snapshotPath returns the file of a version, with slashes. The folder is the id
// of the tool; an agent's has the prefix "agent.", a list's "list.", which no id can
// have. The name is the time of the decision, in a form that every file system takes.
func snapshotPath(v history.Version) string {
	id := v.Subject.ID
	if v.Subject.Kind != registry.KindTool {
		id = string(v.Subject.Kind) + "." + id
	}
	return path.Join(folder, historyName, id, v.DecidedAt.UTC().Format("2006-01-02T15-04-05.000000Z")+".json")
}

// snapshot writes the file of a version unless it exists. Subjects that were
// decided in the same microsecond get a number as a suffix.
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
