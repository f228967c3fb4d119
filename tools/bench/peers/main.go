// Command peers compares toolcrib with other scanners of tools and prompts. It runs all of them on the same
// labelled rows and reports, for each scanner, the share of attacks that it finds and the share of honest texts
// that it warns about.
//
//	go run ./tools/bench/peers -data FOLDER -peers FOLDER
//
// The folder in -data contains the labelled rows of tools/bench/eval. The folder in -peers contains the scanners,
// installed with npm. make eval-peers installs the scanners and runs this command. The output is a table in
// Markdown.
//
//	go run ./tools/bench/peers -guardbench FOLDER
//
// The folder in -guardbench is a checkout of getmcpm/mcp-guardbench. The command measures only toolcrib, on the
// cases that define tools, prompts, or instructions. It lists the cases with unexpected results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	data := flag.String("data", "", "the folder with the labelled rows")
	peers := flag.String("peers", "", "the folder in which npm installed the scanners")
	checkout := flag.String("guardbench", "", "a checkout of getmcpm/mcp-guardbench to measure toolcrib on")
	flag.Parse()
	if err := run(context.Background(), *data, *peers, *checkout); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data, peers, checkout string) error {
	if checkout != "" {
		work, err := os.MkdirTemp("", "guardbench")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(work) }() // files left in the temporary folder are harmless
		if err := guardbench(ctx, checkout, work); err != nil || data == "" {
			return err
		}
	}
	if data == "" {
		fmt.Println("Skipped: there is no labelled material. Name its folder: make eval-peers DATA=FOLDER")
		return nil
	}
	sets, err := read(data)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // files left in the temporary folder are harmless
	if peers, err = filepath.Abs(peers); err != nil {
		return err
	}
	var columns []column
	for _, s := range scanners() {
		found, err := s.scan(ctx, peers, filepath.Join(work, s.name), sets)
		if errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(os.Stderr, "%s is not installed in %s: left out\n", s.name, peers)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		columns = append(columns, column{s.name, found})
	}
	fmt.Print(table(sets, columns))
	return nil
}

// column has the ids of the rows that one scanner found.
type column struct {
	name  string
	found map[string]bool
}

// table prints the shares of every set that each scanner found.
func table(sets []set, columns []column) string {
	var b strings.Builder
	b.WriteString("| rows | |")
	for _, c := range columns {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|---:|" + strings.Repeat("---:|", len(columns)) + "\n")
	for _, s := range sets {
		fmt.Fprintf(&b, "| %s | %d |", s.name, len(s.rows))
		for _, c := range columns {
			fmt.Fprintf(&b, " %.1f %% |", 100*s.share(c.found))
		}
		b.WriteString("\n")
	}
	return b.String()
}
