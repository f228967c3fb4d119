// This file validates the opinion of an external reviewer and adds it to an assessment.

package assessing

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
)

// check returns an error that describes the first invalid part of o, or nil if o is valid. The error wraps
// review.ErrOpinion.
func check(o review.Opinion) error {
	if o.Recommendation != "" && !slices.Contains(proposals.Recommendations(), o.Recommendation) {
		return fmt.Errorf("%w: recommendation is %q; expected approve, needs_changes or reject", review.ErrOpinion, o.Recommendation)
	}
	if n := len(o.Findings); n > review.MaxOpinionFindings {
		return fmt.Errorf("%w: it has %d findings; the limit is %d", review.ErrOpinion, n, review.MaxOpinionFindings)
	}
	if n := len(o.Problems); n > review.MaxOpinionFindings {
		return fmt.Errorf("%w: it has %d problems; the limit is %d", review.ErrOpinion, n, review.MaxOpinionFindings)
	}
	if err := usable("comment", o.Comment, proposals.MaxComment); err != nil {
		return err
	}
	for i, f := range o.Findings {
		at := fmt.Sprintf("findings[%d].", i)
		switch {
		case f.Severity != rules.Info && f.Severity != rules.Warn && f.Severity != rules.Block:
			return fmt.Errorf("%w: %sseverity is %q; expected info, warn or block", review.ErrOpinion, at, f.Severity)
		case strings.TrimSpace(f.Message) == "":
			return fmt.Errorf("%w: %smessage is missing", review.ErrOpinion, at)
		case min(f.Line, f.Column, f.EndLine, f.EndColumn) < 0:
			return fmt.Errorf("%w: %sline is negative; lines and columns count from 1", review.ErrOpinion, at)
		}
		err := errors.Join(
			usable(at+"message", f.Message, review.MaxOpinionText), usable(at+"suggestion", f.Suggestion, review.MaxOpinionText),
			usable(at+"passage", f.Passage, review.MaxOpinionText), usable(at+"path", f.Path, review.MaxOpinionPath),
		)
		if err != nil {
			return err
		}
	}
	for i, problem := range o.Problems {
		if err := usable(fmt.Sprintf("problems[%d]", i), problem, review.MaxOpinionText); err != nil {
			return err
		}
	}
	return nil
}

var externalRule = regexp.MustCompile("^" + review.ExternalRule + "[0-9]{3}$")

// carried returns the findings of external reviewers in the earlier assessments of the same revision. A new assessment
// retains these findings and can add others.
func carried(earlier []review.Assessment) []rules.Finding {
	var findings []rules.Finding
	for _, a := range earlier {
		external := lists.Filter(a.Report.Findings, func(f rules.Finding) bool { return strings.HasPrefix(f.Rule, review.ExternalRule) })
		findings = append(findings, external...)
	}
	return findings
}

// advice returns the lowest recommendation for the same revision by external reviewers. It ignores the earlier
// recommendations of reviewer, because the new recommendation replaces them.
func advice(earlier []review.Assessment, reviewer proposals.Actor) proposals.Recommendation {
	last := lists.Index(earlier, func(a review.Assessment) (proposals.Actor, proposals.Recommendation) {
		return a.Reviewer, a.Report.Advice
	})
	delete(last, reviewer)
	var lowest proposals.Recommendation
	for _, r := range last {
		lowest = lowest.Lower(r)
	}
	return lowest
}

// addExternal adds the findings in external to findings. The rule ids of external findings begin with
// review.ExternalRule, so external findings cannot replace or imitate findings of the rules. Different external
// findings about the same passage get different ids, so a waiver applies to only one of these findings.
func addExternal(findings, external []rules.Finding) []rules.Finding {
	for _, f := range external {
		if !externalRule.MatchString(f.Rule) {
			f.Rule = review.ExternalRule + "001"
		}
		f.Path, f.Waivable = cmp.Or(f.Path, "$"), true
		for n := 1; slices.ContainsFunc(findings, func(g rules.Finding) bool {
			return review.FindingKey(f) == review.FindingKey(g) && f.Message != g.Message
		}); n++ {
			f.Rule = fmt.Sprintf("%s%03d", review.ExternalRule, n)
		}
		if !slices.Contains(findings, f) {
			findings = append(findings, f)
		}
	}
	return findings
}

// add adds opinion, an opinion of the reviewer with the given name, to o and returns the result. If err is not nil or
// the opinion is invalid, add adds a description of the failure instead, so the opinions of the other reviewers can
// still be stored. For the same reason, invalid bytes in the description are made printable.
func add(o review.Opinion, name string, opinion review.Opinion, err error) review.Opinion {
	if err == nil {
		err = check(opinion)
	}
	if err != nil {
		o.Problems = append(o.Problems, review.Shorten(visible.Text(fmt.Sprintf("%s: %v", name, err)), review.MaxOpinionText))
		return o
	}
	for _, f := range opinion.Findings {
		f.Message = review.Shorten(name+": "+f.Message, review.MaxOpinionText)
		o.Findings = append(o.Findings, f)
	}
	o.Recommendation = o.Recommendation.Lower(opinion.Recommendation)
	if opinion.Comment != "" {
		if o.Comment != "" {
			o.Comment += "\n\n"
		}
		o.Comment = review.Shorten(o.Comment+name+": "+opinion.Comment, proposals.MaxComment)
	}
	return o
}

// usable returns an error if text, which an external reviewer wrote, cannot be stored. label describes the text in the
// error message.
func usable(label, text string, limit int) error {
	if message := review.Unusable(text, limit); message != "" {
		return fmt.Errorf("%w: %s %s", review.ErrOpinion, label, message)
	}
	return nil
}
