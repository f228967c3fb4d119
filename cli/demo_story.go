package cli

import "strings"

// act is one part of the demonstration.
type act struct {
	title string
	text  string
	steps []step
}

// step is one command of an act.
type step struct {
	args []string
	exit int
	// expect names a proposal whose review digest the command is tied to with
	// --expect; "" for none.
	expect string
}

// ok is a step that succeeds. Words are separated by blanks; more holds words with
// blanks of their own.
func ok(words string, more ...string) step {
	return step{args: append(strings.Fields(words), more...)}
}

// ends makes a step end with another exit status.
func (s step) ends(exit int) step {
	s.exit = exit
	return s
}

// tied ties a step to what a proposal shows now.
func (s step) tied(ref string) step {
	s.expect = ref
	return s
}

// story is the demonstration: mara decides, ada writes, and three agents
// propose. Issues are numbered in the order of the submissions.
func story() []act {
	return []act{
		{
			"Proposed", "A user and two agents propose changes, from files of either form. Nothing is live yet.",
			[]step{
				ok("propose --as user:ada viewpoint_keeper.md research_notes.json search_gmail_off.md"),
				ok("propose --as agent:drafter word_counts.json chapter_summary.md quick_file_reader.md assistant_telegram.md"),
				ok("propose --as agent:importer set_project_comma.json style_memory.md delete_tasks_unasked.json"),
			},
		},
		{
			"Reviewed", "The Chief of Staff has looked at each: one is a core tool once more, one would turn the agent against its author, and a comma brings along what no screen shows.",
			[]step{
				ok("review #8"),
				ok("review #11"),
				ok("diff #10"),
			},
		},
		{
			"Refused", "Only the user decides, core tools are locked, an open block holds back its proposal and its whole change set, and unseen content is not approved.",
			[]step{
				ok("approve #6 --as agent:drafter").ends(exitRefused),
				ok("propose line_editor_override.md --as user:ada").ends(exitRefused),
				ok("approve #11 --as user:mara").ends(exitRefused),
				ok("approve set:research-notes --as user:mara").ends(exitRefused),
				ok("approve #1 --as user:mara --expect", strings.Repeat("0", 64)).ends(exitConflict),
			},
		},
		{
			"Decided", "Mara approves exactly what she looked at, sends one back, and rejects two for good.",
			[]step{
				ok("approve #1 --as user:mara").tied("#1"),
				ok("needs-changes #7 --as user:mara --note", "Which lines does it rest on? And what about a chapter that is not finished?"),
				ok("revise #7 chapter_summary_revised.md --as agent:drafter"),
				ok("revise #3 create_research_notes_revised.json --as user:ada"),
				ok("approve #7 set:research-notes #5 #6 #9 --as user:mara --note", "Agreed on Monday."),
				ok("reject #8 --as user:mara --note", "file_reader does this, and its strict form is the point of it."),
				ok("reject #11 --as user:mara --note", "It reads .env, sends drafts away and hides both from the author."),
				ok("propose style_memory.md --as agent:importer").ends(exitRefused),
				ok("needs-changes #10 --as user:mara --note", "A comma, yes. What else is in there?"),
			},
		},
		{
			"Changed meanwhile", "Two changes are made against version 1. The first goes live, so the second is stale, and is merged.",
			[]step{
				ok("propose viewpoint_keeper_close_third.md --as user:ada"),
				ok("propose viewpoint_keeper_quotes.md --as agent:drafter"),
				ok("diff #13"),
				ok("approve #13 --as user:mara").tied("#13"),
				ok("approve #14 --as user:mara").ends(exitConflict),
				ok("rebase #14 --as agent:drafter"),
				ok("approve #14 --as user:mara").tied("#14"),
			},
		},
		{
			"The way back", "An earlier version comes back through the same gate; a core tool is forked instead of changed.",
			[]step{
				ok("rollback tool:user/viewpoint_keeper 1 --submit --as user:mara --note", "The longer report is not read."),
				ok("approve #15 --as user:mara"),
				ok("history viewpoint_keeper"),
				ok("fork line_editor --as user:ada"),
			},
		},
		{
			"Kept", "What still waits, and the proof that nothing was altered behind the door.",
			[]step{
				ok("list --state user_review"),
				ok("verify"),
			},
		},
	}
}
