package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"toolcrib/store/storetest"
	"toolcrib/tools/bench/program"
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
	if err := program.Fill(ctx, c.path, content); err != nil {
		return c, err
	}
	return c, c.wait(ctx)
}

// wait reads the ids of up to a thousand proposals that wait.
func (c *benchDB) wait(ctx context.Context) error {
	ids, err := program.Program{Path: c.b.bin, Home: filepath.Dir(c.path), Database: c.path}.Waiting(ctx)
	c.waiting = append(c.waiting, ids...)
	return err
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
