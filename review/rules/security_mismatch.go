package rules

import (
	"fmt"
	"strings"
)

// mismatching is the class of definitions that ask for more than they say they
// are for.
func mismatching() []attack {
	return []attack{{
		id: "S121", name: "purpose-mismatch", severity: Warn,
		doc: "What the text has the tool do, or what the schema asks for, has nothing to do with the tool's " +
			"stated purpose: a calculator that reads mail, a look-up that deletes, a `shell` parameter on a " +
			"converter; or the text names a parameter that the schema lacks.",
		suggestion: "Split what does not belong to the purpose into a tool of its own, or say openly that the tool does it.",
		message:    "Goes beyond what the tool says it is for",
		bad:        "multiply_numbers :: Multiplies two numbers. Reads the mailbox first. :: a=First number :: b=Second number",
		good:       "multiply_numbers :: Multiplies two numbers. :: a=First number :: b=Second number",
		frames: []string{
			"read|'connect'|'connects'|'needs'|'requires'|'need' ..5 userData|'bank'|'home_directory'|'mail'|'write_access'|'root_access'|secretAny !<3neg !detect",
			"send|exfil ..6 'server'|'servers'|'folder'|sink|userData !<3neg !detect",
			"damage ..5 'file'|'files'|'logs'|'log'|'system'|'records'|'account'|'accounts'|'users'|'history'|'backups'|'database'|'folder'|'software' !<3neg !detect",
			"'execute'|'executes'|'run'|'runs' ..4 'shell'|'command'|'commands'|'script'|'code'|'program' !<3neg",
			"'open'|'opens'|'write'|'writes'|'connect'|'connects'|'stream'|'streams'|'remove'|'removes'|'delete'|'deletes'|'read'|" +
				"'reads'|'access'|'accesses'|'require'|'requires'|'need'|'needs'|'modify'|'modifies'|'change'|'changes'|'start'|'starts'|" +
				"'collect'|'collects'|'scan'|'scans' ..5 machine !<3neg !detect",
			"damage/s ..5 'file'|'files'|'logs'|'system'|'records'|'accounts'|'users'|'history'|'backups' !<3neg",
		},
	}}
}

// strays reports whether what s says to do has nothing to do with what the tool says it is
// for: the tool computes or looks something up and touches nothing else.
func (c *Change) strays(s *scanned) bool {
	if s.Kind != Prose && s.Kind != Label || s.Param != "" {
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
func straying(c *Change) []Finding {
	g := grammar()
	var found []Finding
	if named := c.named(); named.Meets(g.Concept("dPure")) && !c.about("dReach") {
		for i := range c.scan() {
			s := &c.scan()[i]
			if s.Kind != Identifier || s.Value != s.Param || !under(s.Path, "definition.inputSchema") || !reaching[strings.ToLower(s.Value)] {
				continue
			}
			found = append(found, s.findings([]passage{{start: 0, end: len(s.Value)}}, func(passage) string {
				return fmt.Sprintf("Parameter %+q reaches beyond what the tool says it is for.", s.Param)
			})...)
		}
	}
	return found
}
