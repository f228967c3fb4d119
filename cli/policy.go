package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
	"toolcrib/review/approval"
)

type docPolicyRule struct {
	Subjects  []string `json:"subjects"`
	Owners    []string `json:"owners"`
	Approvals int      `json:"approvals"`
	Since     string   `json:"since,omitempty"`
	Until     string   `json:"until,omitempty"`
	Place     string   `json:"place"` // file and line
	From      string   `json:"from"`  // system, user or project
}

type docPolicyList struct {
	docHead
	FourEyes bool            `json:"four_eyes"`
	Rules    []docPolicyRule `json:"rules"`
	Problems []string        `json:"problems"`
}

type docPolicyTest struct {
	docHead
	Subject    string          `json:"subject"`
	Required   int             `json:"required"`    // approvals, by distinct users
	MayApprove []string        `json:"may_approve"` // empty for any user
	MayWaive   []string        `json:"may_waive"`   // empty for any user
	FourEyes   bool            `json:"four_eyes"`   // the author of a revision is not counted
	Rules      []docPolicyRule `json:"rules"`       // that apply now, all of which have to be satisfied
	Actor      string          `json:"actor"`
	YouApprove bool            `json:"you_approve"` // the actor's approval can count
}

func newPolicy(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Show who approves what",
		Long: `Show the [[policy]] entries of your configuration and of the system's: who owns
which subjects, and how many owners have to approve a change before it goes live.
All entries that match a subject apply, so one more entry never makes an approval
easier. docs/teams.md has the settings.`,
		Example: `  toolcrib policy list
  toolcrib policy test tool:project/novel/scene_pacer`,
		Args: exact(0, "a subcommand: list or test"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPolicyList(a), newPolicyTest(a))
	return cmd
}

func newPolicyList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the entries of the policy",
		Long: `List the [[policy]] entries in force, each with its file and line.
No database is needed. Exit status 6: an entry cannot be satisfied.`,
		Example: `  toolcrib policy list
  toolcrib policy list --json`,
		RunE: func(*cobra.Command, []string) error { return runPolicyList(a) },
	}
}

func newPolicyTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test SUBJECT",
		Short: "Explain whose approvals a subject needs",
		Long: `Explain which [[policy]] entries apply to a subject now, who may approve a change
of it and waive its findings, how many approvals it needs, and whether yours
counts (--as USER for somebody else's). The subject need not exist.`,
		Example: `  toolcrib policy test tool:project/novel/scene_pacer
  toolcrib policy test agent:global/assistant --as user:ada`,
		Args: exact(1, "a subject such as tool:user/scene_pacer"),
		RunE: func(cmd *cobra.Command, args []string) error { return runPolicyTest(cmd.Context(), a, args[0]) },
	}
}

// newDocPolicyRule describes an entry. Through a door, the place of the server's file
// stays on the server.
func (a *app) newDocPolicyRule(r policyRule) docPolicyRule {
	doc := docPolicyRule{
		Subjects: mapped(r.Subjects, approval.Pattern.String), Owners: r.Owners, Approvals: r.Approvals, Place: r.place, From: r.From, Since: entryTime(r.Since), Until: entryTime(r.Until),
	}
	if a.remote != nil {
		doc.Place = "the server"
	}
	return doc
}

func runPolicyList(a *app) error {
	c, err := a.settings()
	if err != nil {
		return err
	}
	doc := docPolicyList{docHead: head("policy.list"), FourEyes: c.FourEyes, Rules: mapped(c.rules, func(r policyRule) docPolicyRule { return a.newDocPolicyRule(r) }), Problems: append([]string{}, c.policyProblems(a.env.Now())...)}
	return a.printChecked(doc, len(doc.Problems) == 0, func(p *page) { doc.write(p, c) })
}

func (doc docPolicyList) write(p *page, c config) {
	if len(doc.Rules) == 0 {
		p.linef("No policy: the approval of any user makes a proposal live. Write [[policy]] in %s.", c.userFile)
		return
	}
	writePolicyRules(p, doc.Rules)
	if doc.FourEyes {
		p.linef("four_eyes: the author of a revision is not counted")
	}
	for _, problem := range doc.Problems {
		p.raw(p.paint(inkBad, "problem") + "   " + safe(problem))
	}
}

func writePolicyRules(p *page, list []docPolicyRule) {
	p.list([]string{"APPROVALS", "OWNERS", "SUBJECTS", "FROM", "LIMITS"}, mapped(list, func(r docPolicyRule) []string {
		var limits []string
		if r.Since != "" {
			limits = append(limits, "from "+r.Since)
		}
		if r.Until != "" {
			limits = append(limits, "until "+r.Until)
		}
		return []string{itoa(r.Approvals), strings.Join(r.Owners, " "), strings.Join(r.Subjects, " "), r.Place, strings.Join(limits, ", ")}
	}))
}

func runPolicyTest(ctx context.Context, a *app, ref string) error {
	c, err := a.settings()
	if err != nil {
		return err
	}
	actor, err := a.actor()
	if err != nil {
		return err
	}
	subject, err := a.subject(ctx, ref)
	if err != nil {
		return err
	}
	now := a.env.Now()
	need := c.approvals().For(subject, now)
	doc := docPolicyTest{
		docHead: head("policy.test"), Subject: subject.String(), Required: need.Tally(nil, "").Required(), FourEyes: c.FourEyes, Rules: []docPolicyRule{},
		MayApprove: append([]string{}, need.Owners()...), MayWaive: append([]string{}, need.Waivers()...),
		Actor: actor.String(), YouApprove: actor.Kind == proposals.User && need.MayApprove(actor.String()),
	}
	for _, r := range c.rules {
		if len(approval.Rules{r.Rule}.For(subject, now)) > 0 {
			doc.Rules = append(doc.Rules, a.newDocPolicyRule(r))
		}
	}
	return a.print(doc, doc.write)
}

func (doc docPolicyTest) write(p *page) {
	if len(doc.Rules) == 0 {
		p.linef("No entry of the policy applies to %s: the approval of any user makes a change live.", doc.Subject)
	} else {
		p.linef("A change of %s needs %s, so that each of these is satisfied:", doc.Subject, counted(doc.Required, "approval"))
		writePolicyRules(p, doc.Rules)
		p.linef("may approve  %s", strings.Join(doc.MayApprove, ", "))
		p.linef("may waive    %s", strings.Join(doc.MayWaive, ", "))
	}
	if doc.FourEyes {
		p.linef("four_eyes    the author of a revision is not counted")
	}
	yours := "does not count"
	if doc.YouApprove {
		yours = "counts"
	}
	p.linef("you are      %s, whose approval %s", doc.Actor, yours)
}
