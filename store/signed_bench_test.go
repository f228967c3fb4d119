package store_test

import (
	"fmt"
	"testing"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// benchTools is how many signed tools the registry of the benchmarks has.
const benchTools = 200

// signedBench is a registry in which everything is signed, opened as two
// configurations have it: one that requires signatures and one that does not.
func signedBench(b *testing.B) map[string]*bench {
	b.Helper()
	s := storetest.StartSigning(b, storetest.New(b), review.Policy{Severities: storetest.Basics()}, ada)
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
		policy := review.Policy{Severities: storetest.Basics()}
		if name == "required" {
			policy = s.Policy
		}
		db.Clock, db.NewID = s.Clock, s.NewID
		x := &bench{db: db, desk: db.Desk(b, policy)}
		index := store.NewIndex()
		b.Cleanup(func() { _ = index.Close() })
		var err error
		x.gateway, err = gateway.New(gateway.Config{
			Registry: x.desk, Ledger: db.Calls(), Index: index, Signatures: policy.Signatures, Now: db.Clock.Now, NewID: db.NewID,
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
	desk    *review.Desk
	gateway *gateway.Gateway
}

// BenchmarkSignedReading compares reading where signatures are required, with
// everything checked before, with reading where they are not.
func BenchmarkSignedReading(b *testing.B) {
	all := signedBench(b)
	scene := review.Scene{Layer: registry.LayerUser, Where: registry.Context{IncludeDeferred: true}}
	caller := gateway.Caller{Actor: scout, Agent: "scout", Layer: registry.LayerUser, User: "ada"}
	for path, read := range map[string]func(b *testing.B, x *bench) error{
		"exec": func(b *testing.B, x *bench) error {
			_, err := x.gateway.Execute(b.Context(), caller, gateway.Request{Tool: "get_invoices_7"})
			return err
		},
		"export": func(b *testing.B, x *bench) error {
			_, err := x.db.Export(b.Context(), store.CatalogQuery{Kind: registry.KindTool, View: registry.LayerUser.View()})
			return err
		},
		"preview": func(b *testing.B, x *bench) error {
			_, err := x.desk.Preview(b.Context(), nil, "scout", scene)
			return err
		},
		"toolset": func(b *testing.B, x *bench) error {
			_, _, err := x.desk.Toolset(b.Context(), "scout", registry.LayerUser, registry.Context{})
			return err
		},
	} {
		for _, name := range []string{"off", "required"} {
			x := all[name]
			b.Run(path+"/"+name, func(b *testing.B) {
				if err := read(b, x); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := read(b, x); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
