package guard_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// role makes the test binary the server of a test; catalog names the file with the
// tools that it lists, answers that with its whole answers to lists with the ids 1, 2, …. With late, the fake
// answers the first list for the guard itself after a ping.
const (
	role    = "TOOLCRIB_TEST_GUARDED"
	catalog = "TOOLCRIB_TEST_TOOLS"
	prompts = "TOOLCRIB_TEST_PROMPTS"
	answers = "TOOLCRIB_TEST_ANSWERS"
	late    = "TOOLCRIB_TEST_LATE"
)

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "sleeper": // ends only when killed
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println("asleep")
		time.Sleep(time.Hour)
	default:
		(&fake{in: bufio.NewReaderSize(os.Stdin, 64<<10)}).serve()
	}
	os.Exit(0)
}

// fake is an MCP server for tests. It does not use a library for its output, so that tests control every byte.
type fake struct {
	in       *bufio.Reader
	received []string
	late     *fakeMessage // the guard's first tools/list, which waits for a ping
}

type fakeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Cursor    string          `json:"cursor"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

func (f *fake) serve() {
	if os.Getenv(role) == "banner" {
		fmt.Println("Fake server \x1b[31mready\x1b[0m on stdio")
	}
	for {
		line, err := f.in.ReadString('\n')
		if err != nil {
			return
		}
		f.received = append(f.received, line)
		var m fakeMessage
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not read"}}` + "\n")
			continue
		}
		f.handle(m)
	}
}

// prompts responds to requests about prompts from the file that the environment names, with the list entries and the
// text of each, in which $NAME stands for an argument.
func (f *fake) prompts(m fakeMessage) {
	var from struct {
		Prompts []json.RawMessage
		Texts   map[string]string
	}
	data, err := os.ReadFile(os.Getenv(prompts))
	if err == nil {
		err = json.Unmarshal(data, &from)
	}
	text, known := from.Texts[m.Params.Name]
	switch {
	case m.Method == "prompts/list" && err == nil:
		list, _ := json.Marshal(from.Prompts) // cannot fail, since it was JSON
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"prompts":%s}}`+"\n", m.ID, list)
	case err != nil || !known:
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"unknown prompt"}}`+"\n", m.ID)
	default:
		var args map[string]string
		_ = json.Unmarshal(m.Params.Arguments, &args) // nil if there are none
		for name, value := range args {
			text = strings.ReplaceAll(text, "$"+name, value)
		}
		quoted, _ := json.Marshal(text) // cannot fail for strings
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"messages":[{"role":"user","content":{"type":"text","text":%s}}]}}`+"\n", m.ID, quoted)
	}
}

func (f *fake) handle(m fakeMessage) {
	if os.Getenv(prompts) != "" && strings.HasPrefix(m.Method, "prompts/") {
		f.prompts(m)
		return
	}
	switch m.Method {
	case "initialize":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"fake","version":"1"},%s}}`+"\n",
			m.ID, os.Getenv("TOOLCRIB_TEST_CAPABILITIES"), cmp.Or(os.Getenv("TOOLCRIB_TEST_INSTRUCTIONS"), `"instructions":"Be brief."`))
	case "tools/list":
		if os.Getenv(late) != "" && strings.HasPrefix(string(m.ID), `"toolcrib-guard-`) && f.late == nil {
			f.late = &m
			return
		}
		f.list(m)
	case "tools/call":
		f.call(m)
	default:
		if f.late != nil && m.Method == "ping" && f.late.ID != nil {
			f.list(*f.late)
			f.late.ID = nil
		}
		if len(m.ID) > 0 && m.Method != "" && string(m.ID) != `"held"` && string(m.ID) != "41" {
			fmt.Printf(`{ "id" : %s, "result" : {"unknown member":1e400, "of": %q} , "jsonrpc":"2.0" , "extra":[ ] }`+"\n", m.ID, m.Method)
		}
	}
}

// list returns the tools in the file: a JSON array, or an object with one array per page.
func (f *fake) list(m fakeMessage) {
	var n int
	if file := os.Getenv(answers); file != "" && json.Unmarshal(m.ID, &n) == nil {
		var texts [][]byte
		data, err := os.ReadFile(file)
		if err = errors.Join(err, json.Unmarshal(data, &texts)); err != nil {
			panic(err)
		}
		fmt.Println(strings.ReplaceAll(string(texts[n-1]), "$ID", string(m.ID)))
		return
	}
	text, err := os.ReadFile(os.Getenv(catalog))
	if err != nil {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no catalog"}}`+"\n", m.ID)
		return
	}
	body := strings.TrimSpace(string(text))
	if strings.HasPrefix(body, "{") {
		var pages map[string]json.RawMessage
		if err := json.Unmarshal(text, &pages); err != nil {
			panic(err)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, pages[m.Params.Cursor])
		return
	}
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"_meta":{"a":1},"tools":%s,"kept":1.0}}`+"\n", m.ID, body)
}

func (f *fake) call(m fakeMessage) {
	var args struct {
		Lines  []string `json:"lines"`
		Status int      `json:"status"`
		Size   int      `json:"size"`
	}
	_ = json.Unmarshal(m.Params.Arguments, &args)
	result := `{"content":[]}`
	switch m.Params.Name {
	case "emit":
		for _, line := range args.Lines {
			fmt.Println(strings.ReplaceAll(line, "$ID", string(m.ID)))
		}
		if len(args.Lines) > 0 && strings.Contains(strings.Join(args.Lines, ""), "$ID") {
			return
		}
	case "received":
		b, _ := json.Marshal(f.received)
		result = fmt.Sprintf(`{"content":[],"structuredContent":%s}`, b)
	case "env":
		dir, _ := os.Getwd()
		b, _ := json.Marshal(map[string]any{"dir": dir, "env": os.Environ()})
		result = fmt.Sprintf(`{"content":[],"structuredContent":%s}`, b)
	case "exit":
		os.Exit(args.Status)
	case "hang":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/hanging"}`)
		select {}
	case "silent":
		return
	case "hasty": // responds only after its input has ended
		ended := make(chan struct{})
		go func() {
			_, _ = f.in.ReadString('\n')
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(200 * time.Millisecond):
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
			<-ended
		}
		os.Exit(0)
	case "big":
		result = `{"content":[{"type":"text","text":"` + strings.Repeat("x", args.Size) + `"}]}`
	case "spawn": // a child that keeps the output open and ignores SIGTERM
		child := exec.Command(os.Args[0]) //nolint:noctx // it must outlive its parent
		child.Env = append(os.Environ(), role+"=sleeper")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		result = fmt.Sprintf(`{"content":[],"structuredContent":{"pid":%d}}`, child.Process.Pid)
	case "fail":
		result = `{"content":[{"type":"text","text":"no"}],"isError":true}`
	}
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
}
