// This file implements the POST /v1/reports and POST /v1/calls endpoints, for machines that follow the registry.

package serve

import (
	"errors"
	"net/http"
	"regexp"

	"toolcrib/gateway/follow"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// docReports is the body of reports.
type docReports struct {
	Reports []follow.Report `json:"reports"` // At most 100
}

// docReported is the response to reports.
type docReported struct {
	Proposals int          `json:"proposals"` // The number of new proposals; the others are already waiting
	Refused   []docRefused `json:"refused"`   // Reports that were not accepted completely
}

// docRefused is a report that was refused.
type docRefused struct {
	Index  int    `json:"index"`  // The index in the list of reports, from 0
	Reason string `json:"reason"` // The reason for the refusal of the report or of the first of its tools
	Later  bool   `json:"later"`  // The same report may be accepted later, such as after a decision
}

var validMachine = regexp.MustCompile(`^[0-9a-f]{32}$`)

// reports handles POST /v1/reports. It converts reports of followers to proposals.
func (s *Server) reports(q *request) error {
	if s.config.Report == nil {
		return problem(http.StatusNotFound, "not_found", "this server accepts no reports; start the server with toolcrib serve --bundle")
	}
	var in docReports
	ps, err := q.bind(&in, 8)
	if err != nil {
		return err
	}
	if len(in.Reports) > 100 {
		ps.Append(jsondoc.Problem{Path: "reports", Message: "expected at most 100 reports"})
	}
	if err := ps.Err(); err != nil {
		return err
	}
	out, err := s.propose(q, in.Reports)
	if err != nil {
		return err
	}
	return answer(q.w, out)
}

// propose converts reports to proposals. If a report is refused, the other reports are still processed. Requests are
// processed one after another, because several reports of the same tool must become a single proposal. propose returns
// before the response is written, so a slow client does not delay other requests.
func (s *Server) propose(q *request, reports []follow.Report) (out docReported, err error) {
	s.reporting.Lock()
	defer s.reporting.Unlock()
	out.Refused = []docRefused{}
	for i, r := range reports {
		made, err := 0, problem(http.StatusBadRequest, "usage", "a report must have a machine (32 lower-case hexadecimal digits), a server or a kind, and a document")
		if (registry.ServerName(r.Server) != "" || r.Server == "" && r.Kind != "") && validMachine.MatchString(r.Machine) && r.Document != nil {
			made, err = s.config.Report(q.r.Context(), q.token, r)
		}
		if ended := q.r.Context().Err(); ended != nil {
			return out, ended
		}
		out.Proposals += made
		if err != nil {
			refused := s.answerTo(q.r.Context(), err)
			out.Refused = append(out.Refused, docRefused{i, refused.fault.Message, refused.status >= http.StatusTooManyRequests})
		}
	}
	return out, nil
}

// docReceivedCalls is the response to lines of a call log.
type docReceivedCalls struct {
	Lines int `json:"lines"` // The number of lines in the request
}

// receiveCalls handles POST /v1/calls. It stores lines of the call log of a follower.
func (s *Server) receiveCalls(q *request) error {
	if s.config.Calls == nil {
		return problem(http.StatusNotFound, "not_found", "this server does not store calls of other machines; start the server with toolcrib serve --bundle")
	}
	var in follow.CallLines
	ps, err := q.bind(&in, 0)
	if err != nil {
		return err
	}
	if !validMachine.MatchString(in.Machine) {
		ps.Append(jsondoc.Problem{Path: "machine", Message: "expected 32 lower-case hexadecimal digits"})
	}
	if err := ps.Err(); err != nil {
		return err
	}
	if err := s.config.Calls(q.r.Context(), q.token, in); errors.Is(err, follow.ErrChain) {
		return problem(http.StatusConflict, "conflict", err.Error())
	} else if err != nil {
		return err
	}
	return answer(q.w, docReceivedCalls{len(in.Lines)})
}
