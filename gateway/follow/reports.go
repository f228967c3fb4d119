package follow

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"toolcrib/internal/atomicfile"
	"toolcrib/internal/filelock"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Report tells the reviewers of a registry what a machine that follows it met without an
// approval.
type Report struct {
	Machine  string          `json:"machine"`  // a random name
	Server   string          `json:"server"`   // the name of the MCP server
	Document json.RawMessage `json:"document"` // the tools without an approval, as a list of the server
}

// Outbox keeps the reports of a machine until they are sent, each in a file, and then an empty
// file, so that the same report is not sent again.
type Outbox struct{ Dir string }

// Limits of an outbox, of a report, and of those that are sent at once, which are also the
// limits of toolcrib serve.
const (
	maxQueued   = 1000
	maxDocument = 512 << 10
	maxBatch    = 100
	maxBody     = 1000 << 10
)

const machineFile = "machine"

// machine returns the random name of this machine.
func (o Outbox) machine() (string, error) {
	file := filepath.Join(o.Dir, machineFile)
	name, err := os.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return string(name), err
	}
	made := make([]byte, 16)
	_, _ = rand.Read(made) // never fails
	name = hex.AppendEncode(nil, made)
	return string(name), atomicfile.Write(file, name, atomicfile.Options{Mode: 0o600})
}

// Add queues a report, unless the same one was queued before.
func (o Outbox) Add(server string, document []byte) error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(o.Dir)
	file := filepath.Join(o.Dir, registry.HashBytes([]byte(server+"\n"+string(document)))+".json")
	if _, known := os.Stat(file); err != nil || known == nil || len(entries) >= maxQueued || len(document) > maxDocument {
		return err
	}
	machine, err := o.machine()
	if err != nil {
		return err
	}
	return atomicfile.WriteJSON(file, Report{machine, server, document})
}

// Send sends what is queued, if the source is toolcrib serve.
func (o Outbox) Send(ctx context.Context, source Source) error {
	s, ok := source.(*httpSource)
	if !ok || !s.serve() {
		return nil
	}
	entries, err := os.ReadDir(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, held, failed := filelock.Try(filepath.Join(o.Dir, "send.lock"))
	if held || failed != nil {
		return failed
	}
	defer unlock()
	var batch struct {
		Reports []json.RawMessage `json:"reports"`
	}
	var files []string
	size := 0
	for _, e := range entries {
		file := filepath.Join(o.Dir, e.Name())
		if data, err := os.ReadFile(file); err == nil && len(data) > 0 && strings.HasSuffix(e.Name(), ".json") && len(files) < maxBatch && size+len(data) <= maxBody {
			batch.Reports, files, size = append(batch.Reports, data), append(files, file), size+len(data)
		}
	}
	if err != nil || len(files) == 0 {
		return err
	}
	body, err := jsondoc.Encode(batch)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	answer, err := s.request(ctx, http.MethodPost, "../reports", "", body)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // the connection is used again
	err = answer.Body.Close()
	for _, file := range files {
		err = errors.Join(err, os.Truncate(file, 0))
	}
	return err
}
