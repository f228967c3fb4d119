package audit_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"toolcrib/shortrun"
	"toolcrib/store/audit"
	"toolcrib/store/pages"
)

// TestSoundStory reads the story, and what may be different in it.
func TestSoundStory(t *testing.T) {
	for name, d := range map[string]damage{
		"as it is":                      {},
		"a column that was added later": {later: "ALTER TABLE waivers ADD COLUMN note TEXT NOT NULL DEFAULT 'none'"},
		"pages that became free":        {later: "CREATE TABLE x (n INTEGER PRIMARY KEY, t TEXT NOT NULL) STRICT; INSERT INTO x VALUES (1, hex(zeroblob(9000))); DROP TABLE x"},
		"a table that is only counted":  {later: "CREATE TABLE x (n INTEGER PRIMARY KEY, t TEXT NOT NULL) STRICT; INSERT INTO x VALUES (7, 'x')"},
		"rows beyond a page":            {lies: "UPDATE assessments SET report = '{\"comment\":\"' || hex(zeroblob(3000)) || '\",\"findings\":[]}' WHERE seq = 1"},
		"a deactivated tool": {
			lies: `UPDATE versions SET definition = '{"id":"helper","name":"Helper","status":"deactivated"}' WHERE seq = 3; UPDATE live SET status = 'deactivated' WHERE id = 'helper'`,
		},
		"a counter of nothing": {facts: func(f *audit.Facts) { f.Counters["chief_review"] = 1; f.Counters["withdrawn"] = 0 }},
	} {
		rows, err := audited(t, d)
		want := map[string]int64{"versions": 4, "revisions": 8, "assessments": 6, "waivers": 1, "decisions": 3, "events": 29}
		if err != nil || !maps.Equal(rows, want) {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
}

// unsound are ways in which a story is not sound, by what an audit looks at, and
// what it says.
var unsound = map[string][]struct {
	says string
	damage
}{
	"pages": {
		{"has no use", damage{later: "DELETE FROM sqlite_schema WHERE name = 'events_by_day'"}},
	},
	"rows": {
		{"breaks a constraint", damage{later: "UPDATE proposals SET id = 'p11' WHERE seq = 1"}},
		{"column waived_until of row 1 of proposals holds something else", damage{later: "UPDATE sqlite_schema SET sql = replace(sql, 'waived_until TEXT', 'waived_until INTEGER') WHERE name = 'proposals'"}},
		{"a row of waivers has 3 values", damage{later: "UPDATE sqlite_schema SET sql = replace(sql, 'seal TEXT NOT NULL', 'seal TEXT NOT NULL, more TEXT NOT NULL') WHERE name = 'waivers'"}},
		{"a row of x has 3 values", damage{later: "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL) STRICT; INSERT INTO x VALUES (1, 'a', 'b'); UPDATE sqlite_schema SET sql = replace(sql, ', b TEXT NOT NULL', '') WHERE name = 'x'"}},
		{"issues has no column labels", damage{later: "UPDATE sqlite_schema SET sql = replace(sql, ', labels TEXT NOT NULL', '') WHERE name = 'issues'"}},
		{"the columns of waivers are others", damage{later: "UPDATE sqlite_schema SET sql = replace(sql, 'seal TEXT', 'stamp TEXT') WHERE name = 'waivers'"}},
	},
	"indexes": {
		{"the index proposals_by_issue does not say what proposals says", damage{later: "UPDATE sqlite_schema SET sql = replace(sql, 'issue > 0', 'issue > 1') WHERE name = 'proposals_by_issue'"}},
		{"the index proposals_by_author_kind does not say", damage{later: "UPDATE sqlite_schema SET sql = replace(sql, 'substr(author, 1, instr(author, '':''))', 'author') WHERE name = 'proposals_by_author_kind'"}},
		{"the index proposals_by_risk does not say", damage{later: "UPDATE sqlite_schema SET sql = 'CREATE INDEX proposals_by_risk ON proposals (state, blocks)' WHERE name = 'proposals_by_risk'"}},
		{"the index versions_by_wire_name does not say", damage{later: "UPDATE sqlite_schema SET sql = 'CREATE INDEX versions_by_wire_name ON versions (id)' WHERE name = 'versions_by_wire_name'"}},
		{"the index events_by_day does not say", damage{later: "UPDATE sqlite_schema SET sql = 'CREATE INDEX events_by_day ON events (act)' WHERE name = 'events_by_day'"}},
		{"out of order, or twice there", damage{later: "UPDATE sqlite_schema SET sql = replace(sql, 'INDEX', 'UNIQUE INDEX') WHERE name = 'proposals_by_state'"}},
	},
	"seals": {
		{"row 2 of versions is not what its content hash says", damage{later: "UPDATE versions SET definition = replace(definition, 'low', 'mid') WHERE seq = 2"}},
		{"row 1 of versions is not what its seal says", damage{later: "UPDATE versions SET decided_by = 'user:eve' WHERE seq = 1"}},
		{"row 3 of revisions is not what its seal says", damage{later: "UPDATE revisions SET draft = draft || ' ' WHERE seq = 3"}},
		{"row 1 of assessments is not what its seal says", damage{later: "UPDATE assessments SET recommendation = 'reject' WHERE seq = 1"}},
		{"row 1 of waivers is not what its seal says", damage{later: "UPDATE waivers SET proposal = 'p3'"}},
		{"row 3 of decisions is not what its seal says", damage{later: "UPDATE decisions SET verdict = 'needs_changes' WHERE seq = 3"}},
		{"row 9 of events is not what its seal says", damage{later: "UPDATE events SET revision = 2 WHERE seq = 9"}},
		{"row 2 of revisions is missing", damage{lies: "DELETE FROM revisions WHERE seq = 2; UPDATE events SET record = '' WHERE seq = 9"}},
		{"row 10 of events breaks the chain", damage{lies: "UPDATE events SET prev_hash = 'x' WHERE seq = 10"}},
		{"row 2 of versions breaks the chain of its subject", damage{lies: "UPDATE versions SET prev_hash = 'x' WHERE seq = 2"}},
		{"row 2 of versions breaks the chain of its subject", damage{lies: "UPDATE versions SET number = 3 WHERE seq = 2; UPDATE live SET version = 3 WHERE id = 'pacer'"}},
	},
	"registry": {
		{"the lock of tool:global/file_reader is not where it belongs", damage{lies: "UPDATE live SET locked = 0"}},
		{"the lock of tool:user/pacer is not where it belongs", damage{lies: "UPDATE live SET locked = 1 WHERE id = 'pacer'"}},
		{"but nothing is live", damage{lies: "DELETE FROM live WHERE id = 'helper'"}},
		{"what lists show of pacer is not", damage{lies: "UPDATE live SET name = 'Pacer' WHERE id = 'pacer'"}},
		{"what lists show of pacer is not", damage{lies: "UPDATE live SET tool_kind = 'action' WHERE id = 'pacer'"}},
		{"what lists show of pacer is not", damage{lies: "UPDATE live SET category = 'web' WHERE id = 'pacer'"}},
		{"what lists show of pacer is not", damage{lies: "UPDATE live SET tier = 'high' WHERE id = 'pacer'"}},
		{"what lists show of pacer is not", damage{lies: "UPDATE live SET approval = 'requires_approval' WHERE id = 'pacer'"}},
		{"what lists show of pacer is not", damage{lies: "UPDATE live SET tag = '' WHERE id = 'pacer'"}},
		{"what lists show of helper is not", damage{lies: "UPDATE live SET tool_kind = 'prompt' WHERE id = 'helper'"}},
		{"the status of helper is not", damage{lies: "UPDATE live SET status = 'deactivated' WHERE id = 'helper'"}},
		{"not the last version of every subject", damage{lies: "UPDATE live SET content_hash = 'x' WHERE id = 'helper'"}},
		{"not the last version of every subject", damage{lies: "INSERT INTO live SELECT 'tool:user/new', kind, 'user', 'new', 1, 'x', name, tool_kind, category, tier, approval, tag, status, 0 FROM live WHERE id = 'pacer'"}},
		{"the names are not those of what is live", damage{lies: "DELETE FROM names WHERE name = 'pace'"}},
		{"the names are not those of what is live", damage{lies: "INSERT INTO names VALUES ('paces', 'tool:user/pacer')"}},
		{"the names are not those of what is live", damage{lies: "UPDATE names SET subject = 'tool:global/file_reader' WHERE name = 'pace'"}},
	},
	"queue": {
		{"a proposal has no state", damage{later: "UPDATE proposals SET state = 'lost' WHERE seq = 7"}},
		{"belongs to no proposal", damage{lies: "INSERT INTO issues VALUES (7, 'p9', '', '', 'open', '')"}},
		{"not by whom, or when", damage{lies: "UPDATE proposals SET author = 'user:eve' WHERE seq = 1"}},
		{"not by whom, or when", damage{lies: "UPDATE proposals SET created_at = 't00' WHERE seq = 1"}},
		{"about another subject", damage{lies: "UPDATE proposals SET subject = 'tool:user/other' WHERE seq = 3"}},
		{"the last revision", damage{lies: "UPDATE proposals SET content_hash = 'x' WHERE seq = 2"}},
		{"the last revision", damage{lies: "UPDATE proposals SET type = 'modify' WHERE seq = 3"}},
		{"the last revision", damage{lies: "UPDATE proposals SET base_version = 4 WHERE seq = 3"}},
		{"the last revision", damage{lies: "UPDATE proposals SET change_set = '' WHERE seq = 7"}},
		{"the last revision", damage{lies: "UPDATE proposals SET title = 'Other' WHERE seq = 2"}},
		{"the last revision", damage{lies: "UPDATE proposals SET revision = 1, content_hash = 'c6', title = 'Sixth and a half' WHERE seq = 7"}},
		{"the place", damage{lies: "UPDATE proposals SET seq = 9 WHERE seq = 1"}},
		{"the approval", damage{lies: "UPDATE proposals SET state = 'rejected' WHERE seq = 1"}},
		{"the approval", damage{lies: "UPDATE decisions SET content_hash = 'x' WHERE seq = 1"}},
		{"the approval", damage{lies: "UPDATE decisions SET revision = 2 WHERE seq = 1"}},
		{"the assessment", damage{lies: "UPDATE proposals SET recommendation = 'approve' WHERE seq = 3"}},
		{"the assessment", damage{lies: "UPDATE proposals SET findings = 2 WHERE seq = 3"}},
		{"the assessment", damage{lies: "UPDATE proposals SET blocks = 0 WHERE seq = 3"}},
		{"the assessment", damage{lies: "UPDATE proposals SET worst = 'warn' WHERE seq = 3"}},
		{"the assessment", damage{lies: "UPDATE proposals SET waived_until = '2027-01-01' WHERE seq = 3"}},
		{"the assessment", damage{lies: "UPDATE proposals SET findings = 0 WHERE seq = 4"}},
		{"the state", damage{lies: "UPDATE proposals SET state = 'chief_review' WHERE seq = 3"}},
		{"the state", damage{lies: "UPDATE proposals SET updated_at = 't99' WHERE seq = 3"}},
		{"the state", damage{lies: "UPDATE events SET act = 'comment' WHERE seq = 9"}},
		{"the issue", damage{lies: "UPDATE issues SET number = 9 WHERE number = 2"}},
		{"the issue", damage{lies: "DELETE FROM issues WHERE number = 2"}},
		{"the title of the issue", damage{lies: "UPDATE issues SET title = '[Agent Proposal] Third' WHERE number = 2"}},
		{"the title of the issue", damage{lies: "UPDATE issues SET labels = 'x' WHERE number = 2"}},
		{"the title of the issue", damage{lies: "UPDATE issues SET labels = replace(labels, 'set:all', 'set:none') WHERE number = 6"}},
		{"the title of the issue", damage{lies: "UPDATE events SET act = 'submit' WHERE seq = 29; UPDATE proposals SET updated_at = 't25' WHERE seq = 7"}},
		{"the status of the issue", damage{lies: "UPDATE issues SET status = 'open' WHERE number = 1"}},
		{"the status of the issue", damage{lies: "UPDATE issues SET assignee = 'user' WHERE number = 6"}},
		{"the status of the issue", damage{lies: "UPDATE issues SET assignee = 'user:ada' WHERE number = 4"}},
		{"the status of the issue", damage{lies: "UPDATE issues SET assignee = 'chief' WHERE number = 3"}},
		{"the counters are not", damage{facts: func(f *audit.Facts) { f.Counters["draft"] = 2 }}},
		{"the counters are not", damage{facts: func(f *audit.Facts) { f.Counters["withdrawn"] = 1 }}},
	},
	"assessments": {
		{"a value does not end", damage{lies: "UPDATE assessments SET report = '{\"findings\":[{\"severity\":\"warn\"}' WHERE seq = 4"}},
		{"a list does not begin as one", damage{lies: "UPDATE assessments SET report = '{\"findings\":1}' WHERE seq = 4"}},
	},
	"log": {
		{"the log does not tell of the records in their order", damage{lies: "UPDATE events SET record = 'x' WHERE seq = 9"}},
		{"the log does not tell of the records in their order", damage{lies: "UPDATE events SET record = CASE seq WHEN 9 THEN 'revisions:3' ELSE 'revisions:2' END WHERE seq IN (9, 10)"}},
		{"records that the log does not tell of", damage{lies: "UPDATE events SET record = '' WHERE seq = 28"}},
		{"records that the log does not tell of", damage{lies: "INSERT INTO waivers VALUES (2, 'p4', 'seal')"}},
		{"versions and decisions do not go together", damage{lies: "UPDATE decisions SET decided_by = 'user:eve' WHERE seq = 1"}},
		{"versions and decisions do not go together", damage{lies: "UPDATE decisions SET version_hash = 'x' WHERE seq = 1"}},
		{"versions and decisions do not go together", damage{lies: "UPDATE decisions SET version = 1 WHERE seq = 1"}},
		{"an import that is not there", damage{facts: func(f *audit.Facts) { f.Imports = nil }}},
		{"an import that is not there", damage{lies: "UPDATE events SET id = 'import-2' WHERE seq = 4"}},
	},
}

// TestUnsound damages the story in one way at a time. What is said is asked for,
// so that each check is seen to find what it is there for.
func TestUnsound(t *testing.T) {
	shortrun.OneGoroutine(t)
	for about, list := range unsound {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			for _, tt := range list {
				_, err := audited(t, tt.damage)
				if !errors.Is(err, audit.ErrUnsound) && !errors.Is(err, pages.ErrUnsound) || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s%s: %v; it should say that %s", tt.lies, tt.later, err, tt.says)
				}
			}
		})
	}
}
