package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"toolcrib/store"
	"toolcrib/store/pg/pgtest"
)

// prepareTeam lets eight processes at a time use one PostgreSQL server, which it starts:
// two propose, two approve, two execute, one previews and lists, one is an MCP server.
// Then all eight call past a limit of the day, past the number of calls that may wait,
// and within a cooldown. It prints how many acts were done, how long they took, and how
// soon an approval was seen by another process, and fails when a version was lost or
// written twice, or when a limit, a cooldown, or a waiting call was counted wrongly.
func prepareTeam(flags *flag.FlagSet) func(context.Context, lab) error {
	duration := flags.Duration("for", time.Minute, "how long")
	return func(ctx context.Context, l lab) error {
		p, err := l.program(ctx, "")
		if err != nil {
			return err
		}
		return teamwork(ctx, p, *duration)
	}
}

func teamwork(ctx context.Context, p program, duration time.Duration) (err error) {
	t, err := newTeam(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	watch, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- t.watch(watch) }()
	over := time.Now().Add(duration)
	var drivers errgroup.Group
	for _, drive := range []func(context.Context) error{t.propose, t.propose, t.approve, t.approve, t.execute, t.execute, t.read} {
		drivers.Go(func() error {
			for time.Now().Before(over) {
				if err := drive(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	drivers.Go(func() error { return t.overMCP(ctx, over) })
	if err = drivers.Wait(); err == nil {
		err = errors.Join(t.limits(ctx), t.cool(ctx))
	}
	stop()
	if err = errors.Join(err, <-watched); err != nil {
		return err
	}
	t.report(duration)
	return t.check(ctx)
}

// report prints the throughput and the quantiles of each act.
func (t *team) report(duration time.Duration) {
	for _, act := range slices.Sorted(maps.Keys(t.took)) {
		say(act, "%6.1f a second, %s", float64(len(t.took[act]))/duration.Seconds(), t.took[act])
	}
	var seen times
	for id, done := range t.approved {
		seen = append(seen, max(0, t.seen[id].Sub(done)))
	}
	say("seen after", "%s", seen)
}

// team is a cluster with a database, and the measurements on it.
type team struct {
	program

	cluster *pgtest.Cluster
	hub     *httptest.Server
	number  atomic.Int64 // of the last tool that was proposed
	waiting chan string  // proposals

	mu       sync.Mutex
	took     map[string]times
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
func newTeam(ctx context.Context, p program) (t *team, err error) {
	t = &team{
		program: p, waiting: make(chan string, 1000), took: map[string]times{},
		approved: map[string]time.Time{}, seen: map[string]time.Time{},
	}
	t.hub = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"success":true,"result":{}}`)) }))
	if t.cluster, err = pgtest.Start(pgtest.Options{Durable: true}); err != nil {
		return nil, err
	}
	name, err := t.cluster.Database(ctx, "")
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	t.database = t.cluster.URL(pgtest.Superuser, name)
	texts := t.tool("get_limited", "auto_approve", dailyLimit, 0) + t.tool("get_free", "auto_approve", 0, 0) +
		t.tool("get_asked", "requires_approval", 0, 0) + t.tool("get_resting", "auto_approve", 0, int(cooldown.Seconds())) + agentText
	if err := t.configure("toolcrib.toml", fmt.Sprintf("[gateway]\nmax_pending = %d\n", maxPending)); err != nil {
		return nil, errors.Join(err, t.close())
	}
	for _, step := range []struct {
		in   string
		args []string
	}{{"", []string{"migrate"}}, {texts, []string{"propose", "-"}}, {"", []string{"approve", "#1"}}, {"", []string{"approve", "#2"}}, {"", []string{"approve", "#3"}}, {"", []string{"approve", "#4"}}, {"", []string{"approve", "#5"}}} {
		if _, err := t.run(ctx, step.in, step.args...); err != nil {
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
	return t.cluster.Stop()
}

// timed runs a command and notes how long it took.
func (t *team) timed(ctx context.Context, act, in string, args ...string) ([]byte, error) {
	start := time.Now()
	out, err := t.run(ctx, in, args...)
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
	db, err := store.Open(ctx, t.database, store.Options{Now: time.Now, NewID: func() string { return "" }})
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
	if _, err := t.run(ctx, "", "verify"); err != nil {
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
	say("versions", "%d, verified", live)
	return errors.Join(problems...)
}

// live counts the versions of tools in the user's layer.
func (t *team) live(ctx context.Context) (n int, err error) {
	db, err := store.Open(ctx, t.database, store.Options{Now: time.Now, NewID: func() string { return "" }})
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
