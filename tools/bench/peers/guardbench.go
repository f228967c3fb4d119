package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// guardCase is a case of the benchmark mcp-guardbench (https://github.com/getmcpm/mcp-guardbench,
// schema/case.schema.json): a message of a server, and the expected reaction of a guard.
type guardCase struct {
	ID       string
	Expected struct{ Action string } // pass, warn or block
	Message  struct{ Result json.RawMessage }

	file string // the file to lint, or "" if the message has no text
}

// definitions reads the cases of a checkout whose message defines something: a list of tools, the
// answer to initialize, or a prompt. The others are calls and their results, which toolcrib
// never sees.
func definitions(checkout, work string) ([]guardCase, error) {
	files, err := filepath.Glob(filepath.Join(checkout, "cases", "*", "*.json"))
	if err != nil {
		return nil, err
	}
	var list []guardCase
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var c guardCase
		if err := json.Unmarshal(text, &c); err != nil {
			continue // the index of all cases
		}
		var result struct {
			Tools, ServerInfo json.RawMessage
			Instructions      string
			Messages          []struct{ Content struct{ Text string } }
		}
		if json.Unmarshal(c.Message.Result, &result) != nil || result.Tools == nil && result.ServerInfo == nil && result.Messages == nil {
			continue
		}
		prompt := result.Instructions
		for _, m := range result.Messages {
			prompt += m.Content.Text + "\n"
		}
		switch {
		case result.Tools != nil:
			c.file, text = fmt.Sprintf("g%d.json", i), c.Message.Result
		case prompt != "":
			c.file, text = fmt.Sprintf("g%d.txt", i), []byte(prompt)
		}
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(work, c.file), text, 0o600); err != nil {
				return nil, err
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// guardbench prints how toolcrib judges the definitions of a checkout of mcp-guardbench.
func guardbench(ctx context.Context, checkout, work string) error {
	program, err := build(ctx, work)
	if err != nil {
		return err
	}
	cases, err := definitions(checkout, work)
	if err != nil {
		return err
	}
	found := map[string]string{} // the worst severity, by file
	var files []string
	for _, c := range cases {
		if c.file != "" {
			files = append(files, c.file)
		}
	}
	if len(files) == 0 {
		return fmt.Errorf("no cases in %s: name a checkout of getmcpm/mcp-guardbench", checkout)
	}
	list, err := lint(ctx, work, program, files)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.Severity != "info" && strings.ContainsAny(f.Rule[:1], "SP") && found[f.File] != "block" {
			found[f.File] = f.Severity
		}
	}
	var attacks, caught, honest, flagged, expected, stricter int
	actions := []string{"pass", "warn", "block"}
	for _, c := range cases {
		action := cmp.Or(found[c.file], "pass")
		switch more := slices.Index(actions, action) - slices.Index(actions, c.Expected.Action); {
		case more == 0:
			expected++
		case more > 0 && c.Expected.Action != "pass":
			stricter++
		}
		if action != c.Expected.Action {
			fmt.Fprintf(os.Stderr, "%s: %s, expected %s\n", c.ID, action, c.Expected.Action)
		}
		hit := min(1, slices.Index(actions, action))
		if c.Expected.Action == "pass" {
			honest, flagged = honest+1, flagged+hit
		} else {
			attacks, caught = attacks+1, caught+hit
		}
	}
	fmt.Printf("| mcp-guardbench | |\n|---|---:|\n| attacks found | %d of %d |\n| honest definitions flagged | %d of %d |\n| expected action | %d of %d |\n| that or a stricter one | %d |\n", caught, attacks, flagged, honest, expected, len(cases), expected+stricter)
	return nil
}
