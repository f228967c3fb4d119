package cli_test

import (
	"slices"
	"strings"
	"unicode"
)

// forRunners is text that CI runners execute: both formats of GitHub, and those of Azure Pipelines and TeamCity.
// Scripts have it in their environment.
const forRunners = "::notice::a\n::stop-commands::zz\n \t\u3000::error file=main.go,line=1::b ##[error]c\n##[add-mask]d ##vso[task.complete result=Failed;]e ##teamcity[message text='f']"

// runnerCommands returns all commands that a runner would execute in the output. It follows actions/runner
// (src/Runner.Common/ActionCommand.cs, TryParseV2 and TryParse) and the agent of Azure Pipelines, which accepts
// "##vso[" anywhere in a line.
func runnerCommands(printed string) []string {
	var found []string
	for line := range strings.SplitSeq(strings.ReplaceAll(printed, "\r", "\n"), "\n") {
		if c, ok := commandV2(line); ok {
			found = append(found, c)
		}
		for _, prefix := range []string{"##[", "##vso[", "##teamcity["} {
			if c, ok := bracketCommand(line, prefix); ok {
				found = append(found, c)
			}
		}
	}
	return found
}

// commandV2 implements TryParseV2: "::name properties::data" after white space.
func commandV2(line string) (string, bool) {
	info, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::")
	if !ok {
		return "", false
	}
	info, _, ok = strings.Cut(info, "::")
	name, _, _ := strings.Cut(info, " ")
	return "::" + name, ok
}

// bracketCommand implements TryParse for GitHub's "##[" and for the prefixes of other runners.
func bracketCommand(line, prefix string) (string, bool) {
	_, info, ok := strings.Cut(line, prefix)
	if !ok {
		return "", false
	}
	info, _, ok = strings.Cut(info, "]")
	name, _, _ := strings.Cut(info, " ")
	return prefix + name, ok
}

// obeyed returns a foreign command in the output that a runner would execute, or "". Requested annotations are not
// foreign.
func obeyed(printed string, args []string) string {
	for _, c := range runnerCommands(printed) {
		if !slices.Contains(args, "github") || !slices.Contains([]string{"::error", "::warning", "::notice"}, c) {
			return c
		}
	}
	return ""
}
