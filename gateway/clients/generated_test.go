package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"

	"toolcrib/gateway/clients/spanedit"
	"toolcrib/internal/shortrun"
)

// generator generates files of clients in the styles of people and programs.
type generator struct{ *rand.Rand }

func (d generator) pick(of ...string) string { return of[d.IntN(len(of))] }

func (d generator) optional(text string) string { return d.pick("", text) }

// shape is the structure of a client's file around its entries.
type shape struct {
	client, path string
	front, back  string
	between      string // separator of entries
	entry        func(d generator, name string) string
}

// shapes returns a shape for each format in which clients store servers.
func shapes(d generator) []shape {
	nl := d.pick("\n", "\n", "\r\n")
	list := func(client, path, key string) shape {
		front := d.optional("\ufeff") + d.optional("// first"+nl) + "{" + d.optional(nl+"  \"theme\": {\"command\": [1, 2,]},") + d.pick(nl+"  ", " ") + `"` + key + `"` + d.pick(": {", ":{", " : { // all of them") + nl
		return shape{client, path, front, nl + d.pick("", "  ") + "}," + d.optional(` "other": [1e5, "x"]`) + "}" + d.optional(nl+"// last"), "," + d.pick(nl, nl+nl, " // next"+nl), nil}
	}
	var all []shape
	for _, c := range []struct{ client, path, key string }{
		{"cursor", "mcp.json", "mcpServers"},
		{"claude-code", ".mcp.json", "mcpServers"},
		{"vscode", "/Code/User/mcp.json", "servers"},
		{"zed", "settings.json", "context_servers"},
		{"crush", "crush.json", "mcp"},
		{"gemini", "settings.json", "mcpServers"},
		{"copilot-cli", "mcp-config.json", "mcpServers"},
		{"windsurf", "mcp_config.json", "mcpServers"},
		{"amp", "settings.json", "amp.mcpServers"},
	} {
		s := list(c.client, c.path, c.key)
		s.entry = func(d generator, name string) string {
			text := d.json(nl, name, c.client == "zed")
			if c.client == "gemini" { // its "url" is of the older transport
				text = strings.NewReplacer(`"url"`, `"httpUrl"`, `"serverUrl"`, `"httpUrl"`).Replace(text)
			}
			return text
		}
		all = append(all, s)
	}
	s := list("opencode", "opencode.json", "mcp")
	s.entry = func(d generator, name string) string { return d.opencode(nl, name) }
	all = append(all, s)
	toml := shape{"codex", "config.toml", d.optional("# first"+nl) + d.optional("model = \"m\" # one"+nl) + nl, d.optional(nl + "[tui]" + nl + "args = [ 1, 2 ]" + nl), nl + d.optional("# between"+nl+nl), nil}
	toml.entry = func(d generator, name string) string { return d.toml(nl, name) }
	yaml := shape{"continue", "config.yaml", d.optional("\ufeff") + d.optional("# first"+nl) + "name: n" + nl + "mcpServers:" + d.optional(" # all") + nl, d.optional("# last" + nl + "rules: [a, b]" + nl), "", nil}
	indent := d.pick("", "  ", "    ")
	yaml.entry = func(d generator, name string) string { return d.yaml(nl, indent, name) }
	goose := shape{"goose", "config.yaml", d.optional("GOOSE_MODE: auto"+nl) + "extensions:" + nl, d.optional("GOOSE_MODEL: m # last" + nl), "", nil}
	goose.entry = func(d generator, name string) string { return d.goose(nl, name) }
	return append(all, toml, yaml, goose)
}

func (d generator) args(quotes string) []string {
	var all []string
	for range d.IntN(5) {
		text := d.pick("-y", "@scope/server-memory", "--token", "a b", "${VAR}", "${input:key}", "C:/x", "{env:X}", "ü☃", "", "a,b", "#x", "[", "x: y", "--", "guard", "--url", "8080", "-")
		all = append(all, quotes[:1]+text+quotes[:1])
	}
	return all
}

