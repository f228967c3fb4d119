package main

import (
	"bufio"
	"context"
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/review/rules"
)

// material is what a table is learned from: our own examples, the labelled
// rows, and what servers in use say.
type material struct {
	own  []example // of testdata; each file is a group
	rows []example // of the labelled files; each source is a group
}

// gatherMaterial reads everything there is to learn from.
func gatherMaterial(ctx context.Context, set rules.Set, repo, data string) (material, error) {
	var m material
	testdata := filepath.Join(repo, "review", "rules", "testdata")
	hosts, err := hostLines(testdata)
	if err != nil {
		return m, err
	}
	for _, kind := range []string{"attacks", "benign"} {
		files, err := filepath.Glob(filepath.Join(testdata, kind, "*.txt"))
		if err != nil {
			return m, err
		}
		for _, file := range files {
			list, err := ownExamples(ctx, set, file, hosts, kind == "attacks")
			if err != nil {
				return m, err
			}
			m.own = append(m.own, list...)
		}
	}
	for _, name := range []string{"malicious_tools.jsonl", "benign_tools.jsonl", "benign_change_pairs.jsonl"} {
		rows, err := load(data, name)
		if err != nil {
			return m, err
		}
		for _, r := range rows {
			if r.class() == "hard_negative" {
				continue
			}
			c := r.change()
			e := example{group: r.group(), text: r.ID, attack: strings.HasPrefix(name, "malicious"), signs: rules.Signs(c)}
			if e.other, err = warnsWithout(ctx, set, c); err != nil {
				return m, err
			}
			m.rows = append(m.rows, e)
		}
	}
	servers, err := serverExamples(ctx, set, filepath.Join(data, "..", "mcp"))
	m.rows = append(m.rows, servers...)
	return m, err
}

// ownExamples reads a file of testdata: a definition a line, as name,
// description and parameters ("name=description") separated by " :: ".
func ownExamples(ctx context.Context, set rules.Set, path string, hosts []string, attack bool) ([]example, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []example
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		t, param, ok := ownTool(lines.Text(), hosts)
		if !ok {
			continue
		}
		c := row{Tool: &t}.change()
		e := example{group: filepath.Base(path), text: lines.Text(), attack: attack, signs: rules.Signs(c)}
		if e.other, err = warnsWithout(ctx, set, c); err != nil {
			return nil, err
		}
		if attack {
			e.mark(param)
		}
		list = append(list, e)
	}
	return list, lines.Err()
}

// hostLines reads the tools that sentences are put into.
func hostLines(dir string) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "hosts.txt"))
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")[1:], nil
}

// ownTool reads one line; a name of "a" stands for one of the hosts. It returns
// the name of the last parameter too, and false for a line that holds no tool.
func ownTool(line string, hosts []string) (t tool, param string, ok bool) {
	parts := strings.Split(strings.TrimSpace(line), " :: ")
	if len(parts) < 2 || line[0] == '#' {
		return tool{}, "", false
	}
	if parts[0] == "a" {
		h := fnv.New32a()
		h.Write([]byte(parts[1]))
		name, says, _ := strings.Cut(hosts[int(h.Sum32()%uint32(len(hosts)))], " :: ")
		parts[0], parts[1] = name, says+" "+parts[1]
	}
	properties := map[string]map[string]string{}
	for _, p := range parts[2:] {
		name, says, _ := strings.Cut(p, "=")
		param = name
		properties[name] = map[string]string{"type": "string", "description": says}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		return tool{}, "", false
	}
	return tool{Name: parts[0], Description: parts[1], InputSchema: schema}, param, true
}

// mark says which sentences of an attack of ours are telling: all of the
// description but the first, else the text of the last parameter.
func (e *example) mark(param string) {
	e.sure = make([]bool, len(e.signs))
	argued := slices.ContainsFunc(e.signs, func(s rules.Sign) bool { return s.Path == "definition.description" && !s.First })
	for i, s := range e.signs {
		at, ok := strings.CutPrefix(s.Path, "definition.inputSchema.properties.")
		last := ok && at == param+".description"
		e.sure[i] = len(e.signs) == 1 || s.Path == "definition.description" && !s.First || last && (!argued || len(strings.Fields(s.Text)) > 5)
	}
}

// serverExamples reads answers of tools/list; the versions of a package are
// one group.
func serverExamples(ctx context.Context, set rules.Set, dir string) ([]example, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var list []example
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var answer struct{ Tools []tool }
		if err := json.Unmarshal(raw, &answer); err != nil {
			return nil, err
		}
		name := filepath.Base(file)
		group := name[:max(0, strings.LastIndexByte(name, '@'))]
		for _, t := range answer.Tools {
			c := row{Tool: &t}.change()
			e := example{group: group, text: t.Name, signs: rules.Signs(c)}
			if e.other, err = warnsWithout(ctx, set, c); err != nil {
				return nil, err
			}
			list = append(list, e)
		}
	}
	return list, nil
}
