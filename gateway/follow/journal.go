// This file implements the call log of a machine that follows a registry.

package follow

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/filelock"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Journal is the call log of a machine that follows a registry. It is a folder with a file of JSON lines for each day
// (UTC). Each line contains the SHA-256 hash of the previous line, which may be in the file of an earlier day. The
// resulting hash chain reveals changed and missing lines. All processes of a machine write to the same journal.
type Journal struct {
	Dir string

	mu     sync.Mutex
	file   string // name of the file that was read up to offset
	offset int64
	last   string // hash of the line with the number seq
	seq    int64
	uses   map[string]*dayCount // keyed by user and tool
	counts map[string]int       // numbers of this process's refused calls, keyed by caller and hour
}

// dayCount counts the calls of a tool by a user on the day of the latest call.
type dayCount struct {
	gateway.Use
	day  string
	free int // calls that did not run
}

// entry is a line of a journal.
type entry struct {
	Seq     int64           `json:"seq"`
	Prev    string          `json:"prev"` // hash of the previous line; "" for the first
	Call    *callEntry      `json:"call,omitempty"`
	Outcome *outcomeEntry   `json:"outcome,omitempty"`
	Change  *gateway.Change `json:"change,omitempty"` // a tool that differs from its approved definition
}

type callEntry struct {
	ID          string    `json:"id"`
	At          time.Time `json:"at"`
	Actor       string    `json:"actor"`
	Agent       string    `json:"agent"`
	User        string    `json:"user,omitempty"`
	Name        string    `json:"name"`
	Tool        string    `json:"tool,omitempty"`
	Version     int       `json:"version,omitempty"`
	ContentHash string    `json:"content_hash,omitempty"`
	Command     string    `json:"command,omitempty"`
	ArgsHash    string    `json:"args_hash,omitempty"`
	Nth         int       `json:"nth,omitempty"`
}

type outcomeEntry struct {
	Call        string        `json:"call"`
	Code        gateway.Code  `json:"code,omitempty"`
	At          time.Time     `json:"at"`
	Duration    time.Duration `json:"duration_ns"`
	OutputHash  string        `json:"output_hash,omitempty"`
	OutputBytes int           `json:"output_bytes,omitempty"`
	Message     string        `json:"message,omitempty"`
	NotRun      bool          `json:"not_run,omitempty"`
}

const (
	journalDay = "2006-01-02"
	journalEnd = ".ndjson"
)

// files returns the names of the journal's files, oldest first.
func (j *Journal) files() ([]string, error) {
	entries, err := os.ReadDir(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), journalEnd) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// catchUp reads the lines that were added since its last call. The first call reads the two newest files. The caller
