// This file implements the command "policy test", which shows the approvals that the policy requires for a subject.

package config

import (
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review/approval"
)

type docPolicyRule struct {
	Subjects  []string `json:"subjects"`
	Owners    []string `json:"owners"`
	Approvals int      `json:"approvals"`
	Since     string   `json:"since,omitempty"`
	Until     string   `json:"until,omitempty"`
	Place     string   `json:"place"` // file and line of the rule
	From      string   `json:"from"`  // system, user or project
}

type docPolicyTest struct {
	output.Head
	Subject    string          `json:"subject"`
	Required   int             `json:"required"`    // number of required approvals by different users
	MayApprove []string        `json:"may_approve"` // users who can approve; empty means any user
	MayWaive   []string        `json:"may_waive"`   // users who can waive findings; empty means any user
	FourEyes   bool            `json:"four_eyes"`   // whether approvals by the author of a revision are ignored
	Rules      []docPolicyRule `json:"rules"`       // rules that currently apply to the subject; all must be satisfied
	Actor      string          `json:"actor"`
	YouApprove bool            `json:"you_approve"` // whether the actor's approval counts
}

func newPolicy(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "policy",
		Args: command.OnlySubcommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPolicyTest(a))
	return cmd
}

func newPolicyTest(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "test SUBJECT",
		Args: command.ExactArgs(1, "a subject such as tool:user/scene_pacer"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Settings()
			if err != nil {
				return err
			}
			actor, err := a.Actor()
			if err != nil {
				return err
			}
			subject, err := a.Subject(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			now := a.Env.Now()
			need := c.Approvals().For(subject, now)
			doc := docPolicyTest{
				Head: output.NewHead("policy.test"), Subject: subject.String(), Required: need.Tally(nil, "").Required(), FourEyes: c.FourEyes, Rules: []docPolicyRule{},
				MayApprove: append([]string{}, need.Owners()...), MayWaive: append([]string{}, need.Waivers()...),
				Actor: actor.String(), YouApprove: actor.Kind == proposals.User && need.MayApprove(actor.String()),
			}
			for _, r := range c.PolicyRules {
				if len(approval.Rules{r.Rule}.For(subject, now)) == 0 {
					continue
				}
				if a.Remote != nil {
					r.Place = "the server" // do not reveal the path of the server's file
				}
				doc.Rules = append(doc.Rules, docPolicyRule{
					Subjects: lists.Map(r.Subjects, approval.Pattern.String), Owners: r.Owners, Approvals: r.Approvals, Place: r.Place, From: r.From,
					Since: output.EntryTime(r.Since), Until: output.EntryTime(r.Until),
				})
			}
			return a.Print(doc, func(p *output.Page) {
				if len(doc.Rules) == 0 {
					p.Linef("No entry of the policy applies to %s: the approval of any user makes a change live.", doc.Subject)
				} else {
					p.Linef("A change of %s needs %s to satisfy each of these entries:", doc.Subject, output.Counted(doc.Required, "approval"))
					p.List([]string{"APPROVALS", "OWNERS", "SUBJECTS", "FROM", "LIMITS"}, lists.Map(doc.Rules, func(r docPolicyRule) []string {
						var limits []string
						if r.Since != "" {
							limits = append(limits, "from "+r.Since)
						}
						if r.Until != "" {
							limits = append(limits, "until "+r.Until)
						}
						return []string{output.Itoa(r.Approvals), strings.Join(r.Owners, " "), strings.Join(r.Subjects, " "), r.Place, strings.Join(limits, ", ")}
					}))
					p.Linef("may approve  %s", strings.Join(doc.MayApprove, ", "))
					p.Linef("may waive    %s", strings.Join(doc.MayWaive, ", "))
				}
				if doc.FourEyes {
					p.Linef("four_eyes    approvals by the author of a revision do not count")
				}
				yours := "does not count"
				if doc.YouApprove {
					yours = "counts"
				}
				p.Linef("you are      %s; your approval %s", doc.Actor, yours)
			})
		},
	}
}
