// Package notify sends notices in the background while a command runs.
package notify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/notices"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
)

// Sender sends notices in a goroutine, which starts after the first transaction that can cause a notice. If the process
// exits before a notice is sent, the next process sends the notice.
type Sender struct {
	App   *command.App
	mu    sync.Mutex
	woken chan struct{} // nil if the goroutine is not running
	ended chan struct{}
	since time.Time // see notices.Courier.Since
	err   error     // error of the last attempt
}

// noticeFor is the maximum time that a process waits for its notices before it exits. noticeTime is the maximum
// duration of an attempt to send the notices that are due.
const (
	noticeFor  = 3 * time.Second
	noticeTime = 30 * time.Second
)

// causesNotice reports whether an event with the given act can cause a notice.
func causesNotice(act string) bool {
	switch proposals.Act(act) {
	case proposals.ActAssess, proposals.ActEndorse, proposals.ActApprove, "ask-call":
		return true
	default:
		return false
	}
}

// Committed wakes the sender if the committed acts can cause a notice and the settings specify a receiver.
func (n *Sender) Committed(acts []string) {
	a := n.App
	if a.Config == nil || !a.Config.Notify.Configured() || a.Scratch != "" || a.Flags.DryRun || !slices.ContainsFunc(acts, causesNotice) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.woken == nil {
		n.woken, n.ended = make(chan struct{}, 1), make(chan struct{})
		n.since = a.Env.Now().Add(-noticeTime)
		go n.deliver(n.woken, n.ended)
	}
	select {
	case n.woken <- struct{}{}:
	default:
	}
}

// deliver sends the notices that are due whenever it receives a value from woken. After a failure, it tries again with
// increasing delays. It returns when woken is closed.
func (n *Sender) deliver(woken <-chan struct{}, ended chan<- struct{}) {
	defer close(ended)
	const first, last = time.Second, 5 * time.Minute
	retry := first
	for again := (<-chan time.Time)(nil); ; {
		select {
		case _, open := <-woken:
			if !open {
				return
			}
		case <-again:
		}
		ctx, cancel := context.WithTimeout(context.Background(), max(noticeTime, n.App.Env.MinWait))
		err := n.send(ctx)
		cancel()
		n.mu.Lock()
		n.err = err
		n.mu.Unlock()
		if again = nil; err != nil {
			again = time.After(retry)
			retry = min(2*retry, last)
			continue
		}
		retry = first
	}
}

// Last stops the sender and waits a few seconds for its last attempt. It prints a note if the notices could not be
// sent.
func (n *Sender) Last() {
	n.mu.Lock()
	running := n.woken != nil
	if running {
		close(n.woken)
		n.woken = nil
	}
	n.mu.Unlock()
	if !running {
		return
	}
	select {
	case <-n.ended:
	case <-time.After(max(noticeFor, n.App.Env.MinWait)):
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		n.App.Note("toolcrib: the command succeeded, but a notice was not sent: %s The next command tries again.", output.FullStop(n.err.Error()))
	}
}

// send sends the notices that are due to all configured receivers.
func (n *Sender) send(ctx context.Context) error {
	a, c := n.App, n.App.Config.Notify
	state, err := process.StateHome(a.Env)
	if err != nil {
		return err
	}
	// Each receiver has a separate courier, so a failing receiver does not delay other receivers.
	each := func(name string, to notices.Sender) error {
		courier := notices.Courier{
			Log: noticeLog{a.DB}, Sender: to, Events: c.Events, Now: a.Env.Now, Since: n.since, State: filepath.Join(state, "toolcrib", "notices", name),
		}
		return courier.Deliver(ctx)
	}
	var errs []error
	if len(c.Command) > 0 {
		errs = append(errs, each("command", notices.Command{Args: c.Command, Dir: filepath.Dir(a.Config.UserFile)}))
	}
	if secret := a.Env.Getenv(c.SecretEnv); c.URL != "" && secret == "" {
		errs = append(errs, fmt.Errorf("the environment variable %s is not set; notify.secret_env in the configuration requires it", c.SecretEnv))
	} else if c.URL != "" {
		errs = append(errs, each("url", notices.Webhook{URL: c.URL, Secret: secret, Now: a.Env.Now}))
	}
	return errors.Join(errs...)
}

// noticeLog implements notices.Log for a database.
type noticeLog struct{ *store.DB }

// Proposal implements notices.Log.
func (l noticeLog) Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error) {
	return command.ReadView(ctx, l.View, func(r review.Reader) (proposals.Proposal, error) { return r.Proposal(ctx, id) })
}

// OpenOn implements notices.Log.
func (l noticeLog) OpenOn(ctx context.Context, s registry.Subject) ([]proposals.Proposal, error) {
	return command.ReadView(ctx, l.View, func(r review.Reader) ([]proposals.Proposal, error) { return r.OpenOn(ctx, s) })
}

// Pending implements notices.Log.
func (l noticeLog) Pending(ctx context.Context, id string) (gateway.Pending, error) {
	return command.ReadView(ctx, l.Calls().View, func(r gateway.LedgerReader) (gateway.Pending, error) { return r.Pending(ctx, id) })
}
