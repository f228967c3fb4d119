package cli

// act is one part of the demonstration.
type act struct {
	title string
	text  string
	steps []step
}

// step is one command of an act.
type step struct {
	words string // its arguments, separated by blanks
	note  string // the value of --note
	exit  int
	// expect names a proposal whose review digest the command is tied to with
	// --expect; "" for none.
	expect string
}

// story is the demonstration: mara decides, ada writes, and three agents
// propose. Issues are numbered in the order of the submissions.
var story = [...]act{
	{
		"Proposed", "A user and two agents propose changes, from files of either form. Nothing is live yet.",
		[]step{
			{words: "propose --as user:ada viewpoint_keeper.md research_notes.json search_gmail_off.md"},
			{words: "propose --as agent:drafter word_counts.json chapter_summary.md quick_file_reader.md assistant_telegram.md"},
			{words: "propose --as agent:importer set_project_comma.json style_memory.md delete_tasks_unasked.json"},
		},
	},
	{
		"Reviewed", "The Chief of Staff has looked at each: one is a core tool once more, one would turn the agent against its author, and a comma brings along what no screen shows.",
		[]step{
			{words: "review #8"},
			{words: "review #11"},
			{words: "diff #10"},
		},
	},
	{
		"Refused", "Only the user decides, core tools are locked, an open block holds back its proposal and its whole change set, and unseen content is not approved.",
		[]step{
			{words: "approve #6 --as agent:drafter", exit: exitRefused},
			{words: "propose line_editor_override.md --as user:ada", exit: exitRefused},
			{words: "approve #11 --as user:mara", exit: exitRefused},
			{words: "approve set:research-notes --as user:mara", exit: exitRefused},
			{words: "approve #1 --as user:mara --expect 0000000000000000000000000000000000000000000000000000000000000000", exit: exitConflict},
		},
	},
	{
		"Decided", "Mara approves exactly what she looked at, sends one back, and rejects two for good.",
		[]step{
			{words: "approve #1 --as user:mara", expect: "#1"},
			{words: "needs-changes #7 --as user:mara", note: "Which lines does it rest on? And what about a chapter that is not finished?"},
			{words: "revise #7 chapter_summary_revised.md --as agent:drafter"},
			{words: "revise #3 create_research_notes_revised.json --as user:ada"},
			{words: "approve #7 set:research-notes #5 #6 #9 --as user:mara", note: "Agreed on Monday."},
			{words: "reject #8 --as user:mara", note: "file_reader does this, and its strict form is the point of it."},
			{words: "reject #11 --as user:mara", note: "It reads .env, sends drafts away and hides both from the author."},
			{words: "propose style_memory.md --as agent:importer", exit: exitRefused},
			{words: "needs-changes #10 --as user:mara", note: "A comma, yes. What else is in there?"},
		},
	},
	{
		"Changed meanwhile", "Two changes are made against version 1. The first goes live, so the second is stale, and is merged.",
		[]step{
			{words: "propose viewpoint_keeper_close_third.md --as user:ada"},
			{words: "propose viewpoint_keeper_quotes.md --as agent:drafter"},
			{words: "diff #13"},
			{words: "approve #13 --as user:mara", expect: "#13"},
			{words: "approve #14 --as user:mara", exit: exitConflict},
			{words: "rebase #14 --as agent:drafter"},
			{words: "approve #14 --as user:mara", expect: "#14"},
		},
	},
	{
		"The way back", "An earlier version comes back through the same gate; a core tool is forked instead of changed.",
		[]step{
			{words: "rollback tool:user/viewpoint_keeper 1 --submit --as user:mara", note: "The longer report is not read."},
			{words: "approve #15 --as user:mara"},
			{words: "history viewpoint_keeper"},
			{words: "fork line_editor --as user:ada"},
		},
	},
	{
		"Kept", "What still waits, and the proof that nothing was altered behind the door.",
		[]step{
			{words: "list --state user_review"},
			{words: "verify"},
		},
	},
}
