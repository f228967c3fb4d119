package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
)

// dryRuns lists the commands that support --dry-run, with the flags that cannot be combined with it. A dry run does not
// write, delete, trust, start, or send anything. Commands that are not listed are rejected before they run. Listed
// commands only read, or use the review service and the database, which discard all writes, or check the flag
// themselves.
func dryRuns() map[string]string {
	return map[string]string{
		"": "", "help": "", "version": "", "schema": "", "rules": "", "config": "", "lint": "", "parse": "", "completion": "",
		"completion bash": "", "completion fish": "", "completion powershell": "", "completion zsh": "",
		"propose": "", "revise": "", "submit": "", "withdraw": "", "rebase": "source", "regroup": "", "fork": "", "assign": "", "rollback": "",
		"comment": "", "waive": "", "unwaive": "", "approve": "", "needs-changes": "", "reject": "", "canonicalize": "", "exclude": "",
		"import": "mcp mcp-url", "init": "", "wrap": "", "unwrap": "", "restore": "", "drift": "overwrite",
		"list": "", "show": "source", "diff": "", "review": "", "test": "live", "preview": "",
		"tools": "", "agents": "", "lists": "", "reach": "", "history": "", "blame": "", "log": "", "resolve": "", "files": "", "status": "",
		"export": "output", "check": "", "verify": "", "checkpoint prove": "", "checkpoint check": "",
		"policy": "", "policy list": "", "policy test": "", "tokens": "", "tokens list": "", "signers": "", "signers list": "", "signers verify": "",
		"calls": "", "calls list": "", "calls show": "", "calls log": "", "calls prune": "", "calls policy": "",
	}
}

// honorDryRun rejects --dry-run for commands and flags that do not support it.
func honorDryRun(a *command.App, root *cobra.Command) {
	before := root.PersistentPreRunE
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if a.Flags.DryRun {
			if err := checkDryRun(c); err != nil {
				return err
			}
			a.Form.NoPager = true // a pager is a program
		}
		if before != nil {
			return before(c, args)
		}
		return nil
	}
}

func checkDryRun(c *cobra.Command) error {
	name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
	flags, honors := dryRuns()[name]
	if !honors {
		return process.ErrNoDryRun(name)
	}
	if c == c.Root() && c.Flags().NArg() == 0 && !c.Flags().Changed("approve") && !c.Flags().Changed("version") {
		return process.ErrNoDryRun("the workbench")
	}
	for _, flag := range strings.Fields(flags) {
		if f := c.Flags().Lookup(flag); f.Changed && f.Value.String() != "-" { // "-" is standard output
			return process.ErrNoDryRun(name + " --" + flag)
		}
	}
	return nil
}
