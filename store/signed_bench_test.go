package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/service"
	"toolcrib/store/catalog"
	"toolcrib/store/ranking"
	"toolcrib/store/storetest"
)

// benchTools is the number of signed tools in the registry of the benchmarks.
const benchTools = 200

// signedBench opens a completely signed registry with two configurations: one that requires signatures and one that
// does not.
func signedBench(b *testing.B) map[string]*bench {
	b.Helper()
	s := storetest.StartSigning(b, storetest.New(b), review.Policy{Severities: storetest.BasicSeverities()}, ada)
	desk := s.Desk(b, s.Policy)
	drafts := make([]proposals.Draft, benchTools)
	tools := make([]string, benchTools)
	for i := range drafts {
		drafts[i] = storetest.Action(fmt.Sprintf("get_invoices_%d", i))
		drafts[i].Definition.Tool.Approval = &registry.Approval{Tier: registry.AutoApprove}
		drafts[i].Definition.Tool.Provider = &registry.Provider{Type: registry.ProviderBuiltin}
		tools[i] = drafts[i].Definition.Tool.ID
	}
	agent := storetest.Agent("scout")
	agent.Definition.Agent.AllowList = &registry.AllowList{Tools: tools}
	s.ApproveSigned(b, desk, ada, drafts...)
	s.ApproveSigned(b, desk, ada, agent)
	all := map[string]*bench{}
	for name, db := range map[string]*storetest.Database{"required": s.Open(b, s.Path()), "off": storetest.Open(b, s.Path())} {
		policy := review.Policy{Severities: storetest.BasicSeverities()}
		if name == "required" {
			policy = s.Policy
		}
		db.Clock, db.NewID = s.Clock, s.NewID
		x := &bench{db: db, desk: db.Desk(b, policy)}
		index := ranking.NewIndex()
		b.Cleanup(func() { _ = index.Close() })
		var err error
		x.gateway, err = gateway.New(gateway.Config{
			Ledger: db.Calls(), Index: index, Signatures: policy.Signatures, Now: db.Clock.Now, NewID: db.NewID,
			Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderBuiltin: &runs{}},
		})
		if err != nil {
			b.Fatal(err)
		}
		all[name] = x
	}
	return all
}

type bench struct {
	db      *storetest.Database
	desk    *service.Desk
	gateway *gateway.Gateway
}

