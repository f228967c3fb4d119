package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"toolcrib/review"
	"toolcrib/store/storetest"
)

// benchDB is a database of toolcrib to be measured.
type benchDB struct {
	b       bench
	path    string
	waiting []string // ids of proposals that can be approved
}

// waitingShare sets how many proposals wait for each ten tools.
const waitingShare = 5

// database makes a database with the given content, and records the waiting
// proposals.
func (b bench) database(ctx context.Context, content storetest.Crowd) (benchDB, error) {
	c := benchDB{b: b, path: filepath.Join(b.dir, fmt.Sprintf("tools-%d-%d-%d.db", content.Tools, content.Waiting, content.Versions))}
	desk, err := review.New(nil, review.Policy{}, time.Now, nil)
	if err != nil {
		return c, err
	}
	content.Rules = desk.RulesVersion()
	if err := content.Fill(ctx, c.path); err != nil {
		return c, err
	}
	return c, c.wait(ctx)
}

// wait reads the ids of up to a thousand proposals that wait.
func (c *benchDB) wait(ctx context.Context) error {
	list := c.command("list", "--json", "--state", "user_review", "--limit", "1000")
	cmd := exec.CommandContext(ctx, list.argv[0], list.argv[1:]...)
	cmd.Env = append(list.env, "PATH="+os.Getenv("PATH")) //nolint:gocritic // this process's own
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	var doc struct {
		Proposals []struct {
			ID string `json:"id"`
		} `json:"proposals"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return err
	}
	for _, p := range doc.Proposals {
		c.waiting = append(c.waiting, p.ID)
	}
	return nil
}

// command is toolcrib on the database.
func (c *benchDB) command(args ...string) command {
	home := filepath.Dir(c.path)
	return command{argv: append([]string{c.b.bin}, args...), dir: home, env: []string{"HOME=" + home, "TOOLCRIB_DB=" + c.path, "USER=mara"}}
}

// always is a contender whose command is the same each time.
func (c *benchDB) always(args ...string) contender {
	return contender{"toolcrib", "toolcrib " + strings.Join(args, " "), func(int) (command, error) { return c.command(args...), nil }}
}

// with is the command with text on its standard input.
func (c command) with(stdin string) command {
	c.stdin = stdin
	return c
}
