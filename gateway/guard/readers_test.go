package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Seen lists the tools that readers of a stream find and the calls that they are asked to make, for all definitions
// of a line end.
type Seen struct{ Tools, Calls []string }

// seenMessage contains the fields of a message that readers use.
type seenMessage struct {
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
	Result struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	} `json:"result"`
}

func (s *Seen) add(messages ...seenMessage) {
	for _, m := range messages {
		for _, tool := range m.Result.Tools {
			s.Tools = append(s.Tools, tool.Name)
		}
		if strings.EqualFold(m.Method, "tools/call") {
			s.Calls = append(s.Calls, m.Params.Name)
		}
	}
}

// read adds the content of a text that a reader treats as one message.
func (s *Seen) read(text []byte) {
	var one seenMessage
	var several []seenMessage
	if json.Unmarshal(text, &one) == nil {
		s.add(one)
	} else if json.Unmarshal(text, &several) == nil {
		s.add(several...)
	}
}

// lineEnds contains what readers treat as a line end: LF, CR, CRLF, and the characters at which Python's splitlines
// and Node's readline split.
var lineEnds = []*regexp.Regexp{
	regexp.MustCompile(`\n`), regexp.MustCompile(`\r`), regexp.MustCompile(`\r\n`),
	regexp.MustCompile("\r\n|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]"), regexp.MustCompile("\r\n|[\n\r\u2028\u2029]"),
}

// SeenByGo returns what encoding/json finds in a stream split into lines in five ways, and read value by value.
func SeenByGo(stream []byte) Seen {
	var s Seen
	for _, end := range lineEnds {
		for _, line := range end.Split(string(stream), -1) {
			s.read([]byte(line))
		}
	}
	for d := json.NewDecoder(bytes.NewReader(stream)); ; {
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return s
		}
		s.read(value)
	}
}

// The other readers write their Seen to standard output. They read standard input line by line, like the MCP SDKs of
// their runtimes, or split in five ways if they have an argument.
const (
	pythonReader = `
import io, json, re, sys
tools, calls = [], []
def read(line):
    try: value = json.loads(line)
    except (ValueError, RecursionError): return
    for m in value if isinstance(value, list) else [value]:
        if not isinstance(m, dict): continue
        result, params = m.get("result"), m.get("params")
        if isinstance(result, dict) and isinstance(result.get("tools"), list):
            tools.extend(str(t.get("name")) for t in result["tools"] if isinstance(t, dict))
        if m.get("method") == "tools/call": calls.append(str(params.get("name")) if isinstance(params, dict) else "")
if len(sys.argv) == 1:
    for line in io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"): read(line)
else:
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    for lines in (re.split(e, text) for e in ("\n", "\r", "\r\n", "\r\n|[\n\r\u2028\u2029]")):
        for line in lines: read(line)
    for line in text.splitlines(): read(line)
json.dump({"Tools": tools, "Calls": calls}, sys.stdout)
`
	nodeReader = `
const tools = [], calls = [];
const read = (line) => {
  let value;
  try { value = JSON.parse(line); } catch { return; }
  for (const m of Array.isArray(value) ? value : [value]) {
    if (Array.isArray(m?.result?.tools)) tools.push(...m.result.tools.map((t) => String(t?.name)));
    if (m?.method === "tools/call") calls.push(String(m.params?.name));
  }
};
const done = () => console.log(JSON.stringify({ Tools: tools, Calls: calls }));
if (process.argv.length < 2) {
  const lines = require("readline").createInterface({ input: process.stdin });
  lines.on("line", read);
  lines.on("close", done);
} else {
  const text = require("fs").readFileSync(0, "utf8");
  for (const end of ["\n", "\r", "\r\n", /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/, /\r\n|[\n\r\u2028\u2029]/]) text.split(end).forEach(read);
  done();
}
`
)

// SeenByAll returns what the readers in Go, Python and Node find in a stream, by reader. Missing programs are skipped
// unless CI is set.
func SeenByAll(t *testing.T, stream []byte) map[string]Seen {
	t.Helper()
	all := map[string]Seen{"Go": SeenByGo(stream)}
	for _, r := range []struct{ name, program, flag, script string }{{"Python", "python3", "-c", pythonReader}, {"Node", "node", "-e", nodeReader}} {
		if _, err := exec.LookPath(r.program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is required in CI: %v", r.program, err)
			}
			t.Logf("SKIPPED: the readers in %s, because %s is not installed", r.name, r.program)
			continue
		}
		for mode, args := range map[string][]string{" line by line": nil, " in five ways": {"five"}} {
			args = append([]string{r.flag, r.script}, args...)
			cmd := exec.CommandContext(t.Context(), r.program, args...) //nolint:gosec // programs of this test
			cmd.Env = append(os.Environ(), "PYTHONUTF8=1")
			cmd.Stdin, cmd.Stderr = bytes.NewReader(stream), os.Stderr
			out, err := cmd.Output()
			var seen Seen
			if err = errors.Join(err, json.Unmarshal(out, &seen)); err != nil {
				t.Fatalf("%s%s: %v", r.name, mode, err)
			}
			all[r.name+mode] = seen
		}
	}
	return all
}

// TestReadersSeeWhatTheySeek checks that each reader finds a message after the line ends that it recognizes.
func TestReadersSeeWhatTheySeek(t *testing.T) {
	ends := map[string]string{"\n": "Python Node", "\r": "Python Node", "\r\n": "Python Node", "\u2028": "", "\v": "", "\x1e": "", "\u0085": ""}
	var stream bytes.Buffer
	for end := range ends {
		fmt.Fprintf(&stream, `{"x":%s{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"%x"}]}}%s}`+"\n", end, end, end)
	}
	stream.WriteString(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"called"}}` + "\n")
	for reader, seen := range SeenByAll(t, stream.Bytes()) {
		name, mode, _ := strings.Cut(reader, " ")
		for end, runtimes := range ends {
			want := mode != "line by line" || strings.Contains(runtimes, name)
			if got := slices.Contains(seen.Tools, fmt.Sprintf("%x", end)); got != want {
				t.Errorf("%s sees a message behind %q: %t", reader, end, got)
			}
		}
		if !slices.Contains(seen.Calls, "called") {
			t.Errorf("%s sees no call", reader)
		}
	}
}

// TestClip checks that a shortened text does not end with a part of a character.
func TestClip(t *testing.T) {
	if got, want := clip(strings.Repeat("x", 499)+"ä"), strings.Repeat("x", 499)+"…"; got != want {
		t.Errorf("clip returns %q; want %q", got[490:], want[490:])
	}
}