// members joins members in random order and layout, with comments.
func (d generator) members(nl string, members []string) string {
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	switch d.IntN(3) {
	case 0:
		return "{" + strings.Join(members, ",") + "}"
	case 1:
		return "{ " + strings.Join(members, ", ") + d.optional(",") + " }"
	}
	inner := nl + d.pick("      ", "\t\t\t")
	text := "{" + d.optional(" // "+d.pick("a, b", "{", "\"args\": [\"x\"]")) + inner
	for i, m := range members {
		if i > 0 {
			text += "," + d.optional(" // c, d") + inner
		}
		text += m
	}
	return text + d.pick("", ",", " /* end, */") + nl + "    }"
}

// others returns random members that toolcrib does not know.
func (d generator) others() []string {
	all := []string{`"timeout": 5000`, `"disabled": ` + d.pick("true", "false"), `"alwaysAllow": ["a", "b"]`, `"x-args": {"command": "no", "args": []}`, `"cwd":"./@VALUE@"`}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:d.IntN(len(all))]
}

func (d generator) headers(nl, key string) string {
	return `"` + key + `": ` + d.members(nl, []string{`"Authorization": "Bearer ${input:t}"`, `"x_key--Z": "@VALUE@"`, `"a.b": ""`}[:1+d.IntN(3)])
}

func (d generator) json(nl, name string, zed bool) string {
	colon := d.pick(": ", ":", " : ")
	members := d.others()
	array := d.pick("[", "[ ", "["+nl+"        ") + strings.Join(d.args(`"`), d.pick(", ", ",", ","+nl+"        ")) + d.pick("]", " ]")
	program := d.pick(`"npx"`, `"n\u0070x"`, `"/opt/a b/server"`, `"./server"`, `"C:\\x\\server.exe"`)
	args := []string{`"command"` + colon + program, `"args"` + colon + array}
	switch d.IntN(5) {
	case 0:
		if d.IntN(2) == 0 {
			members = append(members, `"type"`+colon+d.pick(`"http"`, `"streamable-http"`))
		}
		members = append(members, `"`+d.pick("url", "serverUrl", "httpUrl")+`"`+colon+d.pick(`"https:\/\/h/mcp"`, `"https://h/${X}?key=@VALUE@"`))
		if d.IntN(2) == 0 {
			members = append(members, d.headers(nl, "headers"))
		}
	case 1:
		members = append(members, args[0])
	case 2:
		if zed {
			members = append(members, `"command": {"path": `+program+`, "args": `+array+`, "env": {"T": "@VALUE@"}}`)
			break
		}
		fallthrough
	default:
		members = append(members, append(args, `"type": "stdio"`, `"env": {"KEY": "@VALUE@"}`)[:2+d.IntN(3)]...)
	}
	return `    "` + name + `"` + colon + d.members(nl, members)
}

func (d generator) opencode(nl, name string) string {
	members := []string{`"enabled": true`, `"type": "local"`, `"command": [` + strings.Join(append([]string{`"server"`}, d.args(`"`)...), d.pick(", ", ",", ", /* next */ ")) + `]`, `"environment": {"A": "@VALUE@"}`}
	if d.IntN(3) == 0 {
		members = []string{`"type": "remote"`, `"url": "https://h/@VALUE@"`, d.headers(nl, "headers")}[:2+d.IntN(2)]
	}
	return `    "` + name + `": ` + d.members(nl, members)
}

func (d generator) toml(nl, name string) string {
	program := d.pick(`"npx"`, `'C:\x\s.exe'`, `"n\u0070x"`)
	array := "[" + d.pick("", nl+"  ") + strings.Join(d.args(`'`), d.pick(", ", ","+nl+"  ", ", # next"+nl+"  ")) + d.pick("]", nl+"]")
	switch d.IntN(4) {
	case 0:
		return "[mcp_servers." + name + ".env] # before" + nl + "K = \"@VALUE@\"" + nl + "[mcp_servers." + name + "]" + nl + d.optional("args = "+array+nl) + "command = " + program + d.optional(" # c") + nl
	case 1:
		return "[mcp_servers." + name + "]" + nl + "  url = " + d.pick(`"https://h/@VALUE@"`, `'https://h'`) + d.optional(" # u") + nl + d.optional("  bearer_token_env_var = 'T'"+nl) + d.pick("", "  http_headers = { X-K = '@VALUE@', \"a.b\" = 'c' }"+nl, "[mcp_servers."+name+".http_headers]"+nl+"'X-K' = '''@VALUE@"+nl+"'''"+nl)
	case 2:
		return "[ mcp_servers . '" + name + "' ]" + nl + "\tcommand=" + program + nl + d.optional("\targs="+array+nl) + "startup_timeout_sec = 20" + nl
	}
	return "[mcp_servers." + name + "]" + nl + "command = " + program + nl + d.optional("enabled = false # off"+nl) + "env = { A = \"@VALUE@\" }" + nl
}

