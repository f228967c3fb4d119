package serve

import (
	_ "embed"
)

//go:embed openapi.json
var openapiJSON []byte

// openapi is GET /openapi.json.
func (s *Server) openapi(q *request) error {
	write(q.w, 200, openapiJSON)
	return nil
}

// healthy is GET /healthz: the process answers.
func (s *Server) healthy(q *request) error { return answer(q.w, map[string]string{"status": "ok"}) }

// ready is GET /readyz: the database can be read.
func (s *Server) ready(q *request) error {
	if err := s.head(q); err != nil {
		return err
	}
	return answer(q.w, map[string]string{"status": "ok"})
}
