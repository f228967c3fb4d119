package overlap

import (
	"strings"

	"toolcrib/registry"
)

// sameAsCore are tools with the purpose of a core tool in other words.
var sameAsCore = []struct {
	core string
	tool registry.Tool
}{
	{"file_reader", tool("open_document", "Document Opener", "Shows the lines of a file from the project together with their numbers.", "Show file contents with line numbers so claims can be cited.", "file_path start_line end_line")},
	{"file_reader", tool("read_manuscript_lines", "Manuscript Reader", "Returns part of a project file with numbered lines.", "Quotes are exact and carry path and line range.", "path first_line last_line")},
	{"file_locator", tool("find_files", "File Finder", "Searches the project for files by name or content and lists matching paths.", "Find the right file path quickly.\nShow matching lines.", "query max_results globs")},
	{"prose_analyzer", tool("style_check", "Style Check", "Looks at the prose of a scene: rhythm, repetition, dialogue and clarity, quoting lines.", "Point out habits in the writing without rewriting.", "scene_path focus")},
	{"timeline_validator", tool("chronology_checker", "Chronology Checker", "Lists all dated events in the files in order and finds impossible dates, ages and durations.", "An ordered timeline with the source of every event.\nContradictions in time are found.", "file_paths")},
	{"search_issues", tool("issue_finder", "Issue Finder", "Finds issues in the tracker by status, tag, priority or assignee.", "Avoid duplicate issues.\nShow agents their open issues.", "tags status assigned_to priority")},
	{"canon_checker", tool("lore_guard", "Lore Guard", "Checks a scene against established facts of the world and the characters and reports contradictions.", "No contradictions with canon.\nBoth passages are cited.", "scene_path")},
	{"line_editor", tool("sentence_polisher", "Sentence Polisher", "Suggests edits to single sentences of a file, each with original and replacement.", "Better sentences, same voice.", "file_path start_line end_line")},
	{"stakes_mapper", tool("stakes_table", "Stakes Table", "For every scene in the outline lists what the characters can lose or win, and where stakes do not rise.", "See flat scenes early.", "outline_path")},
}

// unlikeCore are tools with a purpose that no core tool has.
var unlikeCore = []registry.Tool{
	tool("invoice_sender", "Invoice Sender", "Sends an invoice to a customer by email.", "Invoices leave on time.", "customer amount"),
	tool("weather_now", "Weather", "Current weather for a place.", "Answer with temperature and wind.", "city"),
	tool("scene_pacer", "Scene Pacer", "Names the passages of a scene that are too slow or too fast.", "Find where the scene drags or hurries.", "scene_path"),
	tool("word_counter", "Word Counter", "Counts the words of each scene file.", "Word counts by scene and chapter.", "file_paths"),
	tool("title_ideas", "Title Ideas", "Suggests titles for a chapter.", "Ten titles to choose from.", "chapter tone"),
}

func tool(id, name, description, goals, parameters string) registry.Tool {
	schema := `{"type":"object","properties":{"` + strings.Join(strings.Fields(parameters), `":{},"`) + `":{}}}`
	return registry.Tool{ID: id, Kind: registry.PromptTool, Name: name, Description: description, Goals: goals, InputSchema: []byte(schema)}
}

// said returns a prompt tool as people propose them: without a description, but with its purpose in
// usage notes and goals.
func said(id, name, usage, goals, prompt string) registry.Tool {
	return registry.Tool{ID: id, Kind: registry.PromptTool, Name: name, UsageNotes: usage, Goals: goals, Prompt: prompt}
}

