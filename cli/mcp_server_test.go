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

// fixtureServer is the name under which the test binary runs as an MCP server with tools from a file: mcp-fixture FILE
// [TEXTS]. It reads the file for every list and notifies clients of changes. TEXTS contains its instructions and
// prompts.
const fixtureServer = "mcp-fixture"

// fixtureTexts contains the texts of the fixture: the entries of its prompts, and their texts with $NAME for arguments.
type fixtureTexts struct {
	Instructions string
	Prompts      []json.RawMessage
	Texts        map[string]string
}

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
	dir, _ := os.Getwd() // "" if unknown
	listed := func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mcp-fixture:", err)
			os.Exit(1)
		}
		return strings.ReplaceAll(string(text), "\n", " ")
	}
	texts, spoken := fixtureTexts{}, len(os.Args) == 3 && !strings.HasPrefix(os.Args[2], "-")
	if spoken {
		data, err := os.ReadFile(os.Args[2])
		if err == nil {
			err = json.Unmarshal(data, &texts)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "mcp-fixture:", err)
			os.Exit(1)
		}
	}
	last := listed() // before it responds, because a client may change the file after it received the list
	go func() {
		for ; ; time.Sleep(5 * time.Millisecond) {
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
				Revision  string `json:"protocolVersion"`
			}
		}
		if json.Unmarshal(lines.Bytes(), &req) != nil || len(req.ID) == 0 {
			continue
		}
		switch req.Method {
		case "initialize":
			more, instructions := "", ""
			if spoken {
				more, instructions = `,"prompts":{}`, fmt.Sprintf(`,"instructions":%q`, texts.Instructions)
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}%s},"serverInfo":{"name":"Fixture","version":"1"}%s}}`, req.ID, min(req.Params.Revision, "2025-11-25"), more, instructions)
		case "prompts/list":
			list, _ := json.Marshal(texts.Prompts) // cannot fail, because it was decoded from JSON
			say(`{"jsonrpc":"2.0","id":%s,"result":{"prompts":%s}}`, req.ID, list)
		case "prompts/get":
			text := texts.Texts[req.Params.Name]
			var args map[string]string
			_ = json.Unmarshal(req.Params.Arguments, &args) // may be empty
			for name, value := range args {
				text = strings.ReplaceAll(text, "$"+name, value)
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"messages":[{"role":"user","content":{"type":"text","text":%q}}]}}`, req.ID, text)
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
