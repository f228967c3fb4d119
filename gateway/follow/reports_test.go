package follow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/follow"
	"toolcrib/registry"
)

// reportServer answers POST /v1/reports as the test requires and records the documents.
type reportServer struct {
	documents []string
	answer    func(w http.ResponseWriter, r *http.Request, n int)
}

func (s *reportServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Reports []follow.Report }
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	for _, report := range in.Reports {
		s.documents = append(s.documents, string(report.Document))
	}
	s.answer(w, r, len(in.Reports))
}

func taken(w http.ResponseWriter, _ *http.Request, _ int) {
	_, _ = w.Write([]byte(`{"proposals":0,"refused":[]}`))
}

func newReportServer(t *testing.T) (*reportServer, follow.Source) {
	t.Helper()
	s := &reportServer{answer: taken}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	source, err := follow.NewSource(server.URL+follow.ServePath, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return s, source
}

func listOf(text string) []byte {
	return []byte(`{"tools":[{"name":"x","description":"` + text + `","inputSchema":{"type":"object"}}]}`)
}

// TestReportsAreSentOnce checks that each accepted report is sent once, although others are refused, and that refused
// reports are sent again later only if the server may accept them.
func TestReportsAreSentOnce(t *testing.T) {
	s, source := newReportServer(t)
	o := follow.Outbox{Dir: t.TempDir()}
	for _, text := range []string{"a", "b", "c"} {
		if err := o.Add(follow.Report{Server: "library", Document: listOf(text)}); err != nil {
			t.Fatal(err)
		}
	}
	s.answer = func(w http.ResponseWriter, _ *http.Request, n int) {
		_, _ = w.Write([]byte(`{"proposals":1,"refused":[{"index":0,"reason":"no\u001b[2J list"},{"index":1,"reason":"hourly limit","later":true},{"index":-1},{"index":9}]}`))
	}
	if err := o.Send(t.Context(), source); err == nil || !strings.Contains(err.Error(), "no") || strings.Contains(err.Error(), "\x1b") || len(s.documents) != 3 {
		t.Errorf("%v, %d sent", err, len(s.documents))
	}
	if waiting, last, err := o.State(); err != nil || waiting != 1 || last.Reports != 4 || !strings.Contains(last.Reason, "list") {
		t.Errorf("%d wait, the server refused %+v, %v", waiting, last, err)
	}
	s.answer = taken
	if err := o.Send(t.Context(), source); err != nil || len(s.documents) != 3 {
		t.Errorf("at once: %v, %d sent", err, len(s.documents))
	}
	files, err := filepath.Glob(filepath.Join(o.Dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files { // an hour passes
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := o.Send(t.Context(), source); err != nil || len(s.documents) != 4 || s.documents[3] != s.documents[1] {
			t.Errorf("later: %v, %d sent", err, len(s.documents))
		}
	}
}

// TestReportsAreNotLost has responses that do not come from toolcrib serve.
func TestReportsAreNotLost(t *testing.T) {
	s, source := newReportServer(t)
	o := follow.Outbox{Dir: t.TempDir()}
	if err := o.Add(follow.Report{Server: "library", Document: listOf("a")}); err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, int){
		"redirect": func(w http.ResponseWriter, r *http.Request, _ int) {
			if r.Method == http.MethodPost {
				http.Redirect(w, r, "/login", http.StatusFound)
				return
			}
			taken(w, r, 0)
		},
		"page":      func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write([]byte("<html>")) },
		"unchanged": func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusNotModified) },
		"empty":     func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write([]byte("{}")) },
	} {
		s.answer = answer
		if err := o.Send(t.Context(), source); err == nil {
			t.Errorf("%s: the report counts as sent", name)
		}
	}
	s.answer, s.documents = taken, nil
	if err := o.Send(t.Context(), source); err != nil || len(s.documents) != 1 {
		t.Errorf("%v, %d sent", err, len(s.documents))
	}
}

