package main

import (
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
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *dir == "" {
		*dir = beside("shared", "data", "rules")
	}
	if _, err := os.Stat(*dir); *dir == "" || err != nil {
		fmt.Fprintln(out, "No labelled data here; nothing to measure. Say where it is with -data.")
		return 0
	}
	set, err := rules.NewSet(nil)
	if err == nil {
		err = measure(ctx, set, *dir, *quiet, out)
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

// beside returns the path of a folder next to the repository that the program
// is run in, "" when it is run in none.
func beside(path ...string) string {
	at, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(append([]string{filepath.Dir(at)}, path...)...)
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return ""
}
