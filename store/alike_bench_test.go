package store_test

import (
	"math/rand/v2"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/overlap"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// manySketches returns a database with the sketches of 100,000 tools, and a tool that is similar to a live one.
func manySketches(b *testing.B) (*storetest.Database, registry.Tool) {
	b.Helper()
	db := storetest.New(b)
	desk := db.Desk(b, review.Policy{Severities: storetest.BasicSeverities()})
	d := storetest.Prompt("scene_pacer")
	db.Approved(b, desk, ada, []proposals.Draft{d}...)
	r := rand.New(rand.NewPCG(1, 2))
	const perBlock = 256
	for block := range 100_000 / perBlock {
		blobs := [2][]byte{}
		for i := range blobs {
			var x overlap.Index
			for n := range perBlock {
				var s overlap.Sketch
				for w := range s {
					s[w] = r.Uint64()
				}
				x.Add(int64((1_000+block)*perBlock+n), s)
			}
			blobs[i], _ = x.AppendBinary(nil)
		}
		if err := db.SQL(b.Context(), "INSERT INTO sketches (block, text, purpose) VALUES (?, ?, ?)", 1_000+block, blobs[0], blobs[1]); err != nil {
			b.Fatal(err)
		}
	}
	again := *d.Definition.Tool
	again.ID, again.Prompt = "scene_pacer_two", again.Prompt+"\nAnd once more."
	return db, again
}

// BenchmarkAlike looks for tools similar to a given one among 100,000: in a session with loaded sketches, and in a new
// process.
func BenchmarkAlike(b *testing.B) {
	db, tool := manySketches(b)
	look := func(db *store.DB) {
		err := db.View(b.Context(), func(r review.Reader) error {
			found, err := r.Alike(b.Context(), overlap.NewFingerprint(tool))
			if len(found) != 1 {
				b.Fatalf("%d found", len(found))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("warm", func(b *testing.B) {
		look(db.DB)
		for b.Loop() {
			look(db.DB)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh, err := store.Open(b.Context(), db.Path(), options())
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			look(fresh)
			b.StopTimer()
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
}