// lines formats members as YAML at an indentation.
func (d generator) lines(nl, indent string, members []string) string {
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return indent + strings.Join(members, nl+d.optional(indent+"# c: d"+nl)+indent) + nl
}

func (d generator) yamlArgs(nl, indent string) string {
	if d.IntN(3) == 0 {
		return "args: [" + strings.Join(d.args(`"`), d.pick(", ", ",")) + "]"
	}
	text := "args:"
	for _, a := range append(d.args(`'`), d.pick("plain", "-y", "https://h/#x", "8080", "a b")) {
		text += d.optional(" # n") + nl + indent + "- " + a
	}
	return text
}

func (d generator) yaml(nl, indent, name string) string {
	inner := indent + "  "
	members := []string{"command: " + d.pick("npx", `"n\x70x"`, "'np''x'", "/a b/c"), "env: {A: '@VALUE@'}", "x: |" + nl + inner + "  args: [a]", d.yamlArgs(nl, inner+d.pick("", "  "))}
	if d.IntN(4) == 0 {
		members = []string{"url: " + d.pick("https://h/mcp?k=@VALUE@", `"https://h"`), "type: streamable-http", "timeout: 3"}
	}
	return indent + "-" + strings.TrimPrefix(d.lines(nl, inner, append(members[:1+d.IntN(len(members))], "name: "+name)), indent+" ")
}

func (d generator) goose(nl, name string) string {
	members := []string{"cmd: npx", "type: stdio", d.yamlArgs(nl, "    "+d.pick("", "  ")), "envs: {}", "env_keys: []"}
	if d.IntN(3) == 0 {
		members = []string{"uri: https://h/@VALUE@", "type: streamable_http", "envs: {}", "headers:" + nl + "      X-K: '@VALUE@'" + nl + "      Y.z: z", "enabled: true"}
	}
	return "  " + name + ":" + d.optional(" # it") + nl + d.lines(nl, "    ", members[:1+d.IntN(len(members))])
}

func (s shape) file(t *testing.T, entries []string) File {
	t.Helper()
	between := s.between
	return parsed(t, s.client, s.path, []byte(s.front+strings.Join(entries, between)+s.back))
}

// guardAlone returns the text of an entry after its server was guarded in a file without other entries.
func (s shape) guardAlone(t *testing.T, entry, name string) string {
	t.Helper()
	f := s.file(t, []string{entry})
	after, left := f.Guard(prefix, map[int]string{0: name})
	if len(left) > 0 || len(f.Servers) != 1 {
		t.Fatalf("%s: %v left, of\n%s", s.client, left, f.doc.Data)
	}
	guarded, ok := strings.CutPrefix(string(after.doc.Data), s.front)
	guarded, ok2 := strings.CutSuffix(guarded, s.back)
	if !ok || !ok2 {
		t.Fatalf("%s: more than the entry changed:\n%s\n%s", s.client, f.doc.Data, after.doc.Data)
	}
	return guarded
}