// must hold j.mu.
func (j *Journal) catchUp() error {
	if j.uses == nil {
		j.uses = map[string]*dayCount{}
	}
	names, err := j.files()
	if err != nil {
		return err
	}
	if j.file == "" {
		names = names[max(len(names)-2, 0):]
	} else {
		names = names[max(slices.Index(names, j.file), 0):]
	}
	calls := map[string]string{} // key in j.uses for each id of a call
	for _, name := range names {
		if name != j.file {
			j.file, j.offset = name, 0
		}
		f, err := os.Open(filepath.Join(j.Dir, name))
		if err != nil {
			return err
		}
		_, err = f.Seek(j.offset, io.SeekStart)
		lines := bufio.NewReaderSize(f, 64<<10)
		for err == nil {
			var line []byte
			if line, err = lines.ReadBytes('\n'); err != nil {
				break // the last line is still being written
			}
			j.offset += int64(len(line))
			var e entry
			if json.Unmarshal(line, &e) != nil {
				continue // Verify reports invalid lines
			}
			j.last, j.seq = registry.HashBytes(bytes.TrimSuffix(line, []byte("\n"))), e.Seq
			j.count(e, calls)
		}
		f.Close()
		if !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

func (j *Journal) count(e entry, calls map[string]string) {
	if c := e.Call; c != nil && c.Nth > 0 {
		key := c.User + "\x00" + c.Tool
		d := j.uses[key]
		if d == nil {
			d = &dayCount{}
			j.uses[key] = d
		}
		if day := c.At.UTC().Format(journalDay); day != d.day {
			d.day, d.Today, d.free = day, 0, 0
		}
		d.Last = c.At
		d.Today++
		calls[c.ID] = key
	}
	if o := e.Outcome; o != nil && o.NotRun && j.uses[calls[o.Call]] != nil {
		j.uses[calls[o.Call]].free++
	}
}

// day returns a summary of the user's calls of a tool, which is used to check the limits at the time now. It also
// returns the number of these calls on the day of now (UTC) that did not run.
func (j *Journal) day(user string, tool registry.Subject, now time.Time) (gateway.Use, int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.catchUp(); err != nil {
		return gateway.Use{}, 0, err
	}
	d := j.uses[user+"\x00"+tool.String()]
	if d == nil {
		return gateway.Use{}, 0, nil
	}
	if d.day != now.UTC().Format(journalDay) {
		return gateway.Use{Last: d.Last}, 0, nil
	}
	return d.Use, d.free, nil
}

// writing is a transaction of a journal. The entries are written at the end of the transaction.
type writing struct {
	j       *Journal
	entries []entry
	at      time.Time // time of the last entry
}

// lock creates the folder of the journal if necessary, and locks the journal against other processes.
func (j *Journal) lock() (unlock func(), err error) {
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return nil, err
	}
	return filelock.Lock(filepath.Join(j.Dir, "lock"))
}

// write locks the journal and calls fn. If fn returns nil, write appends the entries that fn has added to the
// transaction.
func (j *Journal) write(fn func(*writing) error) error {
	unlock, err := j.lock()
	if err != nil {
		return err
	}
	defer unlock()
	w := &writing{j: j}
	if err := fn(w); err != nil || len(w.entries) == 0 {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.catchUp(); err != nil {
		return err
	}
	var text []byte
	seq, last := j.seq, j.last
	for _, e := range w.entries {
		seq++
		e.Seq, e.Prev = seq, last
		line, err := jsondoc.Encode(e)
		if err != nil {
			return err
		}
		last = registry.HashBytes(bytes.TrimSuffix(line, []byte("\n")))
		text = append(text, line...)
	}
	name := max(w.at.UTC().Format(journalDay)+journalEnd, j.file) // do not write to an older file if the clock was set back
	f, err := os.OpenFile(filepath.Join(j.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// lines returns the complete lines after pos, and their total size. It stops when the size has reached maxBody/2 bytes.
func (j *Journal) lines(pos sentCalls) (lines []string, size int64, err error) {
	f, err := os.Open(filepath.Join(j.Dir, pos.File))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if _, err := f.Seek(pos.Offset, io.SeekStart); err != nil {
		return nil, 0, err
	}
	for all := bufio.NewReaderSize(f, 64<<10); size < maxBody/2; {
		line, err := all.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // the last line is still being written
		}
		if err != nil {
			return nil, 0, err
		}
		lines, size = append(lines, strings.TrimSuffix(line, "\n")), size+int64(len(line))
	}
	return lines, size, nil
}

// ErrChain indicates that an appended line does not follow the last line of the log.
var ErrChain = errors.New("the lines do not follow the stored call log of the machine")

// Append appends lines from the log of another machine to j, the copy of this log. It skips lines that j already
// contains, because a machine sends a batch again if it did not receive the response or could not record the new
// position.
func (j *Journal) Append(lines []string, now time.Time) error {
	unlock, err := j.lock()
	if err != nil {
		return err
	}
	defer unlock()
	file, size, end, err := j.end()
	if err != nil {
		return err
	}
	var has entry
	if len(end) > 0 {
		if err := json.Unmarshal(end, &has); err != nil {
			return fmt.Errorf("the last line of %s is not valid: %w", filepath.Join(j.Dir, file), err)
		}
	}
	var text []byte
	stored := registry.HashBytes(end)
	var seq int64 // number of the previous line
	var last string
	for n, line := range lines {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || strings.ContainsAny(line, "\r\n") || e.Seq < 1 || e.Call == nil && e.Outcome == nil && e.Change == nil {
			return fmt.Errorf("%w: entry %d of the request is not a line of a call log", ErrChain, n+1)
		}
		if n == 0 && e.Seq > has.Seq {
			seq, last = has.Seq, stored
		}
		if seq > 0 && (e.Seq != seq+1 || e.Prev != last) {
			return fmt.Errorf("%w: line %d does not follow line %d", ErrChain, e.Seq, seq)
		}
		seq, last = e.Seq, registry.HashBytes([]byte(line))
		switch {
		case seq > has.Seq:
			text = append(append(text, line...), '\n')
		case seq == has.Seq && last != stored:
			return fmt.Errorf("%w: the two logs differ in line %d", ErrChain, seq)
		}
	}
	if seq > 0 && seq < has.Seq { // if line seq is equal in both logs, the hash chain implies that all earlier lines are
		if stored, err = j.hash(seq); err != nil {
			return err
		}
		if stored != "" && stored != last {
			return fmt.Errorf("%w: the two logs differ in line %d", ErrChain, seq)
		}
	}
	if len(text) == 0 {
		return nil
	}
	name := max(now.UTC().Format(journalDay)+journalEnd, file)
	f, err := os.OpenFile(filepath.Join(j.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if name != file {
		size = 0
	}
	if err = f.Truncate(size); err == nil { // removes a partial line of an interrupted process
		_, err = f.Write(text)
	}
	return errors.Join(err, f.Close())
}

// hash returns the hash of line seq, or "" if the journal no longer contains that line.
func (j *Journal) hash(seq int64) (string, error) {
	names, err := j.files()
	for _, name := range slices.Backward(names) {
		line, err := readLine(filepath.Join(j.Dir, name), seq)
		if err != nil || line != nil {
			return registry.HashBytes(line), err
		}
	}
	return "", err
}

// readLine returns line seq of the file at path, or nil if the file does not contain it. It parses only the first line,
// because the lines of a file have consecutive numbers.
func readLine(path string, seq int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	var e struct {
		Seq int64 `json:"seq"`
	}
	for at := int64(0); ; at++ {
		line, err := r.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil //nolint:nilnil // ignore an incomplete line
		case err != nil:
			return nil, err
		case at == 0:
			if json.Unmarshal(line, &e) != nil || e.Seq > seq {
				return nil, nil //nolint:nilnil // the line is in an earlier file, or missing
			}
			at = e.Seq
		}
		if at == seq {
			return bytes.TrimSuffix(line, []byte("\n")), nil
		}
	}
}

// end returns the name of the newest file with a complete line, the offset of the end of the last complete line, and
// the content of this line. It reads only the end of the file, because servers call end for each batch of each machine.
func (j *Journal) end() (name string, size int64, line []byte, err error) {
	names, err := j.files()
	for _, name := range slices.Backward(names) {
		f, err := os.Open(filepath.Join(j.Dir, name))
		if err != nil {
			return "", 0, nil, err
		}
		info, err := f.Stat()
		if err != nil {
			return "", 0, nil, errors.Join(err, f.Close())
		}
		from := max(info.Size()-3*maxBody, 0) // the last complete line and the partial line that may follow have at most maxBody bytes each
		text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
		if err := errors.Join(err, f.Close()); err != nil {
			return "", 0, nil, err
		}
		if n := bytes.LastIndexByte(text, '\n'); n >= 0 {
			return name, from + int64(n) + 1, text[bytes.LastIndexByte(text[:n], '\n')+1 : n], nil
		}
	}
	return "", 0, nil, err
}

// AddCall implements gateway.CallWriter.
func (w *writing) AddCall(_ context.Context, c gateway.Call) error {
	tool := ""
	if c.Version > 0 {
		tool = c.Tool.String()
	}
	w.at = c.At
	w.entries = append(w.entries, entry{Call: &callEntry{
		ID: c.ID, At: c.At.UTC(), Actor: c.Caller.Actor.String(), Agent: c.Caller.Agent, User: c.Caller.User, Name: c.Name, Tool: tool,
		Version: c.Version, ContentHash: c.ContentHash, Command: c.Command, ArgsHash: c.ArgsHash, Nth: c.Nth,
	}})
	return nil
}

// CountRefused implements gateway.CallWriter.
func (w *writing) CountRefused(_ context.Context, c gateway.Call, _ gateway.Code, most int) (bool, error) {
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	if w.j.counts == nil {
		w.j.counts = map[string]int{}
	}
	hour := c.Caller.Agent + "\x00" + c.Caller.User + "\x00" + c.At.UTC().Format("2006-01-02T15")
	w.j.counts[hour]++
	return w.j.counts[hour] <= most, nil
}

// AddOutcome implements gateway.CallWriter.
func (w *writing) AddOutcome(_ context.Context, call string, o gateway.Outcome) error {
	w.at = o.At
	w.entries = append(w.entries, entry{Outcome: &outcomeEntry{
		Call: call, Code: o.Code, At: o.At.UTC(), Duration: o.Duration, OutputHash: o.OutputHash, OutputBytes: o.OutputBytes, Message: o.Message, NotRun: o.NotRun,
	}})
	return nil
}

// AddChange implements gateway.CallWriter.
func (w *writing) AddChange(_ context.Context, c gateway.Change) error {
	w.at = c.At
	w.entries = append(w.entries, entry{Change: &c})
	return nil
}

// AddPending implements gateway.CallWriter.
func (*writing) AddPending(context.Context, gateway.Pending) error { return errNobodyAnswers }

// AddAnswer implements gateway.CallWriter.
func (*writing) AddAnswer(context.Context, string, gateway.Answer) error { return errNobodyAnswers }

// AddOverride implements gateway.CallWriter.
func (*writing) AddOverride(context.Context, gateway.Override) error { return errNobodyAnswers }

// Calls implements gateway.CallReader.
func (j *Journal) Calls(_ context.Context, q gateway.CallQuery) ([]gateway.Call, error) {
	names, err := j.files()
	if err != nil {
		return nil, err
	}
	outcomes := map[string]*gateway.Outcome{} // outcomes in the files read so far, keyed by call
	var found []gateway.Call
	for _, name := range slices.Backward(names) {
		data, err := os.ReadFile(filepath.Join(j.Dir, name))
		if err != nil {
			return nil, err
		}
		var calls []gateway.Call
		for line := range bytes.Lines(data) {
			var e entry
			if json.Unmarshal(line, &e) != nil {
				continue // Verify reports invalid lines
			}
			if o := e.Outcome; o != nil {
				outcomes[o.Call] = &gateway.Outcome{Code: o.Code, At: o.At, Duration: o.Duration, OutputHash: o.OutputHash, OutputBytes: o.OutputBytes, Message: o.Message, NotRun: o.NotRun}
			}
			if e.Call != nil {
				calls = append(calls, e.Call.call(e.Seq))
			}
		}
		for _, c := range slices.Backward(calls) {
			c.Outcome = outcomes[c.ID]
			if matches(q, c) && len(found) < q.Limit {
				found = append(found, c)
			}
		}
		if len(found) == q.Limit {
			break
		}
	}
	return found, nil
}

func matches(q gateway.CallQuery, c gateway.Call) bool {
	code := gateway.CodeInterrupted
	if c.Outcome != nil {
		code = cmp.Or(c.Outcome.Code, gateway.CodeOK)
	}
	return (q.Agent == "" || q.Agent == c.Caller.Agent) && (q.User == "" || q.User == c.Caller.User) && (q.Tool == registry.Subject{} || q.Tool == c.Tool) &&
		(q.Code == "" || q.Code == code) && (q.Before == 0 || c.Seq < q.Before) && q.Hint == ""
}

// call converts the entry to a call. If a value cannot be parsed, the field is empty. This is not an error, because
// Verify reports edited files.
func (c callEntry) call(seq int64) gateway.Call {
	actor, _ := proposals.ParseActor(c.Actor)
	tool, _ := registry.ParseSubject(c.Tool)
	return gateway.Call{
		Seq: seq, ID: c.ID, At: c.At, Caller: gateway.Caller{Actor: actor, Agent: c.Agent, User: c.User, Server: strings.TrimPrefix(c.Agent, gateway.GuardPrefix)},
		Name: c.Name, Tool: tool, Version: c.Version, ContentHash: c.ContentHash, Command: c.Command, ArgsHash: c.ArgsHash, Nth: c.Nth,
	}
}

// Verify checks the hash chain of the journal. It returns the number of lines and the hash of the last line. The first
// line of the oldest file may refer to a line in a removed file.
func (j *Journal) Verify() (lines int64, head string, err error) {
	names, err := j.files()
	if err != nil {
		return 0, "", err
	}
	first := true
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(j.Dir, name))
		if err != nil {
			return lines, head, err
		}
		number := 0
		for line := range bytes.Lines(data) {
			number++
			var e entry
			if err := json.Unmarshal(line, &e); err != nil || !first && e.Prev != head {
				return lines, head, fmt.Errorf("%s, line %d: the line does not follow the previous line, so lines were changed or removed", filepath.Join(j.Dir, name), number)
			}
			first, head = false, registry.HashBytes(bytes.TrimSuffix(line, []byte("\n")))
			lines++
		}
	}
	return lines, head, nil
}
