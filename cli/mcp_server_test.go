package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// fixtureServer is the name under which the test binary runs as an MCP server
// whose tools stand in a file: mcp-fixture FILE. It reads the file for every
// list and says so when it changes.
const fixtureServer = "mcp-fixture"

func serveFixture() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "mcp-fixture: which file?")
		os.Exit(2)
	}
	file := os.Args[1]
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	dir, _ := os.Getwd() // "" where nobody knows
	listed := func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mcp-fixture:", err)
			os.Exit(1)
		}
		return strings.ReplaceAll(string(text), "\n", " ")
	}
	go func() {
		for last := listed(); ; time.Sleep(5 * time.Millisecond) {
			if now := listed(); now != last {
				last = now
				say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		}
	}()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var req struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		if json.Unmarshal(lines.Bytes(), &req) != nil || len(req.ID) == 0 {
			continue
		}
		switch req.Method {
		case "initialize":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"Fixture","version":"1"}}}`, req.ID)
		case "tools/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, req.ID, listed())
		case "tools/call":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"called"},{"type":"image","mimeType":"image/png","data":"aGk="}],"structuredContent":{"tool":%q,"args":%s,"secret":%q,"dir":%q,"command":%q}}}`,
				req.ID, req.Params.Name, req.Params.Arguments, os.Getenv("FIXTURE_SECRET"), dir, strings.Join(os.Args[1:], " "))
		default:
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, req.ID)
		}
	}
}
