package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// fill imports tools, approves them, and gives them to an agent.
func (b *bench) fill(ctx context.Context, n int) error {
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
		if err := os.WriteFile(filepath.Join(b.Home, name), text, 0o600); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"import", "tools.json", "--server", "many"}, {"propose", "agent.json"}} {
		if _, err := b.Run(ctx, "", args...); err != nil {
			return err
		}
		if err := b.approveAll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// approveAll approves everything that waits.
func (b *bench) approveAll(ctx context.Context) error {
	ids, err := b.Waiting(ctx)
	if err == nil {
		_, err = b.Run(ctx, "", append([]string{"approve"}, ids...)...)
	}
	return err
}

// start makes a token and starts the server.
func (b *bench) start(ctx context.Context) error {
	out, err := b.Run(ctx, "", "tokens", "create", "runner", "--json")
	if err != nil {
		return err
	}
	var doc struct {
		Secret string `json:"secret"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return err
	}
	b.token = doc.Secret
	cmd := b.Command(ctx, "serve", "--http", "127.0.0.1:0", "--log-format", "json")
	errs, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var line struct {
		Address string `json:"address"`
	}
	text, err := bufio.NewReader(errs).ReadBytes('\n')
	if err != nil {
		return err
	}
	go func() { _, _ = io.Copy(io.Discard, errs) }()
	err = json.Unmarshal(text, &line)
	b.url = line.Address
	return err
}
