// This file queues data that a machine sends to a toolcrib server: reports of unapproved tools and files, and lines of
// the call log.

package follow

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolcrib/internal/atomicfile"
	"toolcrib/internal/filelock"
	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Report informs the reviewers of a registry about unapproved tools or files that a follower has encountered.
type Report struct {
	Machine  string          `json:"machine"`          // The random name of the machine, 32 lower-case hexadecimal digits
	Server   string          `json:"server,omitempty"` // The name of an MCP server
	Kind     registry.Kind   `json:"kind,omitempty"`   // Instead of a server: skill or instructions
	Layer    registry.Layer  `json:"layer,omitempty"`  // With kind: user or project/NAME
	Document json.RawMessage `json:"document"`         // The unapproved tools, as the server lists them, or the definition
}

// about describes the subject of the report for error messages.
func (r Report) about() string {
	if r.Server == "" {
		return "files of " + string(r.Layer)
	}
	return "tools of " + r.Server
}

// Outbox is a folder with the unsent reports of a machine for a source. Each report is a file. After a report has been
// sent, the file is truncated and remains as a mark, which prevents sending the same report again. A file with a
// modification time in the future is not sent before this time.
type Outbox struct{ Dir string }

// Limits of an outbox, a report, and a batch. toolcrib serve enforces the same limits for a report and a batch.
const (
	maxQueued   = 1000
	maxOfServer = 100
	maxDocument = 512 << 10
	maxBatch    = 100
	maxBody     = 1000 << 10
)

const refusedFile = "refused"

// Refusal describes the most recent refusal of reports by the server.
type Refusal struct {
	At      time.Time `json:"at"`
	Reports int       `json:"reports"`
	Reason  string    `json:"reason"` // reason for the first refused report
}

// ErrReport indicates that a report cannot be queued, or that the server refused it.
var ErrReport = errors.New("not reported")

// machine returns the random name of this machine. The first call creates and stores the name.
func (o Outbox) machine() (string, error) {
	file := filepath.Join(o.Dir, "machine")
	name, err := os.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return string(name), err
	}
	made := make([]byte, 16)
	_, _ = rand.Read(made) // rand.Read never returns an error
	name = hex.AppendEncode(nil, made)
	return string(name), atomicfile.Write(file, name, atomicfile.Options{Mode: 0o600})
}

// queued is a file in an outbox: an unsent report, or the mark of a sent report.
type queued struct {
	file string
	fs.FileInfo
}

// entries returns the files of the outbox, including the marks of sent reports, oldest first.
func (o Outbox) entries() ([]queued, error) {
	files, err := filepath.Glob(filepath.Join(o.Dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []queued
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			all = append(all, queued{file, info})
		}
	}
	slices.SortStableFunc(all, func(a, b queued) int { return a.ModTime().Compare(b.ModTime()) })
	return all, nil
}

// Add queues r. It does nothing if the same report was queued or sent before. If the outbox is full, Add removes the
// oldest mark. If there is no mark to remove, it returns ErrReport.
func (o Outbox) Add(r Report) error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	of := registry.HashBytes([]byte(r.Server + string(r.Layer)))[:16] + "-"
	file := filepath.Join(o.Dir, of+registry.HashBytes(r.Document)+".json")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	var err error
	if r.Machine, err = o.machine(); err != nil {
		return err
	}
	if _, err := jsondoc.Parse(r.Document, jsondoc.Limits{Bytes: maxDocument, Depth: jsondoc.DefaultLimits.Depth}); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrReport, r.about(), err)
	}
	report, err := jsondoc.Encode(r)
	if err != nil {
		return err
	}
	all, err := o.entries()
	if err != nil {
		return err
	}
	waiting := len(lists.Filter(all, func(e queued) bool { return e.Size() > 0 && strings.HasPrefix(e.Name(), of) }))
	oldest := slices.IndexFunc(all, func(e queued) bool { return e.Size() == 0 })
	switch {
	case waiting >= maxOfServer:
		return fmt.Errorf("%w: the limit of %d unsent reports about %s is reached", ErrReport, waiting, r.about())
	case len(all) >= maxQueued && oldest < 0:
		return fmt.Errorf("%w: the limit of %d unsent reports is reached", ErrReport, len(all))
	case len(all) >= maxQueued:
		if err := os.Remove(all[oldest].file); err != nil {
			return err
		}
	}
	return atomicfile.Write(file, report, atomicfile.Options{Mode: 0o600})
}

