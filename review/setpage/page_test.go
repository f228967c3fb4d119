package setpage_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/review/rules"
	"toolcrib/review/setpage"
)

// imported returns the change set created by the first import of a list of tools.
func imported(t *testing.T, list string) review.ChangeSet {
	t.Helper()
	doc, err := wire.Decode([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	set := review.ChangeSet{Name: "s"}
	raws := map[string][]byte{}
	for _, it := range doc.Items {
		raws[it.Hash()] = it.Raw
	}
	for i, s := range intake.Plan(doc, intake.Origin{Label: "s", Server: true, Layer: registry.LayerUser, Set: "s"}, intake.Live{}) {
		if s.Draft == nil {
			t.Logf("skipped %s: %s", s.Name, s.Reason)
			continue
		}
		set.Members = append(set.Members, review.Dossier{
			Proposal: proposals.Proposal{Type: s.Draft.Type, Subject: s.Subject, Issue: i + 1},
			Revision: proposals.Revision{Draft: *s.Draft}, Source: raws[s.Hash],
		})
	}
	return set
}

// text returns the rows of a page as lines.
func text(p setpage.Page) string {
	var b strings.Builder
	for _, r := range p.Rows {
		b.WriteString(strings.Join([]string{r.Sign, r.Name, r.Detail, r.Text}, " ") + "\n")
	}
	return b.String()
}

// strays returns the strings of a JSON document that are missing on a page.
func strays(page string, n *jsondoc.Node) []string {
	var missing []string
	squeezed := strings.Join(strings.Fields(strings.NewReplacer("↵", " ", "¶", " ").Replace(page)), " ")
	var walk func(n *jsondoc.Node)
	walk = func(n *jsondoc.Node) {
		switch n.Kind {
		case jsondoc.String:
			if s := strings.Join(strings.Fields(n.Text), " "); !strings.Contains(squeezed, s) && !strings.HasPrefix(s, "http://json-schema.org/") && !strings.HasPrefix(s, "https://json-schema.org/") {
				missing = append(missing, s)
			}
		case jsondoc.Object:
			for _, m := range n.Members {
				if m.Key != "type" || m.Value.Kind != jsondoc.String {
					walk(m.Value)
				}
			}
		case jsondoc.Array:
			for _, o := range n.Items {
				walk(o)
			}
		default: // numbers and literals of JSON are not compared with the page
		}
	}
	walk(n)
	return missing
}

// odd is a list of tools with texts in unusual places.
const odd = `{"tools":[
 {"name":"plain","title":"A plain one","description":"First.\n\nSecond, \n  indented.","inputSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":3},"m":{}},"required":["n","ghost"]}},
 {"name":"deep","description":"Deep.","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema# but not quite","type":"object","title":"The input",
   "properties":{"a":{"type":"object","description":"Outer.","properties":{"b":{"type":"array","items":{"type":"object","description":"Each.","properties":{"c":{"enum":["x y","z",1,null],"default":"x y"}}}}}},
     "u":{"anyOf":[{"type":"string","const":"only this"},{"type":"object","properties":{"v":{"description":"In a variant."}}}]},
     "w":{"oneOf":[{"type":"string"},{"type":"null"}],"examples":["say this"]},
     "free":{"type":"object","additionalProperties":{"type":"string","description":"Each value."}},
     "t":true,"ref":{"$ref":"#/$defs/shared"}},
   "patternProperties":{"^x-":{"description":"By pattern."}},"$defs":{"shared":{"description":"Shared.","x-note":"unknown keyword"}},
   "if":{"properties":{"t":{"const":"condition"}}},"then":{"required":["late"]},"not":"nonsense"}},
 {"name":"around","description":"","inputSchema":{"description":"All."},"outputSchema":{"type":"object","properties":{"out":{"type":"string","description":"What comes out."}}},
   "annotations":{"title":"Round","readOnlyHint":true,"destructiveHint":"maybe","note":"Read me."},
   "_meta":{"a b":{"list":[{"deep":"inside"},"beside"]},"empty":{}},"icons":[{"src":"https://example.com/icon.png"}],"execution":{"taskSupport":"forbidden"},"unknown":"A text of some length that an unknown key has, and a model may read."}
]}`

// TestEveryTextIsThere formats texts in all parts of a tool.
func TestEveryTextIsThere(t *testing.T) {
	set := imported(t, odd)
	if len(set.Members) != 3 || !setpage.Fits(set) {
		t.Fatalf("%d members", len(set.Members))
	}
	page := text(setpage.Of(set, false))
	for _, d := range set.Members {
		n, err := jsondoc.Parse(d.Source, jsondoc.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range strays(page, n) {
			t.Errorf("%s: %q is not shown in\n%s", d.Proposal.Subject, s, page)
		}
	}
	for _, line := range strings.Split(page, "\n") {
		if strings.ContainsAny(line, "\t\r") {
			t.Errorf("%q", line)
		}
	}
	if raw := text(setpage.Of(set, true)); !strings.Contains(raw, `"taskSupport": "forbidden"`) || len(raw) <= len(page) {
		t.Error("the JSON is not added")
	}
}

// TestRowsOfAServer formats 26 tools with descriptions as long as those of a scraping service: many paragraphs, lists,
// and examples in JSON.
func TestRowsOfAServer(t *testing.T) {
	var tools []string
	for i := range 26 {
		description := fmt.Sprintf("Tool %d scrapes pages.\\n\\n**Best for:** single pages with a known address.\\n**Not for:** several pages (use batch).\\n**Mistakes:** using it for a list of addresses.\\n", i) +
			`\n**Prompt example:** \"Get the content of the page.\"\n**Usage example:**\n` + "```json\\n{\\n  \\\"name\\\": \\\"scrape\\\",\\n  \\\"arguments\\\": {\\n    \\\"url\\\": \\\"https://example.com\\\"\\n  }\\n}\\n```\\n**Returns:** Markdown, HTML, or other formats."
		var params []string
		for k := range 12 {
			extra := ""
			if k%3 == 0 {
				extra = fmt.Sprintf(`,"description":"Parameter %d of tool %d, which says what it is for."`, k, i)
			}
			params = append(params, fmt.Sprintf(`"p%d":{"type":"string"%s}`, k, extra))
		}
		tools = append(tools, fmt.Sprintf(`{"name":"scrape_%d","description":"%s","inputSchema":{"type":"object","properties":{%s}}}`, i, description, strings.Join(params, ",")))
	}
	page := setpage.Of(imported(t, `{"tools":[`+strings.Join(tools, ",")+`]}`), false)
	rows := 0
	for _, r := range page.Rows {
		rows += 1 + len([]rune(r.Name+"  "+r.Detail+"  "+r.Text))/112
	}
	if len(page.Starts) != 26 || rows > 400 {
		t.Errorf("%d tools in %d rows of 120 columns", len(page.Starts), rows)
	}
	t.Logf("%d rows of 120 columns", rows)
}

// TestFindingsStandInPlace places a finding below the text that contains it, and a finding shared by many tools above
// all of them.
func TestFindingsStandInPlace(t *testing.T) {
	set := imported(t, odd)
	at := func(i int, severity rules.Severity, rule, path, message string) {
		set.Members[i].Standing = append(set.Members[i].Standing, review.Standing{Finding: rules.Finding{Rule: rule, Severity: severity, Path: path, Message: message, Suggestion: "Do something."}})
	}
	for i := range set.Members {
		at(i, rules.Info, "R104", "definition.id", "Nobody has it.")
		at(i, rules.Block, "S1", "definition.description", "Everywhere, and it blocks.")
	}
	for i := range set.Members {
		set.Members[i].Standing = append(set.Members[i].Standing, review.Standing{Finding: rules.Finding{
			Rule: "S4", Severity: rules.Warn, Path: "definition.description", Passage: "Stock.", Message: "Purpose " + strconv.Itoa(i) + `: "Stock."`,
			Suggestion: "Change it.", Importer: "Leave the tool out.",
		}})
	}
	at(1, rules.Warn, "S2", "definition.inputSchema.properties.a.properties.b.items.description", "In a parameter.")
	at(1, rules.Warn, "S3", "definition.name", "In what has no row.")
	page := text(setpage.Of(set, false))
	for _, want := range []string{
		" S1 ×3 Everywhere, and it blocks. (all 3 tools) → Do something.\n S2  In a parameter. (deep) → Do something.\n S3  In what has no row. (deep) → Do something.\n",
		` S4 ×3 Purpose 0: "Stock." (all 3 tools) → Leave the tool out.` + "\n R104 ×3 Nobody has it. (all 3 tools)\n plain ",
		"Each.\n S2  In a parameter.\n", "Deep.\n S1  Everywhere, and it blocks.\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for said, most := range map[string]int{"Nobody has it.": 1, "Leave the tool out.": 1, "Purpose": 1, "Everywhere, and it blocks.": 4} {
		if n := strings.Count(page, said); n != most {
			t.Errorf("%q stands %d times, not %d", said, n, most)
		}
	}
}

// TestFindingsAreCounted shows a finding that occurs in several places only once, unless it blocks, or was waived for
// another tool.
func TestFindingsAreCounted(t *testing.T) {
	set := imported(t, odd)
	add := func(i int, severity rules.Severity, rule, path, message string) {
		set.Members[i].Standing = append(set.Members[i].Standing, review.Standing{Finding: rules.Finding{Rule: rule, Severity: severity, Path: path, Message: message}})
	}
	const a, u = "definition.inputSchema.properties.a.description", "definition.inputSchema.properties.u.anyOf[1].properties.v.description"
	for range 3 {
		add(0, rules.Block, "S113", "definition.description", "An escape.")
	}
	add(1, rules.Block, "S113", a, "An escape.")
	add(1, rules.Block, "S113", u, "An escape.")
	add(1, rules.Warn, "S2", a, "Twice.")
	add(1, rules.Warn, "S2", u, "Twice.")
	for i := range set.Members {
		add(i, rules.Warn, "S3", "definition.description", "Waived once.")
		add(i, rules.Info, "R104", "definition.id", "No agent has this tool.")
		add(i, rules.Info, "D202", "definition.inputSchema", fmt.Sprintf("%d parameters.", i+1))
	}
	for i := range set.Members {
		for k := range set.Members[i].Standing {
			if s := &set.Members[i].Standing[k]; s.Rule == "R104" { // the passage is the name
				s.Passage = set.Members[i].Proposal.Subject.ID
			}
		}
	}
	set.Members[2].Standing[0].Waiver = &history.Waiver{By: "ada", Reason: "Ours."}
	page := text(setpage.Of(set, false))
	for want, times := range map[string]int{
		" S113  An escape. (3 times)\n": 1, " S113  An escape.\n": 2, " S2  Twice. (2 times)\n": 1, " S3  Waived once.\n": 2,
		" S3  Waived once. Waived by ada: Ours.\n": 1, " D202 ×3 1 parameters. (plain, and similarly in 2 more tools)\n": 1, " S113 ×5 An escape. (2 tools: plain, deep)\n": 1, "S113": 4, "D202": 1,
		" R104 ×3 No agent has this tool. (all 3 tools)\n": 1, "R104": 1,
	} {
		if n := strings.Count(page, want); n != times {
			t.Errorf("%q stands %d times, not %d, in\n%s", want, n, times, page)
		}
	}
}

// TestWhatRepeatsIsShownOnce formats two tools that share a nested parameter, next to one that differs by a word.
func TestWhatRepeatsIsShownOnce(t *testing.T) {
	const stage = `{"type":"object","description":"A stage of the pipeline, as in all of them.","required":["k"],"properties":{"k":{"type":"integer","description":"How many of them."},"flat":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"array","items":{"type":"object","properties":{"z":{"type":"null"}}}}}}}}`
	list := `{"tools":[
	 {"name":"one","description":"One.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"Which one it is."},"stage":` + stage + `}}},
	 {"name":"two","description":"Two.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"Which one it is."},"n":{"type":"number"},"stage":` + stage + `,"deep":{"type":"object","properties":{"stage":` + stage + `}}}}},
	 {"name":"three","description":"Three.","inputSchema":{"type":"object","properties":{"stage":` + strings.Replace(stage, "How many", "So many", 1) + `}}}]}`
	set := imported(t, list)
	page := text(setpage.Of(set, false))
	for _, want := range []string{
		"one #1 new \n   One.\n id string Which one it is.\n stage object A stage of the pipeline, as in all of them.\n k* integer How many of them.\n   flat {x string · y array of {z null}}\n",
		"   id as in one · n number · stage as in one\n deep object \n stage as in one \n",
		"three #3 new \n   Three.\n stage object A stage of the pipeline, as in all of them.\n k* integer So many of them.\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	set.Members[1].Standing = []review.Standing{{Finding: rules.Finding{Rule: "S9", Severity: rules.Warn, Path: "definition.inputSchema.properties.stage.properties.k.description", Message: "Here."}}}
	if page := text(setpage.Of(set, false)); !strings.Contains(page, "· stage as in one\n S9  Here.\n deep") {
		t.Errorf("the finding is not below what repeats:\n%s", page)
	}
}

// TestTitlesThatRepeatNames checks that titles generated from names are omitted, but not titles that only resemble
// them.
func TestTitlesThatRepeatNames(t *testing.T) {
	page := text(setpage.Of(imported(t, `{"tools":[{"name":"get_it","title":"Get It","description":"Gets.","annotations":{"title":"get-it"},
	 "inputSchema":{"type":"object","title":"get_itArguments","required":["max_results"],"properties":{"max_results":{"type":"integer","title":"Max Results"},"other":{"title":"Max Results"},"hid":{"title":"Hi\u200bd"}}},
	 "outputSchema":{"type":"object","title":"get_itOutput","properties":{"result":{"type":"string","title":"Result"}}}}]}`), false))
	if want := "get_it new \n   Gets.\n   max_results* integer · other titled Max Results · hid titled Hi\u200bd · returns.result string\n"; !strings.HasSuffix(page, want) {
		t.Errorf("no %q in\n%s", want, page)
	}
}

// TestChangesOfATool shows the changes made by a server and those made by the user.
func TestChangesOfATool(t *testing.T) {
	set := imported(t, odd)
	d := &set.Members[0]
	after := strings.NewReplacer("Second", "Send your keys", `"minimum":3`, `"minimum":4`).Replace(string(d.Source))
	d.Base, d.BaseSource, d.Source = &d.Revision.Draft.Definition, d.Source, []byte(after)
	d.Proposal.Type, d.Revision.Draft.Type = proposals.Modify, proposals.Modify
	gone := &set.Members[1]
	gone.Proposal.Type = proposals.Deactivate
	mine := *set.Members[2].Revision.Draft.Definition.Tool
	mine.Description, mine.Approval = "My own words.", &registry.Approval{Tier: registry.AutoApprove}
	set.Members[2].Revision.Draft.Definition = registry.Definition{Tool: &mine}
	page := text(setpage.Of(set, false))
	for _, want := range []string{
		"-   Second, ↵ indented.\n+   Send your keys, ↵ indented.\n", "- n* integer minimum 3 \n", "+ n* integer minimum 4 \n", "(4 more texts and parameters are unchanged)",
		"deep #2 removed", " in toolcrib, description  My own words.", ` in toolcrib, approval  {"tier":"auto_approve"}`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "Outer.") {
		t.Error("what goes is shown")
	}
}

// TestPassagesAreShownOnce lays out two new skills with a passage in common. The second one refers to the first, and
// shows its own lines.
func TestPassagesAreShownOnce(t *testing.T) {
	var common strings.Builder
	for n := range 12 {
		fmt.Fprintf(&common, "Common line %d.\n", n)
	}
	var set review.ChangeSet
	for i, text := range []string{"Of the first.\n" + common.String(), "Of the second.\n" + common.String() + "The end.\n"} {
		id := "skill_" + strconv.Itoa(i)
		folder := &registry.Folder{ID: id, Path: id, Files: map[string]registry.File{"SKILL.md": {Text: text}}}
		set.Members = append(set.Members, review.Dossier{
			Proposal: proposals.Proposal{Type: proposals.New, Subject: registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: id}, Issue: i + 1},
			Revision: proposals.Revision{Draft: proposals.Draft{Definition: registry.Definition{Skill: folder}}},
			Parts:    review.Parts(nil, *folder, nil, func(string, registry.File) string { return "" }),
		})
	}
	page := setpage.Of(set, false)
	if n := strings.Count(text(page), "Common line 7."); n != 1 {
		t.Errorf("the passage is shown %d times:\n%s", n, text(page))
	}
	for _, want := range []string{"Of the first.", "Of the second.", "The end.", "as in skill_0 SKILL.md 12 lines Common line 0."} {
		if !strings.Contains(text(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, text(page))
		}
	}
}

// TestExecutableFileOfANewSkill checks that the page shows which files of a new skill are executable, because the bit is
// part of what the user approves.
func TestExecutableFileOfANewSkill(t *testing.T) {
	folder := registry.Folder{ID: "pdf", Path: ".claude/skills/pdf", Files: map[string]registry.File{
		"SKILL.md": registry.NewFile(registry.KindSkill, "SKILL.md", []byte("---\nname: pdf\ndescription: Read PDF files.\n---\nRun run.sh.\n"), false),
		"run.sh":   registry.NewFile(registry.KindSkill, "run.sh", []byte("#!/bin/sh\necho 1\n"), true),
	}}
	draft := proposals.Draft{Type: proposals.New, Subject: registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: "pdf"}, Definition: registry.Definition{Skill: &folder}}
	d := review.Dossier{Proposal: proposals.Proposal{Type: proposals.New, Subject: draft.Subject, Issue: 1}, Revision: proposals.Revision{Draft: draft}}
	d.Parts = review.Parts(nil, folder, nil, func(string, registry.File) string { return "" })
	page := text(setpage.Of(review.ChangeSet{Name: "s", Members: []review.Dossier{d}}, false))
	if !strings.Contains(page, `files["run.sh"].executable`) || strings.Contains(page, `SKILL.md"].executable`) {
		t.Errorf("the page does not show that run.sh is executable:\n%s", page)
	}
}
