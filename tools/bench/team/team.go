package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"toolcrib/store"
	"toolcrib/store/pg/pgtest"
	"toolcrib/tools/bench/program"
)

// team is a cluster with a database, and the measurements on it.
type team struct {
	program.Program

	cluster *pgtest.Cluster
	hub     *httptest.Server
	number  atomic.Int64 // of the last tool that was proposed
	waiting chan string  // proposals

	mu       sync.Mutex
	took     map[string][]time.Duration
	approved map[string]time.Time // when the process that approved had ended
	seen     map[string]time.Time // when another process saw it
}

const toolText = `{"type":"new","subject":"tool:user/%s","baseVersion":0,"definition":{"id":"%[1]s","kind":"action","name":"Tool %[1]s","category":"other",
"description":"Returns the times of high and low water at the harbour %[1]s.","inputSchema":{"type":"object","properties":{"harbour":{"type":"string",
"description":"Name of the harbour.","maxLength":40}},"additionalProperties":false},"annotations":{"readOnly":true,"destructive":false},
"approval":{"tier":"%s"},"limits":{"dailyLimit":%d,"cooldownSeconds":%d},"provider":{"type":"http","name":"tides.get","url":"%s"}},
"rationale":"Skippers ask for the tides every morning.","examples":["When is high water in Husum tomorrow?","Low water at Emden on Sunday"],
"testCases":[{"name":"times are given","input":"Husum","expect":"pass","output":"High water at 06:12.","checks":[{"type":"contains","value":"06:12"}]},
{"name":"no guess","input":"Husum","expect":"fail","output":"Probably around noon.","checks":[{"type":"matches","value":"[0-9]{2}:[0-9]{2}"}]}]}
`

const agentText = `{"type":"new","subject":"agent:user/skipper","baseVersion":0,"definition":{"id":"skipper","name":"Skipper","description":"Plans trips at sea.",
"allowList":["get_limited","get_free","get_asked","get_resting"]},"rationale":"Trips are planned every week.","examples":["Plan a trip to Husum","When can we leave?"],
"testCases":[{"name":"short","input":"Husum","expect":"pass","output":"At six.","checks":[{"type":"max_chars","value":20}]},
{"name":"long","input":"Husum","expect":"fail","output":"At six, when the water is high.","checks":[{"type":"max_chars","value":20}]}]}
`

// newTeam starts a cluster with a database, four tools, and an agent that has them.
func newTeam(ctx context.Context, path string) (t *team, err error) {
	t = &team{
		Program: program.Program{Path: path}, waiting: make(chan string, 1000), took: map[string][]time.Duration{},
		approved: map[string]time.Time{}, seen: map[string]time.Time{},
	}
	t.hub = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"success":true,"result":{}}`)) }))
	if t.Home, err = os.MkdirTemp("", "team"); err != nil {
		return nil, err
	}
	if t.cluster, err = pgtest.Start(pgtest.Options{Durable: true}); err != nil {
		return nil, err
	}
	name, err := t.cluster.Database(ctx, "")
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	t.Database = t.cluster.URL(pgtest.Superuser, name)
	texts := t.tool("get_limited", "auto_approve", dailyLimit, 0) + t.tool("get_free", "auto_approve", 0, 0) +
		t.tool("get_asked", "requires_approval", 0, 0) + t.tool("get_resting", "auto_approve", 0, int(cooldown.Seconds())) + agentText
	settings := filepath.Join(t.Home, ".config", "toolcrib", "toolcrib.toml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(settings), 0o700), os.WriteFile(settings, fmt.Appendf(nil, "[gateway]\nmax_pending = %d\n", maxPending), 0o600)); err != nil {
		return nil, errors.Join(err, t.close())
	}
	for _, step := range []struct {
		in   string
		args []string
	}{{"", []string{"migrate"}}, {texts, []string{"propose", "-"}}, {"", []string{"approve", "#1"}}, {"", []string{"approve", "#2"}}, {"", []string{"approve", "#3"}}, {"", []string{"approve", "#4"}}, {"", []string{"approve", "#5"}}} {
		if _, err := t.Run(ctx, step.in, step.args...); err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	return t, nil
}

// tool returns the draft of a tool with limits; 0 sets none.
func (t *team) tool(id, tier string, daily, cooldownSeconds int) string {
	return fmt.Sprintf(toolText, id, tier, daily, cooldownSeconds, t.hub.URL)
}

func (t *team) close() error {
	t.hub.Close()
	return errors.Join(t.cluster.Stop(), os.RemoveAll(t.Home))
}

// timed runs a command and notes how long it took.
func (t *team) timed(ctx context.Context, act, in string, args ...string) ([]byte, error) {
	start := time.Now()
	out, err := t.Run(ctx, in, args...)
	t.note(act, time.Since(start))
	return out, err
}

func (t *team) note(act string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.took[act] = append(t.took[act], took)
}

// watch notes when approvals are seen by this process.
func (t *team) watch(ctx context.Context) error {
	db, err := store.Open(ctx, t.Database, store.Options{Now: time.Now, NewID: func() string { return "" }})
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // it only reads
	var told, last int64
	for ctx.Err() == nil {
		events, err := db.EventsAfter(ctx, last, 1000)
		if err != nil && ctx.Err() == nil {
			return err
		}
		t.mu.Lock()
		for _, e := range events {
			if last = e.Seq; e.Act == "approve" {
				t.seen[e.Proposal] = time.Now()
			}
		}
		t.mu.Unlock()
		told = db.Wait(ctx, told, time.Second)
	}
	return nil
}

// check compares the database with the acknowledged acts.
func (t *team) check(ctx context.Context) error {
	if _, err := t.Run(ctx, "", "verify"); err != nil {
		return err
	}
	var problems []error
	for id := range t.approved {
		if t.seen[id].IsZero() {
			problems = append(problems, fmt.Errorf("the approval of %s was never seen", id))
		}
	}
	live, err := t.live(ctx)
	if want := len(t.approved) + 4; err != nil || live != want {
		problems = append(problems, fmt.Errorf("%d versions of tools, want %d: %w", live, want, err))
	}
	fmt.Printf("%d versions; verified\n", live)
	return errors.Join(problems...)
}

// live counts the versions of tools in the user's layer.
func (t *team) live(ctx context.Context) (n int, err error) {
	db, err := store.Open(ctx, t.Database, store.Options{Now: time.Now, NewID: func() string { return "" }})
	if err != nil {
		return 0, err
	}
	defer db.Close() //nolint:errcheck // it only reads
	for last := int64(0); ; {
		events, err := db.EventsAfter(ctx, last, 1000)
		if err != nil || len(events) == 0 {
			return n, err
		}
		for _, e := range events {
			if last = e.Seq; e.Act == "approve" && strings.HasPrefix(e.Subject, "tool:user/") {
				n++
			}
		}
	}
}