// TestGeneratedFiles guards the servers in files of every client, edits the files (adds, removes and reorders
// servers, changes values) and unguards them. Only the prefixes may be removed, byte for byte.
func TestGeneratedFiles(t *testing.T) {
	rounds := uint64(200 / shortrun.Every(10))
	files, servers := 0, 0
	for seed := range rounds {
		d := generator{rand.New(rand.NewPCG(seed, 14))}
		for _, s := range shapes(d) {
			var plain, wrapped []string
			which := map[int]string{}
			for i := range 1 + d.IntN(5) {
				name := fmt.Sprintf("s%d", i)
				plain = append(plain, s.entry(d, name))
				wrapped = append(wrapped, s.guardAlone(t, plain[i], name))
				which[i] = name
			}
			f := s.file(t, plain)
			after, left := f.Guard(prefix, which)
			if want := s.file(t, wrapped); len(left) > 0 || !bytes.Equal(after.doc.Data, want.doc.Data) {
				t.Fatalf("%s: %v left; guarded together as\n%s\nnot as alone\n%s", s.client, left, after.doc.Data, want.doc.Data)
			}
			if again, _ := after.Guard(prefix, which); !bytes.Equal(again.doc.Data, after.doc.Data) {
				t.Fatalf("%s: guarded twice", s.client)
			}
			// edit by hand
			var now, then []string
			for _, i := range d.Perm(len(plain)) {
				if d.IntN(4) > 0 {
					value := d.pick("@VALUE@", "new")
					now, then = append(now, strings.ReplaceAll(wrapped[i], "@VALUE@", value)), append(then, strings.ReplaceAll(plain[i], "@VALUE@", value))
				}
				if d.IntN(4) == 0 {
					added := s.entry(d, fmt.Sprintf("added%d", i))
					now, then = append(now, added), append(then, added)
				}
			}
			if len(now) == 0 {
				continue
			}
			edited, want := s.file(t, now), s.file(t, then)
			back, kept := edited.Unguard(guarded(&edited))
			if len(kept) > 0 || !bytes.Equal(back.doc.Data, want.doc.Data) {
				t.Fatalf("%s: %v kept;\n%s\nunguarded as\n%s\nwant\n%s", s.client, kept, edited.doc.Data, back.doc.Data, want.doc.Data)
			}
			if again, _ := back.Unguard(guarded(&back)); !bytes.Equal(again.doc.Data, back.doc.Data) {
				t.Fatalf("%s: unguarded twice", s.client)
			}
			files, servers = files+1, servers+len(slices.Concat(plain, now))
		}
	}
	t.Logf("%d files with %d servers", files, servers)
	if files < 10*int(rounds) {
		t.Errorf("only %d files", files)
	}
}

// rewritten returns a file as it is written by a program that parses it and serializes it with sorted keys, and its
// parsed value.
func rewritten(t *testing.T, f *File) ([]byte, any) {
	t.Helper()
	var value any
	data := bytes.TrimPrefix(f.doc.Data, spanedit.BOM)
	var err error
	switch f.doc.Format {
	case spanedit.TOML:
		if err = toml.Unmarshal(data, &value); err == nil {
			data, err = toml.Marshal(value)
		}
	case spanedit.YAML:
		if err = yaml.Unmarshal(data, &value); err == nil {
			data, err = yaml.Marshal(value)
		}
	default:
		if data, err = hujson.Standardize(append(slices.Clone(data), '\n')); err == nil {
			if err = json.Unmarshal(data, &value); err == nil {
				data, err = json.MarshalIndent(value, "", "  ")
			}
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, f.doc.Data)
	}
	return data, value
}

// TestRewrittenFiles simulates clients that rewrite the whole file after it was guarded, such as Claude Code and
// Goose. Unguarded, the file must have its original values.
func TestRewrittenFiles(t *testing.T) {
	for seed := range uint64(60) {
		d := generator{rand.New(rand.NewPCG(seed, 15))}
		for _, s := range shapes(d) {
			var plain []string
			which := map[int]string{}
			for i := range 1 + d.IntN(4) {
				which[i] = fmt.Sprintf("s%d", i)
				plain = append(plain, s.entry(d, which[i]))
			}
			f := s.file(t, plain)
			_, want := rewritten(t, &f)
			wrapped, _ := f.Guard(prefix, which)
			data, _ := rewritten(t, &wrapped)
			again := f.With(data)
			back, kept := again.Unguard(guarded(&again))
			if _, got := rewritten(t, &back); len(kept) > 0 || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %v kept; written again as\n%s\nunwrapped as\n%s\nof\n%s", s.client, kept, data, back.doc.Data, f.doc.Data)
			}
		}
	}
}
