package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
)

type docImport struct {
	docHead
	File    string `json:"file"`
	Format  string `json:"format"`
	Label   string `json:"label"`
	RawHash string `json:"raw_hash"`
	// Definitions counts those that the document holds, skipped ones included.
	// Steps are more where some vanished.
	Definitions int             `json:"definitions"`
	Steps       []docImportStep `json:"steps"`
	Proposals   []docProposal   `json:"proposals"`
	Warnings    []string        `json:"warnings"`
	DryRun      bool            `json:"dry_run,omitempty"`
	// Capabilities are the capabilities that were declared to a live server.
	Capabilities json.RawMessage `json:"client_capabilities,omitempty"`
	// Configuration is the configuration that the tools of a live server need, when it
	// is not there: lines for the user's own file.
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
	// Missing describes what keeps a prompt a draft; UnknownKeys are those that the v0
	// format does not have. They are kept.
	Missing     string   `json:"missing,omitempty"`
	UnknownKeys []string `json:"unknown_keys,omitempty"`
}

// newDocImportSteps returns the documents of steps; made are the proposals of
// those that have a draft, in their order.
func newDocImportSteps(steps []intake.Step, made []proposals.Proposal) []docImportStep {
	docs := make([]docImportStep, len(steps))
	for i, s := range steps {
		docs[i] = docImportStep{Name: s.Name, Change: string(s.Change), Reason: s.Reason, RawHash: s.Hash, Subject: s.Subject.String(), Missing: s.Missing, UnknownKeys: s.Unknown}
		if s.Draft != nil {
			docs[i].Proposal = string(made[0].ID)
			made = made[1:]
		}
	}
	return docs
}

// document returns an import as the document for scripts.
func (t intaken) document(a *app) docImport {
	d := docImport{
		docHead: head("import"), File: t.file, Format: string(t.doc.Format), Label: t.origin.Label,
		Definitions: len(t.doc.Items) + len(t.doc.Entries) + len(t.doc.Skipped),
		RawHash:     registry.HashBytes(jsondoc.Canonical(t.doc.Node)), Steps: newDocImportSteps(t.steps, t.made),
		Proposals: newDocProposalList(t.made, "", false).Proposals, Warnings: append(notKept(t.doc), t.doc.Skipped...), DryRun: a.flags.dryRun,
	}
	if t.from != nil {
		d.Capabilities, d.Configuration = t.doc.Capabilities, t.missing(a)
	}
	return d
}

// missing returns the lines that a configuration lacks for the server's tools
// to run, "" for none.
func (t intaken) missing(a *app) string {
	if _, known := a.config.Servers[t.origin.Label]; known {
		return ""
	}
	return t.from.server.lines(t.origin.Label)
}

func (a *app) printImport(t intaken) error {
	counts := map[intake.Change]int{}
	for _, s := range t.steps {
		counts[s.Change]++
	}
	out := t.document(a)
	skipped := len(t.doc.Skipped) + counts[intake.Skip]
	return a.printChecked(out, skipped == 0, func(p *page) {
		for _, w := range notKept(t.doc) {
			p.linef("%s", w)
		}
		p.linef("%s: %s as %s, %s", t.file, counted(out.Definitions, "definition"), string(t.doc.Format), t.origin.Label)
		t.lines(p)
		for _, w := range t.doc.Skipped {
			p.linef("skipped: %s", w)
		}
		var parts []any
		for _, c := range []intake.Change{intake.New, intake.Modify, intake.Deactivate, intake.Reactivate, intake.None, intake.Pending, intake.Skip} {
			parts = append(parts, counts[c])
		}
		parts[len(parts)-1] = skipped
		p.linef("%d new, %d changed, %d vanished, %d back, %d unchanged, %d proposed before, %d skipped.", parts...)
		if out.Configuration != "" {
			p.blank()
			p.linef("For its approved tools to run, %s needs:", a.config.userFile)
			for line := range strings.Lines(out.Configuration) {
				p.linef("  %s", strings.TrimRight(line, "\n"))
			}
			if len(t.from.server.Command) > 0 {
				p.linef("It runs in your home folder then; dir = \"/FOLDER\" names another.")
			}
		}
		a.closing(p)
	})
}

// lines prints which tools were proposed, and which could not be.
func (t intaken) lines(p *page) {
	next := 0
	for _, s := range t.steps {
		switch {
		case s.Draft != nil:
			p.linef("%s", moved(t.made[next]))
			if s.Change == intake.Modify {
				p.linef("    changed: %s", s.Reason)
			}
			if s.Missing != "" {
				p.linef("    a draft until it is complete: %s", s.Missing)
			}
			if len(s.Unknown) > 0 {
				p.linef("    kept as they are, as the format does not have them: %s", strings.Join(s.Unknown, ", "))
			}
			next++
		case s.Change == intake.Skip:
			p.linef("skipped %s: %s", s.Name, s.Reason)
		}
	}
}

// notKept names the parts of a file that an export does not write again.
func notKept(doc wire.Document) []string {
	lines := []string{}
	for _, key := range doc.NotKept {
		lines = append(lines, fmt.Sprintf("not kept: the key %s of the file belongs to no prompt, and an export does not have it", jsondoc.Quote(key)))
	}
	return lines
}