// State returns the number of unsent reports and the most recent refusal.
func (o Outbox) State() (waiting int, last Refusal, err error) {
	all, err := o.entries()
	waiting = len(lists.Filter(all, func(e queued) bool { return e.Size() > 0 }))
	last, _ = readJSON[Refusal](filepath.Join(o.Dir, refusedFile)) // a missing or damaged file is treated as if there were no refusal
	return waiting, last, err
}

// Send sends a batch of unsent reports to a toolcrib server. It does nothing if the source is not a toolcrib server. If
// the server refuses reports, the error contains the reason for the first refused report.
func (o Outbox) Send(ctx context.Context, source Source) error {
	s, ok := source.(*httpSource)
	if !ok || !s.serve() {
		return nil
	}
	if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, held, err := filelock.Try(filepath.Join(o.Dir, "send.lock"))
	if held || err != nil {
		return err
	}
	defer unlock()
	all, err := o.entries()
	if err != nil {
		return err
	}
	var batch struct {
		Reports []json.RawMessage `json:"reports"`
	}
	var files []string
	size, now := 0, time.Now()
	for _, e := range all {
		if e.Size() == 0 || e.ModTime().After(now) || len(files) == maxBatch || size+int(e.Size()) > maxBody {
			continue
		}
		data, err := os.ReadFile(e.file)
		if err == nil && !json.Valid(data) {
			err = os.Truncate(e.file, 0) // not a report, so mark it as sent
		} else if err == nil {
			batch.Reports, files, size = append(batch.Reports, data), append(files, e.file), size+len(data)
		}
		if err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return nil
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
	said, err := readAll(answer.Body, maxBody)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	var doc struct {
		Proposals *int
		Refused   []struct {
			Index  int
			Reason string
			Later  bool
		}
	}
	if json.Unmarshal(said, &doc) != nil || doc.Proposals == nil {
		return fmt.Errorf("%w: the response of %s is not a response of toolcrib serve", ErrReport, s.base.Redacted())
	}
	for _, r := range doc.Refused {
		if r.Index < 0 || r.Index >= len(files) {
			continue
		}
		if err == nil {
			err = atomicfile.WriteJSON(filepath.Join(o.Dir, refusedFile), Refusal{now.UTC(), len(doc.Refused), r.Reason})
		}
		err = cmp.Or(err, fmt.Errorf("%w: the server refused %d of %d reports: %s", ErrReport, len(doc.Refused), len(files), visible.Line(r.Reason)))
		if r.Later {
			err = errors.Join(err, os.Chtimes(files[r.Index], now, now.Add(time.Hour)))
			files[r.Index] = ""
		}
	}
	for _, file := range files {
		if file != "" {
			err = errors.Join(err, os.Truncate(file, 0))
		}
	}
	return err
}

// CallLines is a batch of lines from the call log of a follower.
type CallLines struct {
	Machine string   `json:"machine"` // The random name of the machine, 32 lower-case hexadecimal digits
	Lines   []string `json:"lines"`   // JSON, each with the hash of the line before it
}

// sentCalls is a position in a journal. All lines before this position have been sent.
type sentCalls struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
}

// SendCalls sends the unsent lines of j to a toolcrib server, in batches. It does nothing if the source is not a
// toolcrib server.
func (o Outbox) SendCalls(ctx context.Context, source Source, j *Journal) error {
	s, ok := source.(*httpSource)
	if !ok || !s.serve() {
		return nil
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	unlock, held, err := filelock.Try(filepath.Join(o.Dir, "calls.lock"))
	if held || err != nil {
		return err
	}
	defer unlock()
	machine, err := o.machine()
	if err != nil {
		return err
	}
	position := filepath.Join(o.Dir, "calls")
	sent, _ := readJSON[sentCalls](position) // the file does not exist before the first batch
	names, err := j.files()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name < sent.File {
			continue
		}
		if name > sent.File {
			sent = sentCalls{File: name}
		}
		for {
			lines, size, err := j.lines(sent)
			if err != nil {
				return err
			}
			if len(lines) == 0 {
				break
			}
			body, err := jsondoc.Encode(CallLines{machine, lines})
			if err != nil {
				return err
			}
			if err := s.sendCalls(ctx, body); err != nil {
				return err
			}
			sent.Offset += size
			if err := atomicfile.WriteJSON(position, sent); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *httpSource) sendCalls(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	answer, err := s.request(ctx, http.MethodPost, "../calls", "", body)
	if err != nil {
		return fmt.Errorf("cannot send the call log: %w", err)
	}
	return answer.Body.Close()
}
