// This file stores imported data, and describes the results of imports.

package imports

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/store/catalog"
)

// proposeSteps stores the raw JSON in doc, and then proposes the drafts of the steps. The JSON is stored first, because
// the proposals refer to it by its hash.
func proposeSteps(ctx context.Context, b command.Session, a *command.App, doc wire.Document, o intake.Origin, steps []intake.Step, submit bool) ([]proposals.Proposal, error) {
	drafts := intake.Drafts(steps)
	if len(drafts) == 0 {
		return nil, nil
	}
	record := catalog.Import{
		ID: a.Env.NewID(), At: a.Env.Now(), Actor: b.Actor.String(), Format: string(doc.Format), Label: o.Label,
		Hash: registry.HashBytes(jsondoc.Canonical(doc.Node)), Capabilities: doc.Capabilities,
	}
	for _, it := range doc.Items {
		record.Tools = append(record.Tools, catalog.Raw{Hash: it.Hash(), Body: it.Raw})
	}
	for _, e := range doc.Entries {
		if hash, err := wire.HashRaw(e.Raw); err == nil && len(e.Raw) > 0 {
			record.Tools = append(record.Tools, catalog.Raw{Hash: hash, Body: e.Raw})
		}
	}
	if !a.Flags.DryRun {
		if err := a.DB.KeepImport(ctx, record); err != nil {
			return nil, err
		}
	}
	raws := lists.Index(record.Tools, func(t catalog.Raw) (string, []byte) { return t.Hash, t.Body })
	desk := b.Desk.Importing(raws)
	if b.Actor.Kind == proposals.System {
		return desk.Drafting.Observe(ctx, drafts)
	}
	return desk.Drafting.Import(ctx, b.Actor, drafts, submit)
}

// DocImport describes the result of an import.
type DocImport struct {
	output.Head
	File    string `json:"file"`
	Format  string `json:"format"`
	Label   string `json:"label"`
	RawHash string `json:"raw_hash"`
	// ChangeSet is absent if the proposals are not in a change set.
	ChangeSet string `json:"change_set,omitempty"`
	// Definitions is the number of definitions in the document, including skipped definitions. Steps has additional
	// elements for definitions that the document no longer contains.
	Definitions int              `json:"definitions"`
	Steps       []docImportStep  `json:"steps"`
	Proposals   []facts.Document `json:"proposals"`
	Warnings    []string         `json:"warnings"`
	DryRun      bool             `json:"dry_run,omitempty"`
	// Capabilities lists the capabilities that toolcrib declared to a live server.
	Capabilities json.RawMessage `json:"client_capabilities,omitempty"`
	// Configuration contains the lines that the user has to add to toolcrib.toml before the tools of a live server can
	// run.
	Configuration string `json:"configuration,omitempty"`
}

// docImportStep is the change of one imported definition.
type docImportStep struct {
	Name     string `json:"name"`
	Subject  string `json:"subject,omitempty"`
	Change   string `json:"change"` // new, modify, deactivate, reactivate, none, pending or skip
	Reason   string `json:"reason,omitempty"`
	RawHash  string `json:"raw_hash,omitempty"`
	Proposal string `json:"proposal,omitempty"`
	// Missing lists the missing parts of an incomplete prompt, which remains a draft.
	Missing string `json:"missing,omitempty"`
	// UnknownKeys lists the keys that are not part of the v0 format. toolcrib stores and exports them unchanged.
	UnknownKeys []string `json:"unknown_keys,omitempty"`
}

// newDocImportSteps converts steps for output. ps contains one proposal for each step with a draft, in the order of the
// steps.
func newDocImportSteps(steps []intake.Step, ps []proposals.Proposal) []docImportStep {
	docs := make([]docImportStep, len(steps))
	for i, s := range steps {
		docs[i] = docImportStep{Name: s.Name, Change: string(s.Change), Reason: s.Reason, RawHash: s.Hash, Subject: s.Subject.String(), Missing: s.Missing, UnknownKeys: s.Unknown}
		if s.Draft != nil {
			docs[i].Proposal = string(ps[0].ID)
			ps = ps[1:]
		}
	}
	return docs
}

