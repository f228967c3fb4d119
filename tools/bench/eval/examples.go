package main

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"toolcrib/review/rules/ruleset"
	"toolcrib/review/rules/wording"
)

// examples reads the sentences of samples, on every processor. Those of tools
// are not shared with those of prompts.
func examples(ctx context.Context, set ruleset.Set, samples []*sample, own []ownSample) ([]*example, error) {
	list := make([]*example, len(samples)+len(own))
	errs := make([]error, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range errs {
		wait.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				switch {
				case i >= len(list):
					return
				case i < len(samples):
					list[i], errs[w] = newExample(ctx, set, samples[i], nil)
				default:
					o := &own[i-len(samples)]
					list[i], errs[w] = newExample(ctx, set, &o.sample, o)
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
	return slices.DeleteFunc(list, func(e *example) bool { return e.draft == nil }), nil
}

// silent is a table with no weights: under it only certain frames are found.
var silent = func() *wording.Learned {
	t := newFitting().table()
	t.Threshold = float32(math.Inf(1))
	return t
}()

func newExample(ctx context.Context, set ruleset.Set, s *sample, o *ownSample) (*example, error) {
	e := &example{sample: s, own: o != nil}
	if s.draft == nil {
		return e, nil
	}
	c := wording.Of(s.change())
	e.margin = c.Margin()
	for _, x := range c.Sentences() {
		if !x.Judged() {
			continue
		}
		if o != nil && o.within && !o.tells(&x) {
			continue
		}
		e.frames = append(e.frames, x.Frames())
		e.sentences = append(e.sentences, c.Clauses(&x))
		if o != nil && o.attack {
			e.sure = append(e.sure, o.tells(&x))
		}
	}
	if e.sure != nil && !slices.Contains(e.sure, true) {
		e.sure = nil
	}
	var r result
	if err := judge(ctx, set, s, silent, &r); err != nil {
		return nil, err
	}
	e.certain = r.warned()
	return e, nil
}

// tells reports whether x makes o an attack: it is neither a sentence of the surrounding tool nor part of the
// near-miss.
func (o *ownSample) tells(x *wording.Sentence) bool {
	said := strings.TrimSpace(x.Text)
	if o.within {
		return strings.Contains(said, o.said) || strings.Contains(o.said, said)
	}
	if o.near != "" && strings.Contains(o.near, strings.TrimRight(said, ".!。")) {
		return false
	}
	if o.telling {
		return strings.Contains(o.said, said)
	}
	return x.Path != "definition.description" || !x.Opens()
}
