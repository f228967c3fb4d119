package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolcrib/registry/jsondoc"
)

// newcomers answers words of other programs that are not commands here with the command
// that does it.
func newcomers() map[string]string {
	const (
		again   = "toolcrib rollback SUBJECT VERSION, which proposes an earlier version again"
		waiting = "toolcrib list --state user_review"
		take    = "toolcrib withdraw ID for a proposal; a tool is taken out of use by a proposal of the type deactivate"
		propose = "toolcrib propose FILE"
		find    = "toolcrib tools --filter TEXT, or toolcrib list --filter TEXT for proposals"
		show    = "toolcrib show ID for a proposal, or toolcrib tools ID for a live tool"
		revise  = "toolcrib revise ID FILE for a proposal, or toolcrib propose FILE for a live tool"
		text    = "toolcrib lint FILE for files, or toolcrib check --code FILE for an application"
		ask     = "toolcrib config, which prints the settings and where they are set"
		copies  = "toolcrib backup FILE; a copy is used in place of the database, with --db FILE"
		execute = "toolcrib exec TOOL --agent ID"
		start   = "toolcrib init, and then toolcrib wrap"
		refuse  = "toolcrib reject ID for a proposal, or toolcrib calls refuse ID for a call"
	)
	return map[string]string{
		"pending": waiting, "inbox": waiting, "todo": waiting, "queue": waiting,
		"approved": "toolcrib tools, which lists what is live, or toolcrib list --state approved", "live": "toolcrib tools",
		"undo": again, "revert": again, "reset": again, "restore": copies, "recover": copies, "dump": copies,
		"remove": take, "rm": take, "delete": take, "del": take, "deactivate": take, "disable": take, "cancel": "toolcrib withdraw ID",
		"add": propose, "new": propose, "create": propose, "draft": propose + " --draft", "update": revise, "edit": revise, "modify": revise,
		"search": find, "find": find, "grep": find, "filter": find, "view": show, "cat": show, "get": show, "open": show, "describe": show, "info": show, "inspect": show,
		"scan": text, "validate": text, "audit-code": text, "lock": "toolcrib export --format lock --output toolcrib.lock, and toolcrib check --code FILE --lock toolcrib.lock to compare",
		"accept": "toolcrib approve ID", "merge": "toolcrib approve ID", "allow": "toolcrib approve ID", "yes": "toolcrib approve ID",
		"deny": refuse, "decline": refuse, "refuse": refuse, "no": refuse, "stop": "toolcrib unwrap, which takes the guard away from servers",
		"run": execute, "call": execute, "execute": execute, "invoke": execute, "setup": start, "install": start, "protect": start, "start": start,
		"uninstall": "toolcrib unwrap", "settings": ask, "configure": ask, "configuration": ask, "set": ask, "env": ask,
		"compare": "toolcrib diff ID, or toolcrib diff SUBJECT@1..2", "changes": "toolcrib diff ID", "versions": "toolcrib history SUBJECT", "events": "toolcrib log",
		"sync": "toolcrib import --server NAME, or toolcrib watch", "pull": "toolcrib import --server NAME", "fetch": "toolcrib import --server NAME", "refresh": "toolcrib import --server NAME",
		"prompt": "toolcrib preview --agent ID --channel NAME", "render": "toolcrib preview --agent ID --channel NAME", "ui": "toolcrib without a command", "tui": "toolcrib without a command",
		"login": "toolcrib tokens for applications; people act as their login, or with --as", "users": "toolcrib signers list", "keys": "toolcrib signers list", "stats": "toolcrib doctor", "skills": "toolcrib tools", "clients": "toolcrib status",
	}
}

// noCommand reports that there is no command of that name in root, and names the one
// that is meant: not one that only looks alike.
func noCommand(root *cobra.Command, name string) error {
	if meant, ok := newcomers()[name]; ok {
		return usagef("there is no command %q; write %s", name, meant)
	}
	var known []string
	for _, c := range root.Commands() {
		known = append(known, c.Name())
	}
	hint := ""
	if meant := jsondoc.Closest(name, known); meant != "" && meant[0] == name[0] && len(meant)-len(name) <= 1 && len(name)-len(meant) <= 1 {
		hint = fmt.Sprintf("; perhaps %s is meant", meant)
	}
	return usagef("there is no command %q%s; `toolcrib --help` lists them", name, hint)
}