// Document returns the document of an import.
func (t Result) Document(a *command.App) DocImport {
	d := DocImport{
		Head: output.NewHead("import"), File: t.file, Format: string(t.doc.Format), Label: t.Origin.Label, ChangeSet: t.Origin.Set,
		Definitions: len(t.doc.Items) + len(t.doc.Entries) + len(t.doc.Skipped),
		RawHash:     registry.HashBytes(jsondoc.Canonical(t.doc.Node)), Steps: newDocImportSteps(t.steps, t.Made),
		Proposals: document.NewProposalList(slices.Concat(t.Made, t.withdrawn), "", false).Proposals, Warnings: append(notKept(t.doc), lists.Map(t.doc.Skipped, wire.Skipped.String)...), DryRun: a.Flags.DryRun,
	}
	if t.from != nil {
		d.Capabilities = t.doc.Capabilities
		if _, known := a.Config.Servers[t.Origin.Label]; !known {
			d.Configuration = t.from.Server.Lines(t.Origin.Label)
		}
	}
	return d
}

// lines prints the result of the import, with a line for each tool that was proposed or skipped.
func (t Result) lines(p *output.Page) {
	next := 0
	for _, s := range t.steps {
		switch {
		case s.Draft != nil:
			p.Linef("%s", document.Moved(t.Made[next]))
			if s.Change == intake.Modify {
				p.Linef("    changed: %s", s.Reason)
			}
			if s.Missing != "" {
				p.Linef("    incomplete, so it remains a draft: %s", s.Missing)
			}
			if len(s.Unknown) > 0 {
				p.Linef("    unknown keys, stored unchanged: %s", strings.Join(s.Unknown, ", "))
			}
			next++
		case s.Change == intake.Skip:
			p.Linef("skipped %s: %s", s.Name, s.Reason)
		}
	}
	for _, s := range t.doc.Skipped {
		p.Linef("skipped: %s", s.String())
	}
	for _, ended := range t.withdrawn {
		p.Linef("%s: the proposal no longer matches the server's list", document.Moved(ended))
	}
}

// notKept returns a warning for each part of doc that toolcrib neither reviews nor exports, because no definition
// contains it.
func notKept(doc wire.Document) []string {
	return lists.Map(doc.NotKept, func(key string) string {
		return fmt.Sprintf("not imported: %s is not part of a definition, so toolcrib does not review or export it; check it with toolcrib lint", jsondoc.Quote(key))
	})
}

// counts returns the number of definitions for each change.
func (t Result) counts() map[intake.Change]int {
	counts := map[intake.Change]int{}
	for _, s := range t.steps {
		counts[s.Change]++
	}
	return counts
}

// Skipped returns the number of definitions in the document that were not compared with live definitions.
func (t Result) Skipped() int { return len(t.doc.Skipped) + t.counts()[intake.Skip] }

// LeftOut returns the entries of a server's list that cannot be proposed.
func (t Result) LeftOut() []wire.Skipped {
	skipped := slices.Clone(t.doc.Skipped)
	for _, s := range t.steps {
		if s.Invalid {
			skipped = append(skipped, s.SkipReason())
		}
	}
	return skipped
}

// RecordProblem stores the reason why the tools of the server with the given label are unknown. The status command
// reports this reason.
func RecordProblem(ctx context.Context, a *command.App, label, problem string) error {
	b, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	skipped := []wire.Skipped{{Reason: "its tools are unknown", Detail: problem}}
	return catalog.KeepLeftOut(ctx, a.DB.Imports, a.Env.NewID(), a.Env.Now(), b.Actor.String(), label, skipped)
}

// LeftOut describes the entries that were not proposed, and the reasons.
func (d DocImport) LeftOut() []string {
	lines := slices.Clone(d.Warnings)
	for _, s := range d.Steps {
		if s.Change == string(intake.Skip) {
			lines = append(lines, jsondoc.Quote(s.Name)+": "+s.Reason)
		}
	}
	return lines
}

