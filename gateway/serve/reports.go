package serve

import (
	"encoding/json"
	"io"
	"net/http"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Report has the tools without an approval that a follower of the registry met.
type Report struct {
	Machine  string          `json:"machine"`  // A random name of the machine, 32 hexadecimal digits
	Server   string          `json:"server"`   // The name of an MCP server
	Document json.RawMessage `json:"document"` // Its tools without an approval, as the server lists them
}

// docReports is the body of reports.
type docReports struct {
	Reports []Report `json:"reports"` // At most 100
}

// docReported is the answer to reports.
type docReported struct {
	Proposals int `json:"proposals"` // How many were made; others wait already
}

const maxReports = 100

// reports is POST /v1/reports: what followers met becomes proposals.
func (s *Server) reports(q *request) error {
	if s.config.Report == nil {
		return problem(http.StatusNotFound, "not_found", "this server takes no reports; start it with toolcrib serve --bundle")
	}
	text, err := io.ReadAll(q.r.Body)
	if err != nil {
		return err
	}
	n, err := jsondoc.Parse(text, jsondoc.Limits{Bytes: maxBody, Depth: jsondoc.DefaultLimits.Depth})
	if err != nil {
		return err
	}
	var in docReports
	ps := jsondoc.Bind(n, jsondoc.Root, &in)
	if len(in.Reports) > maxReports {
		ps.Append(jsondoc.Problem{Path: "reports", Message: "more than 100"})
	}
	for _, r := range in.Reports {
		if registry.ServerName(r.Server) == "" || len(r.Machine) != 32 || r.Document == nil {
			ps.Append(jsondoc.Problem{Path: "reports", Message: "each one needs a machine of 32 digits, the name of a server, and a document"})
		}
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

// propose makes proposals of reports, one request at a time: reports of the same tool become one
// proposal. The lock is not held while the client reads the answer, for which the request gives
// its turn away.
func (s *Server) propose(q *request, reports []Report) (out docReported, err error) {
	s.reporting.Lock()
	defer s.reporting.Unlock()
	for _, r := range reports {
		made, err := s.config.Report(q.r.Context(), q.caller.Actor, r)
		if err != nil {
			return out, err
		}
		out.Proposals += made
	}
	return out, nil
}
