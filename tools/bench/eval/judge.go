package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"toolcrib/proposals"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/review/rules/wording"
)

// result holds the findings of the rules of S and P in a sample.
type result struct {
	*sample
	worst  rules.Severity
	byRule map[string]rules.Severity // the worst finding of each rule
	found  []rules.Finding
}

// warned reports whether the sample gets a warning.
func (r *result) warned() bool { return r.worst.Rank() >= rules.Warn.Rank() }

// blocked reports whether a finding blocks the sample.
func (r *result) blocked() bool { return r.worst.Rank() >= rules.Block.Rank() }

// judgeAll runs the rules over every sample, on every processor, with the table that tableOf returns for it, or with
// the built-in table if that is nil.
func judgeAll(ctx context.Context, set ruleset.Set, samples []sample, tableOf func(*sample) *wording.Learned) ([]result, error) {
	results := make([]result, len(samples))
	errs := make([]error, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range errs {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(samples) {
					return
				}
				if err := judge(ctx, set, &samples[i], tableOf(&samples[i]), &results[i]); err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// findings runs the rules over a draft of s.
func (s *sample) findings(ctx context.Context, set ruleset.Set, draft *proposals.Draft, table *wording.Learned) ([]rules.Finding, error) {
	c := s.change()
	c.Draft = *draft
	wording.Of(c).Learned = table
	found, err := set.CheckFamilies(ctx, c, "SP")
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", s.set, s.id, err)
	}
	return found, nil
}

// judge records the findings in s. For an attack in a clean text, it records only the findings that the clean text does
// not have.
func judge(ctx context.Context, set ruleset.Set, s *sample, table *wording.Learned, r *result) error {
	r.sample, r.worst, r.byRule = s, rules.Off, map[string]rules.Severity{}
	if s.draft == nil {
		return nil
	}
	found, err := s.findings(ctx, set, s.draft, table)
	if err != nil {
		return err
	}
	if s.clean != nil {
		before, err := s.findings(ctx, set, s.clean, table)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(f rules.Finding) bool {
			return slices.ContainsFunc(before, func(o rules.Finding) bool {
				return o.Rule == f.Rule && o.Passage == f.Passage && o.Severity == f.Severity
			})
		})
	}
	r.found = found
	for _, f := range found {
		if f.Severity.Rank() > r.worst.Rank() {
			r.worst = f.Severity
		}
		if f.Severity.Rank() > r.byRule[f.Rule].Rank() {
			r.byRule[f.Rule] = f.Severity
		}
	}
	return nil
}
