// This file implements shell completion for arguments and flags.

package cli

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/proposal"
	"toolcrib/gateway"
	"toolcrib/gateway/clients"
	"toolcrib/gateway/mcp"
	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/store/catalog"
)

// A candidates function returns possible completions for a prefix. The result may contain completions that do not start
// with the prefix.
type candidates func(ctx context.Context, a *command.App, prefix string) ([]cobra.Completion, error)

// maxCandidates is the maximum number of completions. A longer list would not help users to choose.
const maxCandidates = 200

// complete registers shell completions for arguments and flags. Completions are ids from an existing database, names
// from the configuration, and fixed words. Completion never creates or changes the database.
func complete(a *command.App, root *cobra.Command) {
	arguments := map[string]candidates{}
	for names, from := range map[string]candidates{
		"approve,needs-changes,reject,withdraw,comment,waive,unwaive,revise,submit,rebase,show,diff,review,preview,regroup": openProposals,
		"tools,exec,assign,fork,policy test":    ofKind(registry.KindTool),
		"agents":                                ofKind(registry.KindAgent),
		"lists":                                 ofKind(registry.KindList),
		"history,blame,rollback":                toolsAndFiles,
		"restore":                               fileSubjects,
		"rules":                                 ruleIDs,
		"wrap,unwrap":                           clientIDs,
		"watch":                                 servers,
		"calls show,calls approve,calls refuse": pendingCalls,
	} {
		for name := range strings.SplitSeq(names, ",") {
			arguments[name] = from
		}
	}
	flags := map[string]candidates{
		"agent": ofKind(registry.KindAgent), "channel": words(prompt.Channels(registry.Agent{})...), "state": words(proposal.StateNames()...), "server": servers, "client": clientIDs,
		"expose": words(string(mcp.ExposeTools), string(mcp.ExposeMeta), string(mcp.ExposeBoth)), "format": words("text", "json", "sarif", "github"),
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
		if from, ok := arguments[name]; ok {
			c.ValidArgsFunction = from.offer(a)
		}
		for flag, from := range flags {
			if flag == "format" && name == "export" {
				from = words("toolcrib", "v0", "openai", "anthropic", "mcp", "lock", "bundle")
			}
			if c.Flags().Lookup(flag) != nil { // inherited flags are not yet in c.Flags, because cobra adds them during parsing
				_ = c.RegisterFlagCompletionFunc(flag, from.offer(a)) // fails if the flag already has a completion
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// offer converts c to a completion function of cobra. The function removes completions that do not start with the
// prefix. If c returns an error, the function returns no completions, because a shell does not display errors.
func (c candidates) offer(a *command.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		all, err := c(cmd.Context(), a, prefix)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var fit []cobra.Completion
		for _, one := range all {
			if strings.HasPrefix(one, prefix) && len(fit) < maxCandidates {
				fit = append(fit, one)
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// described returns a completion word with its description. It makes the description safe to display in a shell.
func described(word, description string) cobra.Completion {
	return cobra.CompletionWithDesc(word, strings.ReplaceAll(visible.Line(description), "\t", " "))
}

func words(all ...string) candidates {
	return func(context.Context, *command.App, string) ([]cobra.Completion, error) { return all, nil }
}

// openProposals returns the numbers of open proposals or, if the user has started to type an id, their ids.
func openProposals(ctx context.Context, a *command.App, prefix string) ([]cobra.Completion, error) {
	if _, err := a.Inspected(ctx); err != nil {
		return nil, err
	}
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return nil, err
	}
	page, err := desk.Reading.List(ctx, review.Query{Limit: review.MaxPage})
	var all []cobra.Completion
	for _, p := range page.Proposals {
		if !p.State.Open() {
			continue
		}
		word := string(p.ID)
		if _, err := strconv.Atoi(prefix); p.Issue > 0 && (prefix == "" || err == nil && !strings.HasPrefix(word, prefix)) {
			word = strconv.Itoa(p.Issue)
		}
		all = append(all, described(word, string(p.State)+" "+p.Subject.String()+": "+p.Title))
	}
	return all, err
}

// ofKind returns a function that returns the ids of the live definitions of the given kind.
func ofKind(kind registry.Kind) candidates {
	return func(ctx context.Context, a *command.App, prefix string) ([]cobra.Completion, error) {
		db, err := a.Inspected(ctx)
		if err != nil {
			return nil, err
		}
		page, err := db.Catalog(ctx, catalog.Query{Kind: kind, View: a.Config.Layer.View(), Filter: prefix, Limit: review.MaxPage})
		return lists.Map(page.Entries, func(e catalog.Entry) cobra.Completion { return described(e.Subject.ID, e.Name) }), err
	}
}

// toolsAndFiles returns the ids of live tools, and the subjects of live skills and instructions.
func toolsAndFiles(ctx context.Context, a *command.App, prefix string) ([]cobra.Completion, error) {
	tools, err := ofKind(registry.KindTool)(ctx, a, prefix)
	if err != nil {
		return nil, err
	}
	files, err := fileSubjects(ctx, a, prefix)
	return append(tools, files...), err
}

// fileSubjects returns the subjects of live skills and instructions, in all layers.
func fileSubjects(ctx context.Context, a *command.App, _ string) ([]cobra.Completion, error) {
	db, err := a.Inspected(ctx)
	if err != nil {
		return nil, err
	}
	var offered []cobra.Completion
	for _, kind := range []registry.Kind{registry.KindSkill, registry.KindInstructions} {
		page, err := db.Catalog(ctx, catalog.Query{Kind: kind, All: true, Limit: review.MaxPage})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			offered = append(offered, described(e.Subject.String(), e.Name))
		}
	}
	return offered, nil
}

func pendingCalls(ctx context.Context, a *command.App, _ string) ([]cobra.Completion, error) {
	if _, err := a.Inspected(ctx); err != nil {
		return nil, err
	}
	waiting, err := command.ReadView(ctx, a.DB.Calls().View, func(r gateway.LedgerReader) ([]gateway.Pending, error) {
		return r.PendingList(ctx, gateway.PendingQuery{Waiting: true, Limit: maxCandidates, Now: a.Env.Now()})
	})
	return lists.Map(waiting, func(p gateway.Pending) cobra.Completion {
		return described(p.ID, p.Tool.String()+" for "+p.Caller.User)
	}), err
}

func ruleIDs(context.Context, *command.App, string) ([]cobra.Completion, error) {
	return lists.Map(ruleset.All(), func(r rules.Rule) cobra.Completion { return described(r.ID, r.Name) }), nil
}

func clientIDs(context.Context, *command.App, string) ([]cobra.Completion, error) {
	return lists.Map(clients.All(), func(c clients.Client) cobra.Completion { return described(c.ID, c.Name) }), nil
}

func servers(_ context.Context, a *command.App, _ string) ([]cobra.Completion, error) {
	c, err := a.Settings()
	return slices.Collect(maps.Keys(c.Servers)), err
}
