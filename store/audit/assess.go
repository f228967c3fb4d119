package audit

import "bytes"

func (a *Audit) visitAssessment(p *plan) visit {
	proposalAt, revisionAt, recommendationAt, reportAt := p.at("proposal"), p.at("revision"), p.at("recommendation"), p.at("report")
	return func(w *worker, r *row, f *fact) error {
		who := a.queue.find(w.hash(r.text(proposalAt)))
		if who < 0 || a.queue.proposals[who].revision != r.int(revisionAt) {
			return nil
		}
		f.who = who
		f.summary = summary{recommendation: w.hash(r.text(recommendationAt)), worst: w.hash(nil)}
		return w.count(r.text(reportAt), &f.summary)
	}
}

// count counts the findings of a report. Most have none; within a string the
// quotes of what is looked for would be escaped.
func (w *worker) count(report []byte, s *summary) error {
	if bytes.Contains(report, []byte(`"findings":[]`)) {
		return nil
	}
	const other = 3
	least := other + 1
	return members(report, func(key, value []byte) error {
		if string(key) != "findings" {
			return nil
		}
		return elements(value, func(finding []byte) error {
			severity, err := within(finding, "severity")
			rank := other
			switch string(severity) {
			case "block":
				rank = 1
				s.blocks++
			case "warn":
				rank = 2
			}
			s.findings++
			if rank < least {
				least, s.worst = rank, w.hash(severity)
			}
			return err
		})
	})
}

func (a *Audit) settleAssessment(f *fact) error {
	if f.who >= 0 {
		a.queue.proposals[f.who].assessed = f.summary
	}
	return nil
}

func (a *Audit) visitDecision(p *plan) visit {
	verdictAt, subjectAt, versionAt, versionHashAt := p.at("verdict"), p.at("subject"), p.at("version"), p.at("version_hash")
	proposalAt, decidedByAt, revisionAt, contentHashAt := p.at("proposal"), p.at("decided_by"), p.at("revision"), p.at("content_hash")
	return func(w *worker, r *row, f *fact) error {
		if string(r.text(verdictAt)) != "approved" {
			return nil
		}
		f.yes = true
		f.key = w.approval(r.text(subjectAt), r.int(versionAt), r.text(versionHashAt), r.text(proposalAt), r.text(decidedByAt))
		who := a.queue.find(w.hash(r.text(proposalAt)))
		if who < 0 {
			return nil
		}
		of := &a.queue.proposals[who]
		if of.revision == r.int(revisionAt) && of.content == w.hash(r.text(contentHashAt)) {
			f.who = who
		}
		return nil
	}
}

func (a *Audit) settleDecision(f *fact) error {
	if !f.yes {
		return nil
	}
	a.log.agreed = append(a.log.agreed, f.key)
	if f.who >= 0 {
		a.queue.proposals[f.who].approved = true
	}
	return nil
}

func (a *Audit) visitWaiver(p *plan) visit {
	proposalAt := p.at("proposal")
	return func(w *worker, r *row, f *fact) error {
		f.who = a.queue.find(w.hash(r.text(proposalAt)))
		return nil
	}
}

func (a *Audit) settleWaiver(f *fact) error {
	if f.who >= 0 {
		a.queue.proposals[f.who].waived = true
	}
	return nil
}
