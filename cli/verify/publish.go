// This file publishes checkpoints and the registry after decisions.

package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"toolcrib/cli/checkpoints"
	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/tui/wording"
)

// publishDecided publishes a checkpoint and the registry to the configured targets if this process made decisions since
// the last publication.
func publishDecided(ctx context.Context, a *command.App) error {
	if !a.Publisher.Take() || a.Config == nil || a.Scratch != "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	var checkpoint, registry error
	if a.Config.Checkpoints.Name() != "" {
		if err := publishCheckpoint(ctx, a, false); err != nil {
			checkpoint = fmt.Errorf("its checkpoint was not published: %w", err)
		}
	}
	if a.Config.Publish.Name() != "" {
		if err := a.PublishRegistry(ctx); err != nil {
			registry = fmt.Errorf("the registry was not published: %w", err)
		}
	}
	return errors.Join(checkpoint, registry)
}

// PublishAtExit publishes the unpublished decisions of this process before the process exits. If the publication fails,
// PublishAtExit only prints a note, because the decisions remain valid.
func PublishAtExit(ctx context.Context, a *command.App) {
	if err := publishDecided(ctx, a); err != nil {
		text := output.FullStop(err.Error())
		if !errors.Is(err, checkpoints.ErrNotExtended) {
			text += " The next decision, toolcrib publish, or toolcrib checkpoint --publish tries again."
		}
		output.WriteNote(a.Env.Err, "toolcrib: the decision is recorded, but %s", text)
	}
}

// PublishWhileRunning starts a goroutine that publishes after each decision of this process, and then refreshes state.
// stop ends the goroutine. The caller must then call PublishAtExit, which publishes the remaining decisions.
func PublishWhileRunning(ctx context.Context, a *command.App, state *checkpoints.Watch) (stop func()) {
	woken, ended := make(chan struct{}, 1), make(chan struct{})
	a.Publisher.Mu.Lock()
	a.Publisher.Woken = woken
	a.Publisher.Mu.Unlock()
	go func() {
		defer close(ended)
		for range woken {
			if err := publishDecided(ctx, a); err != nil {
				a.Publisher.Again() // the next attempt includes these decisions; PublishAtExit reports a persistent error
			}
			state.Refresh(ctx)
		}
	}()
	return func() {
		a.Publisher.Mu.Lock()
		a.Publisher.Woken = nil
		close(woken)
		a.Publisher.Mu.Unlock()
		<-ended
	}
}

// PublishFor is the maximum time that the process spends on publishing a checkpoint.
const PublishFor = 10 * time.Second

func publishCheckpoint(ctx context.Context, a *command.App, again bool) error {
	p, err := CheckpointPublisher(a)
	if err != nil {
		return err
	}
	if p.Signer, err = CheckpointSigner(a); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, max(PublishFor, a.Env.MinWait))
	defer cancel()
	err = p.Publish(ctx, again)
	if errors.Is(err, checkpoints.ErrNotExtended) {
		return fmt.Errorf("%w; find the cause or, if you restored a backup on purpose, run toolcrib checkpoint --publish --start-over", err)
	}
	return err
}

// WatchCheckpoints returns a cache of the publication status for screens, which must not block. Errors are ignored
// here, but the doctor command reports them.
func WatchCheckpoints(a *command.App) *checkpoints.Watch {
	return &checkpoints.Watch{Read: func(ctx context.Context) (checkpoints.Status, error) {
		p, err := CheckpointPublisher(a)
		if err != nil {
			return checkpoints.Status{}, err
		}
		return p.Status(ctx)
	}}
}

// CheckpointPublisher returns a publisher for the configured target, without a signer. a.Config must be set.
func CheckpointPublisher(a *command.App) (*checkpoints.Publisher, error) {
	c := a.Config
	state, err := process.StateHome(a.Env)
	if err != nil {
		return nil, err
	}
	to := c.Checkpoints
	if to.Name() == "" {
		return nil, process.Usagef("no target for checkpoints is configured; set to = \"git:PATH\" under [checkpoints] in %s", c.UserFile)
	}
	target := func(genesis string) checkpoints.Target {
		if dir, ok := strings.CutPrefix(to.To, settings.GitTarget); ok {
			return checkpoints.Git{Dir: dir, Genesis: genesis}
		}
		return checkpoints.Command{Args: to.Command, Dir: filepath.Dir(c.UserFile)}
	}
	return &checkpoints.Publisher{
		Log: a.DB, To: to.Name(), Target: target, State: filepath.Join(state, "toolcrib", "checkpoints"), Now: a.Env.Now,
	}, nil
}

// DocPublished describes which part of the log is published in checkpoints.
type DocPublished struct {
	To        string `json:"to"`
	Size      int64  `json:"size"`         // number of events in the newest checkpoint, or 0 before the first publication
	At        string `json:"at,omitempty"` // time of publication
	Age       int64  `json:"age_seconds"`  // age of the newest checkpoint
	Decisions int    `json:"unpublished"`  // number of decisions after the newest checkpoint
}

func (d DocPublished) Text() string {
	if d.Size == 0 {
		return fmt.Sprintf("none published to %s yet; to publish a checkpoint: toolcrib checkpoint --publish", d.To)
	}
	text := fmt.Sprintf("%d events, published %s ago to %s", d.Size, wording.Age(time.Duration(d.Age)*time.Second), d.To)
	if d.Decisions > 0 {
		text += fmt.Sprintf("; %s since", output.Counted(d.Decisions, "decision"))
	}
	return text
}

// Published returns the publication status of the configured target.
func Published(ctx context.Context, a *command.App) (DocPublished, error) {
	p, err := CheckpointPublisher(a)
	if err != nil {
		return DocPublished{}, err
	}
	s, err := p.Status(ctx)
	doc := DocPublished{To: p.To, Size: s.Size, Decisions: s.Decisions}
	if !s.At.IsZero() {
		doc.At, doc.Age = output.Timestamp(s.At), int64(a.Env.Now().Sub(s.At)/time.Second)
	}
	return doc, err
}

type docPublication struct {
	output.Head
	DocPublished
}
