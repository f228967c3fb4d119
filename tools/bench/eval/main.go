package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"toolcrib/review/rules/ruleset"
	"toolcrib/review/rules/wording"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Getenv, os.Stdout, os.Stderr)) }

// options are the flags of the program.
type options struct {
	dir               string
	perRule, listTune bool
	learn, write      bool
	held, long        bool
	changes           string
}

func run(ctx context.Context, args []string, getenv func(string) string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	flags.SetOutput(errs)
	var o options
	flags.StringVar(&o.dir, "data", getenv("TOOLCRIB_EVAL_DATA"), "`FOLDER` with the labelled files")
	flags.BoolVar(&o.perRule, "rules", false, "also measure each rule separately")
	flags.BoolVar(&o.listTune, "list", false, "list the false positives of the half tune")
	flags.BoolVar(&o.learn, "learn", false, "train the tables, print their trade-off, and judge each source by tables that were trained on other sources")
	flags.BoolVar(&o.write, "write", false, "with -learn, write the tables into review/rules/wording")
	flags.BoolVar(&o.long, "long", false, "also insert our attacks into honest texts of several lengths")
	flags.BoolVar(&o.held, "held", false, "also print the results for the half held")
	flags.StringVar(&o.changes, "changes", "", "measure only the facts of reach that the changes in `FOLDER` add")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if o.changes != "" {
		if err := measureChanges(o.changes, o.listTune, out); err != nil {
			fmt.Fprintln(errs, err)
			return 1
		}
		return 0
	}
	if _, err := os.Stat(filepath.Join(o.dir, "honest")); o.dir == "" || err != nil {
		fmt.Fprintln(out, "No labelled data found, so nothing was measured; specify the folder with -data.")
		return 0
	}
	if err := evaluate(ctx, o, out); err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

func evaluate(ctx context.Context, o options, out io.Writer) error {
	samples, err := loadCorpus(o.dir)
	if err != nil {
		return err
	}
	set, err := ruleset.NewSet(nil)
	if err != nil {
		return err
	}
	own, err := ownSamples(repository())
	if err != nil {
		return err
	}
	var studies map[bool]*study
	tableOf := func(*sample) *wording.Learned { return nil }
	if o.learn {
		if studies, err = teachAll(ctx, o, set, samples, slices.Concat(own, within(own, samples)), out); err != nil {
			return err
		}
		tableOf = func(x *sample) *wording.Learned { return studies[x.prompt].unaware(x) }
	}
	if o.long {
		if err := longTexts(ctx, set, own, tableOf, out); err != nil {
			return err
		}
	}
	samples = append(samples, measuredOwn(own)...)
	if !o.held {
		samples = slices.DeleteFunc(samples, func(s sample) bool { return s.half == held })
	}
	results, err := judgeAll(ctx, set, samples, tableOf)
	if err != nil {
		return err
	}
	summary(results, out)
	classes(results, out)
	precision(results, out)
	if o.perRule {
		perRule(results, out)
	}
	if o.listTune {
		listFalseAlarms(results, out)
	}
	printBars(results, studies, out)
	return nil
}
