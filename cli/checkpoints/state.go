package checkpoints

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"toolcrib/internal/atomicfile"
	"toolcrib/signing/checkpoint"
)

// saved is the last published checkpoint, with the tree to go on from: the next
// publication reads new events only.
type saved struct {
	To   string          `json:"to"`
	Tree checkpoint.Tree `json:"-"`
	Last string          `json:"last"` // hash of the last event of the tree
	Note string          `json:"note"`
	At   time.Time       `json:"at"`

	genesis string
}

// savedFile is how saved is written.
type savedFile struct {
	saved
	Edge string `json:"tree"`
}

// published returns the checkpoint that was published, none when it cannot be
// read: then everything is read again.
func (s saved) published() []checkpoint.Checkpoint {
	c, err := checkpoint.Read([]byte(s.Note))
	if err != nil {
		return nil
	}
	return []checkpoint.Checkpoint{c}
}

func (p *Publisher) file(genesis string) string { return filepath.Join(p.State, genesis+".json") }

// load returns the state of publishing a log, empty when that was to another
// target.
func (p *Publisher) load(genesis string) (saved, error) {
	text, err := os.ReadFile(p.file(genesis))
	if errors.Is(err, fs.ErrNotExist) {
		return saved{genesis: genesis}, nil
	}
	if err != nil {
		return saved{}, err
	}
	var f savedFile
	if err := json.Unmarshal(text, &f); err != nil {
		return saved{}, fmt.Errorf("%s: %w; remove it, and the whole log is read once", p.file(genesis), err)
	}
	if err := f.Tree.UnmarshalText([]byte(f.Edge)); err != nil {
		return saved{}, fmt.Errorf("%s: %w; remove it, and the whole log is read once", p.file(genesis), err)
	}
	f.genesis = genesis
	return f.saved, nil
}

// save writes the state of publishing. The last of several processes wins, even
// with an older state; the next publication then reads a little more.
func (p *Publisher) save(genesis string, s saved) error {
	edge, err := s.Tree.MarshalText()
	if err != nil {
		return err
	}
	return atomicfile.WriteJSON(p.file(genesis), savedFile{s, string(edge)})
}
