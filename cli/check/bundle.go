// This file implements the check command with the --bundle flag.

package check

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/report"
	"toolcrib/internal/lists"
	"toolcrib/review/bundle"
	"toolcrib/signing/signers"
)

// bundleFlags contains the flags of the check command that select a bundle and the signers to trust.
type bundleFlags struct {
	file, signers, database string
	allowUnsigned           bool
}

// read reads the bundle and the signers file, and checks the bundle against both the signers and the approval policy.
func (f bundleFlags) read(ctx context.Context, a *command.App) (bundle.Bundle, bundle.Result, error) {
	var trust bundle.Trust
	data, err := a.ReadAll(ctx, f.file)
	if err != nil {
		return bundle.Bundle{}, bundle.Result{}, err
	}
	b, err := bundle.Decode(data)
	if err != nil {
		return b, bundle.Result{}, fmt.Errorf("%s: %w", f.file, err)
	}
	if f.signers != "" {
		allowed, err := a.ReadAll(ctx, f.signers)
		if err != nil {
			return b, bundle.Result{}, err
		}
		if trust.Signers, err = signers.Parse(allowed); err != nil {
			return b, bundle.Result{}, fmt.Errorf("%s: %w", f.signers, err)
		}
	}
	trust.Database = f.database
	c, err := a.Settings()
	if err != nil {
		return b, bundle.Result{}, err
	}
	trust.Approvals = c.Approvals()
	r, err := b.Check(ctx, trust)
	if err != nil {
		return b, r, err
	}
	if f.allowUnsigned {
		r.Faults = slices.DeleteFunc(r.Faults, func(fault bundle.Fault) bool { return fault.Rule == bundle.Unsigned })
	} else if trust.Signers == nil {
		r.Faults = append(r.Faults, bundle.Fault{Rule: bundle.Unverified, Message: "the signatures were not verified, because no signers file was specified"})
	}
	return b, r, nil
}

// docBundle is the document that check --bundle prints.
type docBundle struct {
	report.Findings
	Bundle docBundleProof `json:"bundle"`
}

type docBundleProof struct {
	Database  string   `json:"database"`
	Events    int64    `json:"events"`
	Shipped   int      `json:"shipped"`
	Signed    int      `json:"signed"`
	Unsigned  int      `json:"unsigned"`
	Unchecked int      `json:"unchecked"`
	Earlier   int      `json:"earlier"`
	Proved    []string `json:"proved"`
	Unproved  []string `json:"unproved"`
}

// runCheckBundle checks a bundle and prints its faults, the claims that the bundle proves, and the claims that it does
// not prove.
func runCheckBundle(ctx context.Context, a *command.App, f checkFlags) error {
	b, r, err := f.bundle.read(ctx, a)
	if err != nil {
		return err
	}
	list := lists.Map(r.Faults, func(fault bundle.Fault) findings.Finding {
		rule := bundle.Rules()[slices.IndexFunc(bundle.Rules(), func(rule bundle.Rule) bool { return rule.ID == fault.Rule })]
		return findings.Finding{
			Rule: rule.ID, Name: rule.Name, Severity: "block", File: f.bundle.file, Subject: fault.Subject, Message: output.FullStop(fault.Message), Suggestion: rule.Suggestion,
		}
	})
	proof := docBundleProof{
		Database: b.Database, Events: b.Log.Seq, Shipped: r.Shipped, Signed: r.Signed, Unsigned: r.Unsigned, Unchecked: r.Unchecked, Earlier: r.Earlier,
		Proved: []string{}, Unproved: []string{},
	}
	if r.Signed > 0 {
		proof.Proved = append(proof.Proved, fmt.Sprintf("%s, including earlier versions, approved by signers in %s", output.Counted(r.Signed, "live definition"), f.bundle.signers))
	}
	if r.Shipped > 0 {
		proof.Proved = append(proof.Proved, fmt.Sprintf("%s shipped with this version of toolcrib", output.Counted(r.Shipped, "live definition")))
	}
	if n := r.Unsigned + r.Unchecked; n > 0 {
		proof.Unproved = append(proof.Unproved, fmt.Sprintf("who approved %s: only the hashes match, and anyone can compute hashes", output.Counted(n, "live definition")))
	}
	if f.bundle.database == "" {
		proof.Unproved = append(proof.Unproved, fmt.Sprintf("the source: the bundle claims to be from the database %s; to verify this, add --database", b.Database))
	}
	proof.Unproved = append(proof.Unproved, bundle.Unproved()...)
	doc := docBundle{report.New(len(list) == 0, list), proof}
	run := findings.Run{Command: "check", Page: "docs/ci.md", Found: list, Rules: lists.Map(bundle.Rules(), func(r bundle.Rule) findings.Rule {
		return findings.Rule{ID: r.ID, Name: r.Name, Severity: "block", Doc: r.Doc, Suggestion: r.Suggestion}
	})}
	if f.format == "github" || f.format == "sarif" { // these formats contain only findings
		for _, line := range doc.Bundle.Unproved {
			a.Note("not proved  %s", line)
		}
	}
	return report.Print(a, f.format, doc.OK, doc, run, func() string {
		p := &output.Page{Colour: a.Colour()}
		for _, line := range doc.Bundle.Proved {
			p.Linef("proved      %s", line)
		}
		for _, line := range doc.Bundle.Unproved {
			p.Linef("not proved  %s", line)
		}
		return p.Buf.String() + findings.Text(list)
	})
}
