package overlap

import (
	"strings"

	"toolcrib/registry"
)

// sameAsCore are tools that do what a core tool does and say so in their own
// words.
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

// unlikeCore are tools for something that no core tool does.
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
