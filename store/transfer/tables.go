package transfer

import "slices"

// table is a table that is copied: its name and the columns of its primary key,
// by which rows are read and by which a copy goes on.
type table struct {
	name string
	key  []string
}

// tables lists every table, each after those that its foreign keys name. Searches
// of the queue have an index of their own in each engine, which is made again.
func tables() []table {
	var list []table
	add := func(key []string, names ...string) {
		for _, name := range names {
			list = append(list, table{name, key})
		}
	}
	seq, id := []string{"seq"}, []string{"id"}
	add(seq, "proposals", "revisions", "assessments", "waivers", "decisions")
	add([]string{"user", "proposal"}, "shown")
	add([]string{"number"}, "issues")
	add(seq, "comments")
	add([]string{"rule", "proposal"}, "proposal_rules")
	add([]string{"state"}, "counters")
	add(seq, "versions")
	add([]string{"subject"}, "live")
	add([]string{"name", "subject"}, "names")
	add([]string{"block"}, "sketches")
	add(seq, "recent_sketches")
	add(id, "core")
	add(seq, "events", "signatures")
	add([]string{"hash"}, "raws")
	add(seq, "imports")
	add([]string{"dir"}, "workspaces")
	add(seq, "pending_exports")
	add([]string{"dir", "subject", "number"}, "history_files")
	add([]string{"dir", "hash"}, "live_files")
	add(seq, "pending_calls", "call_answers", "call_tiers", "tokens", "token_revocations", "calls", "call_outcomes", "calls_open")
	add([]string{"agent", "user", "hour"}, "call_refusals")
	add(id, "owners", "projects")
	add([]string{"owner", "agent"}, "conversations")
	add(seq, "tasks")
	add([]string{"owner", "day"}, "task_days")
	add(seq, "reminders", "schedules", "memories", "memory_links", "entities")
	add([]string{"rowid"}, "memories_text", "entities_text")
	add([]string{"project", "entity"}, "entity_projects")
	return list
}

// derived reports whether an engine fills a column from others: a server by a migration
// after the copy, a file at the end of it.
func (t table) derived(column string) bool { return t.name == "live" && column == "size" }

// numbered reports whether the rows of the table have numbers as their key.
func (t table) numbered() bool {
	return len(t.key) == 1 && slices.Contains([]string{"seq", "number", "block", "rowid"}, t.key[0])
}

// terms reports whether the table is a search index of the assistant, whose rows
// list terms in no particular order.
func (t table) terms() bool { return t.name == "memories_text" || t.name == "entities_text" }
