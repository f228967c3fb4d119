package tui_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui"
)

// slowDesk answers when the test permits it.
type slowDesk struct {
	tui.Reader
	slow    bool
	asked   chan struct{}
	answers chan struct{}
}

func (d *slowDesk) wait() {
	if d.slow {
		d.asked <- struct{}{}
		<-d.answers
	}
}

func (d *slowDesk) List(ctx context.Context, q review.Query) (review.Page, error) {
	d.wait()
	return d.Reader.List(ctx, q)
}

func (d *slowDesk) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	d.wait()
	return d.Reader.Show(ctx, actor, id)
}

// slowLog answers when the test permits it.
type slowLog struct {
	tui.Registry
	*slowDesk
}

func (l slowLog) Events(ctx context.Context, before int64, limit int) ([]history.Event, error) {
	l.wait()
	return l.Registry.Events(ctx, before, limit)
}

// newSlowWorkbench opens a workbench with reads that the test can delay.
func newSlowWorkbench(t *testing.T, files ...string) (*workbench, *slowDesk) {
	t.Helper()
	b := newWorkbench(t, 80, 24, demo(files...))
	d := &slowDesk{Reader: b.desk.Reading, asked: make(chan struct{}, 100), answers: make(chan struct{})}
	b.config.Desk.Reader, b.config.Registry = d, slowLog{b.config.Registry, d}
	b.m = tui.New(b.config)
	b.m.Prime(80, 24)
	d.slow = true
	return b, d
}

// whileReading runs the read that a key starts in the background, and calls see after some seconds without an answer.
func (b *workbench) whileReading(d *slowDesk, key string, see func()) {
	b.t.Helper()
	_, cmd := b.m.Update(keyPress(key))
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.drain(cmd)
	}()
	<-d.asked
	b.waited += 3 * time.Second
	b.poll()
	see()
	d.slow = false
	close(d.answers)
	<-done
}

// TestLongReadsAreSeen checks that a read that a key waits for is shown with its duration after one second.
func TestLongReadsAreSeen(t *testing.T) {
	for key, want := range map[string]string{"o": "Listing proposals  3 s", "enter": "Reading the proposal  3 s", "L": "Reading the audit log  3 s"} {
		b, d := newSlowWorkbench(t, "name_bank.json")
		b.whileReading(d, key, func() { b.wants(want, "reading 3 s") })
		b.poll()
		if s := b.screen(); strings.Contains(s, want) || strings.Contains(s, "reading") {
			t.Errorf("%s: it is read, and waited for:\n%s", key, s)
		}
	}
}

// TestLongReadOfSeveral checks that the progress of reading several proposals for a decision is shown.
func TestLongReadOfSeveral(t *testing.T) {
	b, d := newSlowWorkbench(t, "name_bank.json", "word_counts.json")
	b.press("*")
	b.whileReading(d, "x", func() { b.wants("Reading the proposals: 0 of 2  3 s") })
	b.wants("Reject 2 proposals")
}
