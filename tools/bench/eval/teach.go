package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"toolcrib/review/rules/ruleset"
)

// teachAll trains both tables and finds their thresholds. With o.write, it writes them into the package of the rules.
// It returns the studies of tools, and of prompts (true).
func teachAll(ctx context.Context, o options, set ruleset.Set, samples []sample, own []ownSample, out io.Writer) (map[bool]*study, error) {
	var list []*sample
	for i := range samples {
		list = append(list, &samples[i])
	}
	all, err := examples(ctx, set, list, own)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b *example) int { return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.source, b.source)) })
	studies := map[bool]*study{}
	for _, kind := range []struct {
		file   string
		prompt bool
		most   limits
	}{
		{"learned_tools.bin", false, limits{honest: 0.034, long: 1, seen: 0.03, hard: 0.21, near: 0.14}},
		{"learned_prompts.bin", true, limits{honest: 0.0345, long: 0.16, seen: 0.04, hard: 0.07, near: 0.04}},
	} {
		fmt.Fprintf(out, "\n%s\n", kind.file)
		s := studyOf(all, kind.prompt)
		studies[kind.prompt] = s
		s.printFrames(out)
		s.thresholds(kind.most)
		s.curve(o.held, out)
		s.mechanisms(out)
		if o.write {
			if err := os.WriteFile(filepath.Join(repository(), "review", "rules", "wording", kind.file), s.table.Bytes(), 0o644); err != nil {
				return nil, err
			}
		}
	}
	if o.write {
		if err := noteProvenance(repository()); err != nil {
			return nil, err
		}
	}
	return studies, nil
}

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