// saidLikeCore are further tools with the purpose of a core tool in other words.
var saidLikeCore = []struct {
	core string
	tool registry.Tool
}{
	{"file_reader", said("page_viewer", "Page Viewer", "Use it when a statement rests on what a file says word for word. Take the portion you need rather than the whole document.", "Exact wording with numbered lines.\nEvery claim can be cited by path and range.", "Open the file from the first line asked for to the last and show each line with its number.")},
	{"task_router", said("request_dispatcher", "Request Dispatcher", "Use it for every new request of the user before anything else is done, to decide which agent and which tools take it.", "The request goes to the right agent.\nUnclear requests are asked back before work starts.", "Read the user's request, name the agent that should handle it and the tools in order.")},
	{"outline_analyzer", said("plot_plan_review", "Plot Plan Review", "Use it on the outline of a book, to see whether the structure holds: missing turning points, threads without an end, chapters that do nothing.", "Structural gaps in the outline are named with their place.", "Go through the outline scene by scene. Report missing causes, threads that end nowhere and acts out of proportion.")},
	{"consistency_checker", said("contradiction_finder", "Contradiction Finder", "Use it on two or more files that should agree, to find names, facts and descriptions that differ between them.", "Contradictions between the files are listed, both passages cited.", "Compare the files. For each contradiction quote both places with their lines.")},
	{"scene_draft_validator", said("draft_gate", "Draft Gate", "Use it on a scene draft before it is accepted, to check that it meets the requirements of the brief and the format.", "A draft passes or fails with reasons.\nCanon is respected where asked.", "Check the scene draft against its requirements and say for each whether it is met, with the line.")},
	{"issue_status_summarizer", said("ticket_overview", "Ticket Overview", "Use it when somebody asks where things stand: how many issues are open, blocked, in progress, and whose turn it is.", "A short summary of the state of all issues.", "Count the issues by status and priority and name those that are stuck.")},
	{"scene_impact_analyzer", said("cut_effects", "Effects of a Cut", "Use it before a scene is changed, moved or cut, to learn which later scenes depend on it.", "Everything that depends on the scene is listed.\nThe author decides with open eyes.", "Find out what the scene sets up and which scenes of the outline rely on it. Say what breaks when it changes.")},
	{"reader_experience_simulator", said("first_time_reader", "First-Time Reader", "Use it on some scenes in order, to learn what a reader would feel, expect and misunderstand who does not know what comes.", "The experience of a reader, moment by moment.", "Read the scenes as a reader who knows nothing further. Note expectations, tension, confusion and boredom with lines.")},
	{"beat_architect", said("beat_planner", "Beat Planner", "Use it when a scene brief exists and the beats do not: it builds clusters of beats for the scene.", "A list of beats for the scene brief, in clusters.", "From the scene brief make beats: each with its purpose, turn and change. Group them in clusters.")},
	{"timeline_validator", said("date_check", "Date Check", "Use it when the order of events matters: ages, seasons, travel times and dates across the files.", "Events in order, impossible intervals named.", "Collect every dated event of the files, put them in order and report what cannot be true.")},
	{"line_editor", said("wording_fixer", "Wording Fixer", "Use it on a passage whose sentences stumble; it proposes small edits and leaves the meaning alone.", "Few and small edits to lines, each with a reason.", "For the lines given propose at most ten edits: original line, new line, reason.")},
	{"prose_analyzer", said("style_reader", "Style Reader", "Use it on one scene to hear its style: sentence rhythm, repeated words, adverbs, dialogue tags.", "Habits of the prose with examples.", "Look at the prose of the scene: rhythm, repetition, clarity. Quote lines as evidence.")},
}

// saidUnlikeCore are tools from the same field with a purpose that no core tool has.
var saidUnlikeCore = []registry.Tool{
	said("viewpoint_keeper", "Viewpoint Keeper", "Use it on one finished scene, when a reader lost track of whose head they were in.", "Name the character through whom the scene is told.\nShow every line this character could not perceive.", "Read the scene once to find its viewpoint. Report each line that tells what this character cannot see or know."),
	said("synopsis_writer", "Synopsis Writer", "Use it when an agency wants one page about the whole book.", "A synopsis of one page that tells the end.", "Write a synopsis of the novel in the present tense, at most 500 words."),
	said("query_letter", "Query Letter", "Use it to write to a literary agency.", "A letter of one page with hook and biography.", "Write a query letter: hook, short pitch, biography."),
	said("glossary_builder", "Glossary Builder", "Use it to collect invented words and their meaning for the appendix.", "An alphabetical glossary with the first place of each word.", "Collect the invented words of the book and explain each in one sentence."),
	said("chapter_summary", "Chapter Summary", "Use it when somebody joins late and has to know what happened so far.", "A summary of each chapter in three sentences.", "Summarise the chapter: who wants what, what happens, how it ends."),
	said("name_bank", "Name Bank", "Use it to find a name for a new character that no other character has.", "Ten names that fit the place and the period.", "Suggest names and say where each comes from."),
	said("dialogue_coach", "Dialogue Coach", "Use it to make the voices of two characters sound different.", "Each character is recognised by speech alone.", "Say what makes each voice and where the voices blur."),
	said("map_maker", "Map Maker", "Use it to keep distances and directions between places.", "A table of places with distances.", "List the places and how far they are apart."),
	said("research_notes", "Research Notes", "Use it to collect what was found about ships, weather or law.", "Notes with their source.", "Write a note for each finding with its source."),
	said("progress_report", "Progress Report", "Use it on Fridays to tell the publisher how many words were written.", "Words written this week and in total.", "Report the words of this week by chapter."),
	said("title_test", "Title Test", "Use it to compare titles for the book.", "Titles ranked with a reason each.", "Rank the titles and say what each promises."),
	said("prop_list", "Prop List", "Use it before a scene is filmed, to list what has to be there.", "Every object that is used in the scene.", "List objects, costumes and vehicles of the scene."),
}