// Outcome returns the numbers of definitions for each kind of change, as a phrase.
func (d DocImport) Outcome() string {
	counts := map[string]int{}
	for _, s := range d.Steps {
		counts[s.Change]++
	}
	const withdrawn = string(proposals.Withdrawn)
	counts[withdrawn] = len(lists.Filter(d.Proposals, func(p facts.Document) bool { return p.State == withdrawn }))
	var parts []string
	if n := len(d.Proposals) - counts[withdrawn]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d proposed as the change set %s", n, d.ChangeSet))
	}
	for _, c := range []struct{ change, words string }{
		{string(intake.Pending), "proposed before and waiting for you"}, {withdrawn, withdrawn}, {string(intake.None), "unchanged since their approval"}, {string(intake.Skip), "left out"},
	} {
		if n := counts[c.change]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+c.words)
		}
	}
	if len(parts) == 0 {
		return "nothing to propose"
	}
	return strings.Join(parts, ", ")
}

// ProposeReport proposes the unapproved tools in document, a list of the tools of the given server. The list is a
// report of a machine that follows this registry and authenticated with the token t. The author of the proposals is the
// agent of the token, so the limits for agents apply. The proposals form a separate change set. If a tool cannot be
// proposed, the other tools are still proposed.
//
// Comments on each proposal state the number of machines that reported the tool. This number is not verified, because
// the holder of a token can choose any name for a machine.
func ProposeReport(ctx context.Context, a *command.App, t tokens.Token, machine, server string, document []byte) (made int, err error) {
	doc, err := wire.Decode(document)
	if err != nil {
		return 0, err
	}
	if doc.Format != wire.MCP || slices.ContainsFunc(doc.Items, func(it wire.Item) bool { return it.Format != wire.MCP }) {
		return 0, fmt.Errorf("%w: a report can contain only tools in the format of MCP", wire.ErrFormat)
	}
	if len(doc.Items) == 0 && len(doc.Skipped) > 0 {
		return 0, fmt.Errorf("%w: the reported tool %s", wire.ErrFormat, doc.Skipped[0].Reason)
	}
	by, origin := t.Caller.Actor, intake.Origin{Label: registry.ServerName(server), Server: true, Layer: a.Config.Layer}
	set := "reported_" + origin.Label
	if origin.Set, err = a.FreeSet(ctx, by, set[:min(len(set), maxSet)]); err != nil {
		return 0, err
	}
	steps, _, err := plan(ctx, a, doc, origin)
	if err != nil {
		return 0, err
	}
	if err := leaveOutPending(ctx, a, steps); err != nil {
		return 0, err
	}
	b, err := a.OpenSession(ctx)
	if err != nil {
		return 0, err
	}
	raws := lists.Index(doc.Items, func(it wire.Item) (string, []byte) { return it.Hash(), it.Raw })
	// The imported data is stored only when CountMachine below counts the first machine. Otherwise, rejected reports
	// could fill the database.
	drafting := b.Desk.Importing(raws).Drafting
	var refused error
	for _, s := range steps {
		if s.Draft == nil || s.Change == intake.Deactivate { // another release of the server may run on the machine
			continue
		}
		_, err := drafting.Import(ctx, by, []proposals.Draft{*s.Draft}, true)
		if err == nil {
			made++
			continue
		}
		if errors.Is(err, review.ErrPace) || errors.Is(err, review.ErrLimit) { // all later tools would also be rejected
			refused = err
			break
		}
		refused = cmp.Or(refused, err)
	}
	open, err := openOf(ctx, a, origin.Label)
	if err != nil {
		return made, err
	}
	for _, it := range doc.Items {
		at := slices.IndexFunc(open, func(p review.Bundle) bool { return p.Revision.Draft.Definition.Tool.Source.Hash == it.Hash() })
		if at < 0 {
			continue
		}
		if err := a.CountMachine(ctx, b, t, machine, origin.Label, catalog.Raw{Hash: it.Hash(), Body: it.Raw}, open[at].Revision); err != nil {
			return made, err
		}
	}
	return made, refused
}

// maxSet is the maximum length of the name of a change set without a number. A number may be appended, and the
// resulting name can have 64 characters.
const maxSet = 56