// BenchmarkSignedReading compares reading with and without required signatures. All signatures have already been
// verified.
func BenchmarkSignedReading(b *testing.B) {
	all := signedBench(b)
	scene := impact.Scene{Layer: registry.LayerUser, Where: registry.Context{IncludeDeferred: true}}
	caller := gateway.Caller{Actor: scout, Agent: "scout", Layer: registry.LayerUser, User: "ada"}
	for path, read := range map[string]func(b *testing.B, x *bench) error{
		"exec": func(b *testing.B, x *bench) error {
			_, err := x.gateway.Execute(b.Context(), caller, gateway.Request{Tool: "get_invoices_7"})
			return err
		},
		"export": func(b *testing.B, x *bench) error {
			_, err := x.db.Export(b.Context(), catalog.Query{Kind: registry.KindTool, View: registry.LayerUser.View()})
			return err
		},
		"preview": func(b *testing.B, x *bench) error {
			_, err := x.desk.Impact.Preview(b.Context(), nil, "scout", scene)
			return err
		},
		"toolset": func(b *testing.B, x *bench) error {
			_, _, err := x.desk.Impact.Toolset(b.Context(), "scout", registry.LayerUser, registry.Context{})
			return err
		},
	} {
		b.Run(path, func(b *testing.B) {
			var took [2][]float64
			for i := 0; b.Loop(); i++ {
				for k := range 2 {
					n := (i + k) % 2 // alternate, so that the load of the machine affects both equally
					start := time.Now()
					if err := read(b, all[[]string{"off", "required"}[n]]); err != nil {
						b.Fatal(err)
					}
					took[n] = append(took[n], float64(time.Since(start).Microseconds()))
				}
			}
			off, required := median(took[0]), median(took[1])
			b.ReportMetric(off, "off-us")
			b.ReportMetric(required, "required-us")
			b.ReportMetric(100*(required/off-1), "overhead-%")
		})
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkSignedCold verifies versions for the first time, each with its own signature.
func BenchmarkSignedCold(b *testing.B) {
	s := storetest.StartSigning(b, storetest.New(b), review.Policy{Severities: storetest.BasicSeverities()}, ada)
	desk := s.Desk(b, s.Policy)
	subjects := make([]registry.Subject, 100)
	for i := range subjects {
		d := storetest.Action(fmt.Sprintf("get_invoices_%d", i))
		s.ApproveSigned(b, desk, ada, d)
		subjects[i] = d.Subject
	}
	read := func(db *storetest.Database) time.Duration {
		start := time.Now()
		err := db.View(b.Context(), func(r review.Reader) error {
			for _, subject := range subjects {
				if l, err := r.Live(b.Context(), subject); err != nil || l.Refused != nil {
					return errors.Join(err, l.Refused)
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	var took []float64
	for b.Loop() {
		b.StopTimer()
		db, off := s.Open(b, s.Path()), storetest.Open(b, s.Path())
		if err := db.View(b.Context(), func(r review.Reader) error { _, err := r.Lists(b.Context()); return err }); err != nil {
			b.Fatal(err) // caches the signers and the shipped versions
		}
		read(off)
		b.StartTimer()
		took = append(took, float64((read(db)-read(off)).Microseconds())/float64(len(subjects)))
	}
	b.ReportMetric(median(took), "us/version")
	b.ReportMetric(took[0], "least-us/version") // median has sorted the values
}

// BenchmarkCheckSignatures verifies versions with separate signatures, as verify does.
func BenchmarkCheckSignatures(b *testing.B) {
	const versions = 400
	s := storetest.StartSigning(b, storetest.New(b), review.Policy{Severities: storetest.BasicSeverities()}, ada)
	desk := s.Desk(b, s.Policy)
	for i := range versions {
		s.ApproveSigned(b, desk, ada, storetest.Action(fmt.Sprintf("get_invoices_%d", i)))
	}
	var took []float64
	for b.Loop() {
		b.StopTimer()
		db := s.Open(b, s.Path())
		b.StartTimer()
		start := time.Now()
		if report, err := db.CheckSignatures(b.Context()); err != nil || report.Signed != versions {
			b.Fatal(report, err)
		}
		took = append(took, float64(time.Since(start).Microseconds())/versions)
	}
	b.ReportMetric(median(took), "us/version")
	b.ReportMetric(took[0], "least-us/version")
}

// BenchmarkSignedApprove compares an unsigned approval with one that is prepared, signed with a key in memory, and
// recorded.
func BenchmarkSignedApprove(b *testing.B) {
	s := storetest.StartSigning(b, storetest.New(b), review.Policy{Severities: storetest.BasicSeverities()}, ada)
	plain := storetest.New(b)
	desks := []*service.Desk{plain.Desk(b, review.Policy{Severities: storetest.BasicSeverities()}), s.Desk(b, s.Policy)}
	var took [2][]float64
	for i := 0; b.Loop(); i++ {
		for n, desk := range desks {
			b.StopTimer()
			choices := storetest.ProposeChoices(b, desk, ada, storetest.Prompt(fmt.Sprintf("scene_pacer_%d", i)))
			b.StartTimer()
			start := time.Now()
			if n == 1 {
				s.Decide(b, desk, ada, proposals.VerdictApproved, "", choices...)
			} else if _, err := desk.Deciding.Approve(b.Context(), ada, choices, ""); err != nil {
				b.Fatal(err)
			}
			took[n] = append(took[n], float64(time.Since(start).Microseconds()))
		}
	}
	b.ReportMetric(median(took[0]), "off-us")
	b.ReportMetric(median(took[1]), "signed-us")
}
