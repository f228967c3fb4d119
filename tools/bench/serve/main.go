// Command serve measures toolcrib serve with an agent of many tools, on loopback:
// how long a configuration takes when it is rendered, when it was rendered in the
// same minute, and when nothing changed; how many requests a second are answered
// without an error; and how long an approval by another process takes to reach a
// subscriber.
//
//	go build -o /tmp/toolcrib . && go run ./tools/bench/serve /tmp/toolcrib
package main

import (
	"bufio"
	"context"
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

	"toolcrib/tools/bench/program"
)

func main() {
	tools := flag.Int("tools", 1000, "tools of the agent")
	rate := flag.Int("rate", 2000, "requests a second")
	whole := flag.Int("whole", 20, "one request of so many is answered whole, the others with 304")
	flag.Parse()
	if err := run(context.Background(), flag.Args(), *tools, *rate, *whole); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, tools, rate, whole int) error {
	if len(args) != 1 {
		return errors.New("usage: serve [-tools N] [-rate N] [-whole N] TOOLCRIB")
	}
	dir, err := os.MkdirTemp("", "serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a scratch folder
	b := bench{Program: program.Program{Path: args[0], Home: dir, Database: filepath.Join(dir, "x.db")}}
	if err := b.fill(ctx, tools); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := b.start(ctx); err != nil {
		return err
	}
	return errors.Join(b.latencies(ctx), b.throughput(ctx, rate, whole), b.news(ctx))
}

// bench is a database of an agent with many tools, and a server of it.
type bench struct {
	program.Program

	url, token string
	tag        string
}

// get asks for the configuration and returns the status and the length.
func (b *bench) get(ctx context.Context, client *http.Client, query, tag string) (status, size int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"/v1/agents/runner/config?"+query, nil)
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is written
	b.tag = resp.Header.Get("ETag")
	n, err := io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, int(n), err
}

// latencies measures requests one after another.
func (b *bench) latencies(ctx context.Context) error {
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
		took := make([]time.Duration, m.n)
		size := 0
		for i := range took {
			query, tag := m.query, ""
			if m.fresh {
				query = fmt.Sprintf("%s&channel=c%d", query, i)
			}
			if m.tagged {
				tag = b.tag
			}
			began := time.Now()
			status, n, err := b.get(ctx, client, query, tag)
			if took[i] = time.Since(began); err != nil || status != m.want {
				return fmt.Errorf("%s: status %d: %w", m.name, status, err)
			}
			size = n
		}
		fmt.Printf("%-18s %s, %d bytes\n", m.name, program.Quantiles(took), size)
	}
	return nil
}

// throughput sends requests at a rate for some seconds, one of so many by a client
// that does not have the configuration.
func (b *bench) throughput(ctx context.Context, rate, whole int) error {
	const seconds, workers = 5, 32
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	turns := make(chan int, rate)
	var failed, done atomic.Int64
	var all sync.WaitGroup
	tag := b.tag
	for range workers {
		all.Go(func() {
			for i := range turns {
				given := tag
				if i%whole == 0 {
					given = ""
				}
				one := *b
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
	fmt.Printf("%-18s %.0f requests/s for %s, %d failed\n", "throughput", float64(done.Load())/took.Seconds(), took.Round(time.Millisecond), failed.Load())
	if n := failed.Load(); n > 0 {
		return fmt.Errorf("%d requests failed", n)
	}
	return nil
}

// news measures from before an approval by another process until a subscriber has
// it, and how long the configuration takes half a second later.
func (b *bench) news(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"/v1/events", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is written
	lines := bufio.NewScanner(resp.Body)
	const n = 10
	late, first := make([]time.Duration, n), make([]time.Duration, n)
	for i := range late {
		if err := os.WriteFile(filepath.Join(b.Home, "more.json"), fmt.Appendf(nil, `{"serverInfo":{"name":"more"},"tools":[{"name":"more_%d","description":"Do one more thing, number %d.","inputSchema":{"type":"object"}}]}`, i, i), 0o600); err != nil {
			return err
		}
		if _, err := b.Run(ctx, "", "import", "more.json", "--server", fmt.Sprintf("more%d", i)); err != nil {
			return err
		}
		if err := b.approveAll(ctx); err != nil {
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
		if _, _, err := b.get(ctx, http.DefaultClient, "format=openai", ""); err != nil {
			return err
		}
		first[i] = time.Since(began)
	}
	fmt.Printf("%-18s %s\n", "the first config", program.Quantiles(first))
	fmt.Printf("%-18s %s after the approving process ended\n", "an approval", program.Quantiles(late))
	return nil
}
