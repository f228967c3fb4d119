package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

func (t *team) propose(ctx context.Context) error {
	text := t.tool(fmt.Sprintf("get_harbour_%d", t.number.Add(1)), "auto_approve", 0, 0)
	out, err := t.timed(ctx, "propose", text, "propose", "-", "--json")
	if err != nil {
		return err
	}
	var made struct {
		Proposals []struct {
			ID string `json:"id"`
		} `json:"proposals"`
	}
	if err := json.Unmarshal(out, &made); err != nil || len(made.Proposals) != 1 {
		return fmt.Errorf("propose answered %s: %w", out, err)
	}
	select {
	case t.waiting <- made.Proposals[0].ID:
	default: // enough wait
	}
	return nil
}

// approve approves a proposal that waits, if one does within a second.
func (t *team) approve(ctx context.Context) error {
	select {
	case id := <-t.waiting:
		if _, err := t.timed(ctx, "approve", "", "approve", id); err != nil {
			return err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.approved[id] = time.Now()
	case <-time.After(time.Second):
	}
	return nil
}

// execute calls a tool that has no limit.
func (t *team) execute(ctx context.Context) error {
	_, err := t.timed(ctx, "exec", "", "exec", "get_free", "--agent", "skipper")
	return err
}

func (t *team) read(ctx context.Context) error {
	_, err := t.timed(ctx, "preview", "", "preview", "--agent", "assistant")
	_, more := t.timed(ctx, "list", "", "list")
	return errors.Join(err, more)
}

// overMCP searches for tools over one connection until a time, ten times a second.
func (t *team) overMCP(ctx context.Context, over time.Time) (err error) {
	cmd := t.Command(ctx, "mcp", "--as", "agent:skipper", "--agent", "skipper")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close(), cmd.Wait()) }()
	answers := bufio.NewReader(out)
	hello := `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"team","version":"1"}}`
	if err := ask(in, answers, 0, hello); err != nil {
		return err
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	pace := time.NewTicker(time.Second / 10)
	defer pace.Stop()
	for id := 1; time.Now().Before(over); id++ {
		<-pace.C
		start := time.Now()
		if err := ask(in, answers, id, `"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"harbour"}}`); err != nil {
			return err
		}
		t.note("mcp", time.Since(start))
	}
	return nil
}

// ask sends a request and waits for its answer.
func ask(in io.Writer, answers *bufio.Reader, id int, request string) error {
	if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", id, request); err != nil {
		return err
	}
	for {
		line, err := answers.ReadBytes('\n')
		if err != nil {
			return err
		}
		var answer struct {
			ID    *int `json:"id"`
			Error any  `json:"error"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return err
		}
		if answer.ID != nil && *answer.ID == id {
			if answer.Error != nil {
				return fmt.Errorf("%s: %s", request, line)
			}
			return nil
		}
	}
}
