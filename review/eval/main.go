package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"toolcrib/review/rules"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Getenv, os.Stdout, os.Stderr)) }

func run(ctx context.Context, args []string, getenv func(string) string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	flags.SetOutput(errs)
	dir := flags.String("data", getenv("TOOLCRIB_EVAL_DATA"), "folder with the labelled files")
	quiet := flags.Bool("quiet", false, "print the table only")
	cross := flags.Bool("cross", true, "estimate what S139 does with unseen sources; takes half a minute")
	write := flags.String("learn", "", "learn the table of S139 from everything and write it to this file")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	repo := repository()
	*dir = cmp.Or(*dir, filepath.Join(repo, "..", "shared", "data", "rules"))
	if _, err := os.Stat(*dir); err != nil {
		fmt.Fprintln(out, "No labelled data here; nothing to measure. Say where it is with -data.")
		return 0
	}
	set, err := rules.NewSet(nil)
	if err == nil && *write == "" {
		err = measure(ctx, set, *dir, *quiet, out)
	}
	if err == nil && (*cross || *write != "") {
		err = learned(ctx, set, repo, *dir, *write, *quiet, out)
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

// learned prints the cross-validated estimate, or writes the table to a file.
func learned(ctx context.Context, set rules.Set, repo, dir, file string, quiet bool, out io.Writer) error {
	m, err := gatherMaterial(ctx, set, repo, dir)
	if err != nil {
		return err
	}
	h := m.holdOut()
	if file == "" {
		h.estimate(rules.ShippedSigns().Threshold, !quiet, out)
		return nil
	}
	table := learn(append(m.own, m.rows...))
	table.Threshold = h.threshold(falseAlarms)
	h.estimate(table.Threshold, !quiet, out)
	return os.WriteFile(file, []byte(tableHead+table.String()), 0o644)
}

// tableHead says what the table is and where it comes from.
const tableHead = "#\tHow much each word (by its stem), concept (.name) and setting (@name) of a sentence speaks for an attack, in tenths.\n" +
	"#\tMade by `go run ./review/eval -learn review/rules/signs.txt`; see security_signs.go.\n"

// repository returns the root of the repository that the program is run in,
// the working directory when it is run in none.
func repository() string {
	at, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return "."
}