// TestOutboxHasRoom fills an outbox with marks, and then with the reports of one server.
func TestOutboxHasRoom(t *testing.T) {
	s, source := newReportServer(t)
	o := follow.Outbox{Dir: t.TempDir()}
	for i := range 1000 {
		mark := filepath.Join(o.Dir, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(mark, time.Time{}, time.Unix(int64(1000+(i+500)%1000), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Add(follow.Report{Server: "other", Document: listOf("new")}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "500.json")); err == nil {
		t.Error("the oldest mark is still there")
	}
	for i := range 100 {
		if err := o.Add(follow.Report{Server: "noisy", Document: listOf(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Add(follow.Report{Server: "noisy", Document: listOf("one more")}); err == nil {
		t.Error("a server has 101 reports")
	}
	for _, refused := range [][]byte{listOf(strings.Repeat("x", 512<<10)), []byte("{"), listOf(`\u0000`), []byte(strings.Repeat("[", 129) + strings.Repeat("]", 129))} {
		if err := o.Add(follow.Report{Server: "large", Document: refused}); err == nil {
			t.Errorf("a report that cannot be sent is queued: %.30s", refused)
		}
	}
	if err := o.Add(follow.Report{Server: "large", Document: listOf(strings.Repeat("<", 500<<10))}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := o.Send(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.documents) != 102 {
		t.Errorf("%d reports were sent", len(s.documents))
	}
}

// TestCallsAreSent sends the log of calls in batches, each line once, although answers are lost.
func TestCallsAreSent(t *testing.T) {
	kept, batches, lost := follow.Journal{Dir: t.TempDir()}, 0, true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in follow.CallLines
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/calls" || len(in.Machine) != 32 {
			t.Errorf("%s by %q: %v", r.URL, in.Machine, err)
		}
		if err := kept.Append(in.Lines, time.Now()); err != nil {
			t.Error(err)
		}
		batches++
		if lost {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer server.Close()
	source, err := follow.NewSource(server.URL+follow.ServePath, "", "")
	if err != nil {
		t.Fatal(err)
	}
	o, j := follow.Outbox{Dir: t.TempDir()}, &follow.Journal{Dir: t.TempDir()}
	ledger := follow.Ledger{Registry: func(context.Context) (*follow.Registry, error) { return &follow.Registry{}, nil }, Journal: j}
	for n := range 5 {
		err := ledger.Log(t.Context(), func(tx gateway.LedgerTx) error {
			for i := range 400 {
				if err := tx.AddCall(t.Context(), gateway.Call{ID: fmt.Sprint(n, i), At: time.Now(), Name: strings.Repeat("x", 1000)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.SendCalls(t.Context(), source, j); (err == nil) == lost {
			t.Errorf("with a lost answer %v: %v", lost, err)
		}
		lost = false
	}
	lines, head, err := j.Verify()
	if n, h, failed := kept.Verify(); err != nil || failed != nil || n != lines || h != head || lines != 2000 || batches < 5 {
		t.Errorf("%d lines of %d were kept in %d batches: %v %v", n, lines, batches, err, failed)
	}
}

// TestAppendEarlierLines sends lines again that are already stored, in batches that end before the last one. Changed
// lines are refused, even if the last line of the batch is the stored one.
func TestAppendEarlierLines(t *testing.T) {
	kept, now := follow.Journal{Dir: t.TempDir()}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	line := func(seq int, call, prev string) string {
		return fmt.Sprintf(`{"seq":%d,"prev":%q,"outcome":{"call":%q}}`, seq, prev, call)
	}
	var lines []string
	prev := ""
	for n := range 6 {
		lines = append(lines, line(n+1, "c", prev))
		prev = registry.HashBytes([]byte(lines[n]))
		if err := kept.Append(lines[n:], now.AddDate(0, 0, n/2)); err != nil {
			t.Fatal(err)
		}
	}
	now = now.AddDate(0, 0, 2)
	for from := range lines {
		for to := from + 1; to <= len(lines); to++ {
			if err := kept.Append(lines[from:to], now); err != nil {
				t.Errorf("lines %d to %d again: %v", from+1, to, err)
			}
		}
	}
	forged := line(3, "forged", registry.HashBytes([]byte(lines[1])))
	for name, batch := range map[string][]string{
		"alone": {forged}, "before the last line": {forged, lines[5]}, "before a stored line": {forged, lines[3]},
		"before a line that fits it": {forged, line(4, "c", registry.HashBytes([]byte(forged)))}, "with a gap": {lines[0], lines[2]},
	} {
		if err := kept.Append(batch, now); !errors.Is(err, follow.ErrChain) {
			t.Errorf("a forged line %s: %v", name, err)
		}
	}
	if err := os.Remove(filepath.Join(kept.Dir, "2026-01-01.ndjson")); err != nil {
		t.Fatal(err)
	}
	if err := kept.Append(lines[:2], now); err != nil {
		t.Errorf("lines whose file was moved away: %v", err)
	}
	if lines, _, err := kept.Verify(); lines != 4 || err != nil {
		t.Errorf("%d lines: %v", lines, err)
	}
}

// TestAppendAfterInterruption appends lines behind one that an interrupted process has begun, in the file of that day
// and in the next one.
func TestAppendAfterInterruption(t *testing.T) {
	kept, now := follow.Journal{Dir: t.TempDir()}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	prev := ""
	for n := range 4 {
		line := fmt.Sprintf(`{"seq":%d,"prev":%q,"outcome":{"call":"c"}}`, n+1, prev)
		if err := kept.Append([]string{line}, now); err != nil {
			t.Fatal(err)
		}
		prev = registry.HashBytes([]byte(line))
		if n > 0 {
			now = now.AddDate(0, 0, 1)
		}
		f, err := os.OpenFile(filepath.Join(kept.Dir, now.Format("2006-01-02")+".ndjson"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"seq":`); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := kept.Append([]string{fmt.Sprintf(`{"seq":5,"prev":%q,"outcome":{"call":"c"}}`, prev)}, now); err != nil {
		t.Fatal(err)
	}
	if lines, _, err := kept.Verify(); lines != 5 || err != nil {
		t.Errorf("%d lines: %v", lines, err)
	}
}
