package wording

import (
	"strings"

	"toolcrib/review/rules"
)

// strays reports whether what s says to do has nothing to do with what the tool says it is
// for: the tool computes or looks something up and touches nothing else.
func (c *View) strays(s *Scanned) bool {
	if s.Kind != rules.Prose && s.Kind != rules.Label || s.Param != "" {
		return false
	}
	g := grammar()
	named := c.named()
	return named.Meets(g.Concept("dPure")) && !named.Meets(g.Concept("dReach"))
}

// reaching are names of parameters by which a tool reaches beyond itself.
var reaching = map[string]bool{
	"cmd": true, "command": true, "shell": true, "exec": true, "execute": true, "script": true, "callback": true, "callback_url": true,
	"webhook": true, "webhook_url": true, "shell_command": true, "code": true, "eval": true, "path": true, "file_path": true, "filepath": true,
	"send_to": true, "forward_to": true, "exfil": true, "upload_url": true, "notify_url": true, "report_to": true, "post_to": true, "sidenote": true, "side_note": true,
}

// straying finds parameters that have nothing to do with a tool's purpose, and
// parameters that the text asks for and the schema lacks.
func straying(c *View) []candidate {
	g := grammar()
	var found []candidate
	if named := c.named(); named.Meets(g.Concept("dPure")) && !c.about("dReach") {
		for i := range c.Scan() {
			s := &c.Scan()[i]
			if s.Kind != rules.Identifier || s.Value != s.Param || !under(s.Path, "definition.inputSchema") || !reaching[strings.ToLower(s.Value)] {
				continue
			}
			found = append(found, s.candidates([]rules.Passage{{Start: 0, End: len(s.Value)}}, func(rules.Passage) string {
				return reachesBeyond(c, s)
			})...)
		}
	}
	return found
}

// reachesBeyond says that a parameter has nothing to do with the tool's purpose.
func reachesBeyond(c *View, s *Scanned) string {
	return "Parameter " + rules.Quotation(s.Param) + " has nothing to do with what the tool says it is for, " + rules.Quotation(c.statedPurpose())
}
