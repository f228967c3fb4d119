package service_test

import (
	"errors"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

func layers() []registry.Layer {
	return []registry.Layer{registry.LayerGlobal, registry.LayerUser, registry.ProjectLayer("novel")}
}

// TestCoreIsLocked proposes all types of changes to all core tools in all layers, as all actors, as drafts and as
// submissions.
func TestCoreIsLocked(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	o.Unchanged(t, func() {
		for id := range shipped.CoreHashes() {
			for _, layer := range layers() {
				for _, kind := range proposals.Types() {
					for _, by := range []proposals.Actor{ada, scout, carla} {
						for _, submit := range []bool{false, true} {
							d := storetest.Prompt(id)
							d.Type, d.Subject.Layer = kind, layer
							if kind != proposals.New {
								base := 1
								d.BaseVersion = &base
							}
							o.fails(review.ErrLocked, func() error {
								_, err := o.desk.Drafting.Propose(t.Context(), by, []proposals.Draft{d}, submit)
								return err
							})
						}
					}
				}
			}
		}
	})
}

// TestCoreNameCannotBeAnAlias uses each core id as an alias. A draft may contain it, but it cannot be submitted, and a
// submitted proposal cannot be revised to contain it.
func TestCoreNameCannotBeAnAlias(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	drafted := o.draft(ada, withAlias(storetest.Prompt("drafted"), "file_reader"))
	submitted := o.propose(ada, storetest.Prompt("submitted"))
	o.Unchanged(t, func() {
		for id := range shipped.CoreHashes() {
			for _, layer := range layers() {
				d := withAlias(storetest.Prompt("scene_pacer"), "scene_pace", id)
				d.Subject.Layer = layer
				o.fails(review.ErrLocked, func() error {
					_, err := o.desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{d}, true)
					return err
				})
			}
			o.fails(review.ErrLocked, func() error {
				_, err := o.desk.Drafting.Revise(t.Context(), ada, submitted.ID, withAlias(storetest.Prompt("submitted"), id))
				return err
			})
		}
		o.fails(review.ErrLocked, func() error {
			_, err := o.desk.Drafting.Submit(t.Context(), ada, drafted.ID)
			return err
		})
	})
}

// TestCoreCannotBeRolledBack tries other ways to change a core tool.
func TestCoreCannotBeRolledBack(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	o.Unchanged(t, func() {
		for id := range shipped.CoreHashes() {
			for _, layer := range layers() {
				s := registry.Subject{Kind: registry.KindTool, Layer: layer, ID: id}
				o.fails(review.ErrLocked, func() error {
					_, err := o.desk.Drafting.Rollback(t.Context(), ada, s, 1, "")
					return err
				})
			}
		}
	})
}

// TestLockCannotBeConfigured checks that the lock cannot be disabled.
func TestLockCannotBeConfigured(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	for _, id := range []string{"L101", "L102", "T101"} {
		severities := storetest.BasicSeverities()
		severities[id] = "off"
		if _, err := service.New(db, review.Policy{Severities: severities}, db.Clock.Now, db.NewID); err == nil {
			t.Errorf("%s can be switched off", id)
		}
	}
}

// fails checks that act fails with the error want.
func (o testDesk) fails(want error, act func() error) {
	o.Helper()
	if err := act(); !errors.Is(err, want) {
		o.Errorf("got error %v; want %v", err, want)
	}
}
