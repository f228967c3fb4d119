package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// prepareServe measures toolcrib serve with an agent of many tools, on loopback: the time for a configuration that is
// rendered, that was rendered in the same minute, and that is unchanged; the number of successful requests per second;
// and the delay between an approval by another process and its delivery to a subscriber.
func prepareServe(flags *flag.FlagSet) func(context.Context, lab) error {
	tools := flags.Int("tools", 1000, "tools of the agent")
	rate := flags.Int("rate", 2000, "requests a second")
	whole := flags.Int("whole", 20, "one request of so many is answered whole, the others with 304")
	return func(ctx context.Context, l lab) error {
		p, err := l.program(ctx, "x.db")
		if err != nil {
			return err
		}
		s := &served{program: p}
		if err := errors.Join(s.fill(ctx, *tools), s.start(ctx)); err != nil {
			return err
		}
		return errors.Join(s.latencies(ctx), s.throughput(ctx, *rate, *whole), s.news(ctx))
	}
}

// served is a database of an agent with many tools, and a server for it.
type served struct {
	program

	url, token string
	tag        string
}

// fill imports tools, approves them, and gives them to an agent.
func (s *served) fill(ctx context.Context, n int) error {
	var list []any
	var ids []string
	for i := range n {
		list = append(list, map[string]any{
			"name": fmt.Sprintf("tool_%d", i), "description": fmt.Sprintf("Do thing %d of the many things that an agent may have to do, and say what came of it.", i),
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{
				"what": map[string]any{"type": "string", "description": "What to do it with."}, "count": map[string]any{"type": "integer", "description": "How many times."},
			}},
		})
		ids = append(ids, fmt.Sprintf("many_tool_%d", i))
	}
	check := func(name, expect, output string) any {
		return map[string]any{"name": name, "input": "Go.", "expect": expect, "output": output, "checks": []any{map[string]any{"type": "contains", "value": "done"}}}
	}
	agent := map[string]any{
		"type": "new", "subject": "agent:user/runner", "baseVersion": 0, "rationale": "It is measured.", "examples": []string{"Run a tool.", "Run another one."},
		"definition": map[string]any{"id": "runner", "name": "Runner", "description": "Runs what it is told to.", "allowList": map[string]any{"tools": ids}},
		"testCases":  []any{check("runs", "pass", "done"), check("does not", "fail", "no")},
	}
	for name, doc := range map[string]any{"tools.json": map[string]any{"serverInfo": map[string]any{"name": "many"}, "tools": list}, "agent.json": agent} {
		text, err := json.Marshal(doc)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(s.home, name), text, 0o600); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"import", "tools.json", "--server", "many"}, {"propose", "agent.json"}} {
		if _, err := s.run(ctx, "", args...); err != nil {
			return err
		}
		if err := s.approveAll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// newToken makes a token of the agent.
func (s *served) newToken(ctx context.Context) (secret string, err error) {
	out, err := s.run(ctx, "", "tokens", "create", "runner", "--user", "ada", "--json")
	if err != nil {
		return "", err
	}
	var doc struct {
		Secret string `json:"secret"`
	}
	err = json.Unmarshal(out, &doc)
	return doc.Secret, err
}

// start makes a token and starts the server.
func (s *served) start(ctx context.Context) (err error) {
	if s.token, err = s.newToken(ctx); err != nil {
		return err
	}
	_, s.url, err = serve(s.command(ctx, "serve", "--http", "127.0.0.1:0", "--log-format", "json"), `(http://[^"\s]+)`)
	return err
}

// get asks for the configuration and returns the status and the length.
func (s *served) get(ctx context.Context, client *http.Client, query, tag string) (status, size int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/agents/runner/config?"+query, nil)
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is written
	s.tag = resp.Header.Get("ETag")
	n, err := io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, int(n), err
}

// latencies measures sequential requests.
func (s *served) latencies(ctx context.Context) error {
	client := &http.Client{}
	for _, m := range []struct {
		name, query string
		n, want     int
		fresh       bool // another channel each time, so that each prompt is rendered
		tagged      bool
	}{
		{"rendered", "format=openai", 200, http.StatusOK, true, false},
		{"same minute", "format=openai", 1000, http.StatusOK, false, false},
		{"unchanged (304)", "format=openai", 2000, http.StatusNotModified, false, true},
	} {
		took := make(times, m.n)
		size := 0
		for i := range took {
			query, tag := m.query, ""
			if m.fresh {
				query = fmt.Sprintf("%s&channel=c%d", query, i)
			}
			if m.tagged {
				tag = s.tag
			}
			began := time.Now()
			status, n, err := s.get(ctx, client, query, tag)
			if took[i] = time.Since(began); err != nil || status != m.want {
				return fmt.Errorf("%s: status %d: %w", m.name, status, err)
			}
			size = n
		}
		say(m.name, "%s, %d bytes", took, size)
	}
	return nil
}

// throughput sends requests at a rate for some seconds, one of so many by a client
// that does not have the configuration.
func (s *served) throughput(ctx context.Context, rate, whole int) error {
	const seconds, workers = 5, 32
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	turns := make(chan int, rate)
	var failed, done atomic.Int64
	var all sync.WaitGroup
	tag := s.tag
	for range workers {
		all.Go(func() {
			for i := range turns {
				given := tag
				if i%whole == 0 {
					given = ""
				}
				one := *s
				if status, _, err := one.get(ctx, client, "format=openai", given); err != nil || status >= http.StatusBadRequest {
					failed.Add(1)
				}
				done.Add(1)
			}
		})
	}
	began := time.Now()
	for i := range rate * seconds {
		if wait := time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))); wait > 0 {
			time.Sleep(wait)
		}
		turns <- i
	}
	close(turns)
	all.Wait()
	took := time.Since(began)
	say("throughput", "%.0f requests/s for %s, %d failed", float64(done.Load())/took.Seconds(), took.Round(time.Millisecond), failed.Load())
	if n := failed.Load(); n > 0 {
		return fmt.Errorf("%d requests failed", n)
	}
	return nil
}

// news measures from before an approval by another process until a subscriber has
// it, and how long the configuration takes half a second later.
func (s *served) news(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is written
	lines := bufio.NewScanner(resp.Body)
	const n = 10
	late, first := make(times, n), make(times, n)
	for i := range late {
		if err := os.WriteFile(filepath.Join(s.home, "more.json"), fmt.Appendf(nil, `{"serverInfo":{"name":"more"},"tools":[{"name":"more_%d","description":"Do one more thing, number %d.","inputSchema":{"type":"object"}}]}`, i, i), 0o600); err != nil {
			return err
		}
		if _, err := s.run(ctx, "", "import", "more.json", "--server", fmt.Sprintf("more%d", i)); err != nil {
			return err
		}
		if err := s.approveAll(ctx); err != nil {
			return err
		}
		approved := time.Now()
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
		}
		if late[i] = time.Since(approved); lines.Err() != nil {
			return lines.Err()
		}
		time.Sleep(500 * time.Millisecond)
		began := time.Now()
		if _, _, err := s.get(ctx, http.DefaultClient, "format=openai", ""); err != nil {
			return err
		}
		first[i] = time.Since(began)
	}
	say("the first config", "%s", first)
	say("an approval", "%s after the approving process ended", late)
	return nil
}
