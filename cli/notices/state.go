package notices

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"toolcrib/internal/atomicfile"
)

// saved is how far the notices of a log are sent.
type saved struct {
	Seq int64 `json:"seq"`
}

func (c *Courier) file(genesis string) string { return filepath.Join(c.State, genesis+".json") }

// load returns the last event whose notices are sent. known is false for a log that
// was never looked at.
func (c *Courier) load(genesis string) (seq int64, known bool, err error) {
	text, err := os.ReadFile(c.file(genesis))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	var s saved
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return 0, false, fmt.Errorf("%s: %w; remove it, and notices begin with the next event", c.file(genesis), err)
	}
	return s.Seq, true, nil
}

func (c *Courier) save(genesis string, seq int64) error {
	text, err := json.Marshal(saved{seq})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.State, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(c.file(genesis), append(text, '\n'), atomicfile.Options{Mode: 0o600})
}
