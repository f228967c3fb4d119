package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	mcpToken = "0123456789abcdef0123456789abcdef"
	mcpHello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
)

// prepareUnauthenticated measures how long an authorised request over HTTP takes while
// clients without a token hold connections: idle ones, and ones that sent half of a
// header and come back whenever they are closed.
func prepareUnauthenticated(flags *flag.FlagSet) func(context.Context, lab) error {
	requests := flags.Int("requests", 100, "authorised requests")
	return func(ctx context.Context, l lab) error {
		p, err := l.program(ctx, "x.db")
		if err != nil {
			return err
		}
		cmd := p.command(ctx, "mcp", "--http", "127.0.0.1:0")
		cmd.Env = append(cmd.Env, "TOOLCRIB_MCP_TOKEN="+mcpToken)
		_, address, err := serve(cmd, `serving http://([^/\s]+)`)
		if err != nil {
			return err
		}
		for _, crowd := range []struct {
			name string
			n    int
			text string
		}{{"nobody else", 0, ""}, {"3,000 idle connections", 3000, ""}, {"6,000 half-sent headers", 6000, "P"}} {
			if err := besideCrowd(ctx, crowd.n, address, crowd.text, func() error { return authorised(ctx, crowd.name, address, *requests) }); err != nil {
				return err
			}
		}
		return nil
	}
}

// besideCrowd measures while n strangers hold connections.
func besideCrowd(ctx context.Context, n int, address, text string, measure func() error) error {
	ctx, leave := context.WithCancel(ctx)
	var everybody sync.WaitGroup
	defer everybody.Wait()
	defer leave()
	var came atomic.Int64
	for range n {
		everybody.Go(func() { stranger(ctx, address, text, &came) })
	}
	for came.Load() < int64(n) {
		time.Sleep(time.Millisecond)
	}
	return measure()
}

// stranger holds a connection without a token, and a new one whenever it is closed.
func stranger(ctx context.Context, address, text string, came *atomic.Int64) {
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

// authorised sends requests with the token, each over a connection of its own.
func authorised(ctx context.Context, name, address string, n int) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	took := make(times, n)
	for i := range took {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/mcp", strings.NewReader(mcpHello))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+mcpToken)
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
	say(name, "%s", took)
	return nil
}
