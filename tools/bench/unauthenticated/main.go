// Command unauthenticated measures how long an authorised request over HTTP takes
// while clients without a token hold connections: idle ones, and ones that sent
// half of a header and come back whenever they are closed.
//
//	go build -o /tmp/toolcrib . && go run ./tools/bench/unauthenticated /tmp/toolcrib
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"toolcrib/tools/bench/program"
)

const (
	token    = "0123456789abcdef0123456789abcdef"
	requests = 100
	hello    = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "unauthenticated:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: unauthenticated TOOLCRIB")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	address, err := start(ctx, args[0])
	if err != nil {
		return err
	}
	if err := measure(ctx, "nobody else", address); err != nil {
		return err
	}
	for _, crowd := range []struct {
		name string
		n    int
		text string
	}{{"3,000 idle connections", 3000, ""}, {"6,000 half-sent headers", 6000, "P"}} {
		crowded, leave := context.WithCancel(ctx)
		var everybody sync.WaitGroup
		var came atomic.Int64
		for range crowd.n {
			everybody.Go(func() { strange(crowded, address, crowd.text, &came) })
		}
		for came.Load() < int64(crowd.n) {
			time.Sleep(time.Millisecond)
		}
		err := measure(ctx, crowd.name, address)
		leave()
		everybody.Wait()
		if err != nil {
			return err
		}
	}
	return nil
}

// start serves a new database and returns the address.
func start(ctx context.Context, path string) (string, error) {
	dir, err := os.MkdirTemp("", "unauthenticated")
	if err != nil {
		return "", err
	}
	cmd := program.Program{Path: path, Home: dir, Database: filepath.Join(dir, "x.db")}.Command(ctx, "mcp", "--http", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "TOOLCRIB_MCP_TOKEN="+token)
	context.AfterFunc(ctx, func() { _ = os.RemoveAll(dir) })
	errs, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		if v, ok := strings.CutPrefix(lines.Text(), "serving "); ok {
			u, err := url.Parse(v)
			return u.Host, err
		}
	}
	return "", fmt.Errorf("%s did not start", path)
}

// strange holds a connection without a token, and a new one whenever it is
// closed.
func strange(ctx context.Context, address, text string, came *atomic.Int64) {
	for first := true; ctx.Err() == nil; first = false {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if first {
			came.Add(1)
		}
		if err != nil {
			continue
		}
		end := context.AfterFunc(ctx, func() { _ = conn.Close() })
		_, _ = io.WriteString(conn, text)
		_, _ = conn.Read(make([]byte, 1))
		end()
		_ = conn.Close()
		time.Sleep(time.Second) // the machine is that of the server, too
	}
}

// measure sends requests, each over a connection of its own.
func measure(ctx context.Context, name, address string) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	took := make([]time.Duration, requests)
	for i := range took {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/mcp", strings.NewReader(hello))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		begun := time.Now()
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if took[i] = time.Since(begun); resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", name, resp.Status)
		}
	}
	fmt.Printf("%-24s  %s\n", name, program.Quantiles(took))
	return nil
}
