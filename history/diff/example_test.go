package diff_test

import (
	"fmt"

	"toolcrib/history/diff"
	"toolcrib/registry"
)

func ExampleLines() {
	p := diff.Lines(
		"Read the file.\nReport slow passages.\n",
		"Read the whole file.\nCite lines.\nReport slow passages.\n")
	for _, h := range p.Unified(3) {
		fmt.Printf("@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		for _, l := range h.Words().Lines {
			fmt.Printf("%-7s %s", l.Kind, l.Text)
			for _, s := range l.Spans {
				fmt.Printf(" %q", l.Text[s.Start:s.End])
			}
			fmt.Println()
		}
	}
	// Output:
	// @@ -1,2 +1,3 @@
	// delete  Read the file.
	// insert  Read the whole file. "whole "
	// insert  Cite lines.
	// context Report slow passages.
}

func ExampleDefinitions() {
	before := registry.Definition{Agent: &registry.Agent{
		Name:      "Assistant",
		Soul:      "Patient.",
		AllowList: &registry.AllowList{Tools: []string{"get_tasks", "create_tasks"}},
	}}
	after := registry.Definition{Agent: &registry.Agent{
		Name:      "Assistant",
		Soul:      "Patient.\nHonest.",
		AllowList: &registry.AllowList{Tools: []string{"get_tasks", "create_tasks", "delete_tasks"}},
		Timezone:  "Europe/Berlin",
	}}
	for _, f := range diff.Definitions(before, after) {
		fmt.Println(f.Change, f.Path)
		for _, h := range f.Hunks(1) {
			for _, l := range h.Lines {
				fmt.Printf("  %-7s %s\n", l.Kind, l.Text)
			}
		}
	}
	// Output:
	// modified soul
	//   context Patient.
	//   insert  Honest.
	// modified allowList.tools
	//   context create_tasks
	//   insert  delete_tasks
	// added timezone
	//   insert  Europe/Berlin
}

func ExampleMerge3() {
	m := diff.Merge3(
		"Be brief.\nRead the file.\nReport.\n",
		"Be brief.\nRead the scene.\nReport.\n",
		"Be brief.\nRead the chapter.\nReport.\n")
	fmt.Print(m.Marked(diff.Labels{Ours: "proposal", Base: "version 3", Theirs: "live"}))
	// Output:
	// Be brief.
	// <<<<<<< proposal
	// Read the scene.
	// ||||||| version 3
	// Read the file.
	// =======
	// Read the chapter.
	// >>>>>>> live
	// Report.
}
