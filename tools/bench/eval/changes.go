package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/review/reach"
	"toolcrib/review/reach/fact"
)

// changeRow is one row of the files of changes: two versions of a skill, of instructions, or
// of a tool.
type changeRow struct {
	ID        string          `json:"id"`
	Source    string          `json:"source"`
	Mechanism string          `json:"mechanism"`
	Payload   string          `json:"payload"` // the text that an attack adds
	Kind      string          `json:"kind"`
	Name      string          `json:"name"`
	Folder    string          `json:"folder"`
	Old       json.RawMessage `json:"old"` // of a tool; a commit otherwise
	New       json.RawMessage `json:"new"`
}

// sides holds the figures of one half of the sources.
type sides struct {
	added, folded      []int          // facts of each honest change, all and with one for the counted kinds
	warned             int            // honest changes
	warnings           map[string]int // by kind and use
	sources            map[string][]bool
	attacks, found     int // with a fact other than a sentence
	named, namedFound  int // those that name something
	attackWarned, said int
}

// measureChanges prints the facts that honest changes and attacks add, separately for the half of the sources that
// tables may be written against and for the unread half.
func measureChanges(dir string, list bool, out io.Writer) error {
	halves := map[bool]*sides{true: newSides(), false: newSides()}
	for _, name := range []string{"honest_changes", "honest_tool_changes", "attack_changes", "attack_skill_changes"} {
		rows, err := readRows(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			return err
		}
		for _, row := range rows {
			before, err := factsOf(dir, row, "old")
			if err != nil {
				return err
			}
			after, err := factsOf(dir, row, "new")
			if err != nil {
				return err
			}
			tune := sha256.Sum256([]byte(cmp.Or(row.Mechanism, row.Source)))[0]&1 == 0
			added := fact.Compare(before, after).Added
			if row.Payload == "" {
				halves[tune].honest(row, added, list && tune, out)
			} else {
				halves[tune].attack(dir, row, added, list && tune, out)
			}
		}
	}
	for _, half := range []bool{true, false} {
		fmt.Fprintln(out, map[bool]string{true: "Half tune", false: "Half held"}[half])
		halves[half].print(out)
	}
	return measureFolders(dir, out)
}

func newSides() *sides { return &sides{warnings: map[string]int{}, sources: map[string][]bool{}} }

func (s *sides) honest(row changeRow, added []fact.Fact, list bool, out io.Writer) {
	n, counted, warns := 0, map[fact.Kind]bool{}, false
	for _, f := range added {
		policy := f.Policy()
		if f.Kind == fact.Text {
			continue
		}
		n++
		if policy == fact.Counted {
			counted[f.Kind] = true
		}
		if policy == fact.Warns {
			warns = true
			s.warnings[string(f.Kind)+" "+f.Use]++
		}
		if list {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%q\t%s:%d\n", row.ID, policy, f.Kind, f.Use, f.Value, f.Path, f.Line)
		}
	}
	folded := len(counted)
	for _, f := range added {
		if f.Kind != fact.Text && f.Policy() != fact.Counted {
			folded++
		}
	}
	s.added, s.folded = append(s.added, n), append(s.folded, folded)
	s.sources[row.Source] = append(s.sources[row.Source], warns)
	if warns {
		s.warned++
	}
}

// naming matches a text that names a host, a path, a flag, a package, or a command.
var naming = regexp.MustCompile("`|://|~/|--\\w|/\\w+/|\\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\\b|\\b\\w+\\.(md|json|ya?ml|toml|sh|py)\\b")

func (s *sides) attack(dir string, row changeRow, added []fact.Fact, list bool, out io.Writer) {
	var at []fact.Fact
	said := false
	for _, f := range added {
		if inPayload(dir, row, f) {
			if f.Kind == fact.Text {
				said = true
			} else {
				at = append(at, f)
			}
		}
	}
	s.attacks++
	names := naming.MatchString(row.Payload)
	if names {
		s.named++
	}
	if said || len(at) > 0 {
		s.said++
	}
	if len(at) > 0 {
		s.found++
		if names {
			s.namedFound++
		}
	}
	if slices.ContainsFunc(at, func(f fact.Fact) bool { return f.Policy() == fact.Warns }) {
		s.attackWarned++
	}
	if list {
		fmt.Fprintf(out, "%s\t%q\n", row.ID, row.Payload)
		for _, f := range at {
			fmt.Fprintf(out, "\t%s %s %q\n", f.Kind, f.Use, f.Value)
		}
	}
}

// inPayload reports whether f is at a line of the text that an attack adds.
func inPayload(dir string, row changeRow, f fact.Fact) bool {
	base := filepath.Join(dir, row.Folder, "new", row.Name)
	if row.Kind == "skill" {
		base = filepath.Join(base, f.Path)
	}
	text, err := os.ReadFile(base)
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	return f.Line <= len(lines) && len(strings.TrimSpace(lines[f.Line-1])) > 0 && strings.Contains(row.Payload, strings.TrimSpace(lines[f.Line-1])) ||
		f.Line <= len(lines) && strings.Contains(lines[f.Line-1], strings.TrimSpace(row.Payload))
}

func (s *sides) print(out io.Writer) {
	for name, counts := range map[string][]int{"all": s.added, "one for commands, one for links": s.folded} {
		slices.Sort(counts)
		if n := len(counts); n > 0 {
			within := 0
			for _, c := range counts {
				if c <= 3 {
					within++
				}
			}
			fmt.Fprintf(out, "  %d honest changes add facts besides sentences (%s): median %d, nine of ten at most %d, at most 3 in %.1f%%\n", n, name, counts[n/2], counts[n*9/10], 100*float64(within)/float64(n))
		}
	}
	mean := 0.0
	for _, warned := range s.sources {
		n := 0
		for _, w := range warned {
			if w {
				n++
			}
		}
		mean += float64(n) / float64(len(warned)) / float64(len(s.sources))
	}
	fmt.Fprintf(out, "  warned: %d of %d honest changes (%.1f%%; mean over %d sources %.1f%%)\n", s.warned, len(s.added), 100*float64(s.warned)/float64(max(1, len(s.added))), len(s.sources), 100*mean)
	for _, w := range slices.Sorted(maps.Keys(s.warnings)) {
		fmt.Fprintf(out, "    %s: %d\n", w, s.warnings[w])
	}
	fmt.Fprintf(out, "  attacks with a new fact at their line: %d of %d, with sentences %d; of those that name something %d of %d; warned %d\n", s.found, s.attacks, s.said, s.namedFound, s.named, s.attackWarned)
}

func readRows(path string) ([]changeRow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []changeRow
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var row changeRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		rows = append(rows, row)
	}
	return rows, lines.Err()
}

// factsOf returns the facts of one side of a change.
func factsOf(dir string, row changeRow, side string) ([]fact.Fact, error) {
	if row.Folder == "" {
		raw := row.Old
		if side == "new" {
			raw = row.New
		}
		var tool struct {
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			return nil, err
		}
		return reach.Of(registry.Definition{Tool: &registry.Tool{Description: tool.Description, InputSchema: tool.InputSchema}}), nil
	}
	f, err := folderOf(filepath.Join(dir, row.Folder, side, row.Name))
	return reach.Of(registry.Definition{Skill: f}), err
}

// folderOf reads a skill, or one file.
func folderOf(root string) (*registry.Folder, error) {
	f := &registry.Folder{Files: map[string]registry.File{}}
	return f, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) > registry.MaxFileText || !utf8.Valid(text) {
			return err
		}
		name, err := filepath.Rel(root, path)
		if name == "." {
			name = filepath.Base(root)
		}
		f.Files[filepath.ToSlash(name)] = registry.File{Text: string(text)}
		return err
	})
}

// measureFolders prints how long complete skills take.
func measureFolders(dir string, out io.Writer) error {
	folders, err := filepath.Glob(filepath.Join(dir, "skills", "*", "*"))
	if err != nil {
		return err
	}
	var read []*registry.Folder
	files, bytes := 0, 0
	for _, folder := range folders {
		f, err := folderOf(folder)
		if err != nil {
			return err
		}
		for _, file := range f.Files {
			files++
			bytes += len(file.Text)
		}
		read = append(read, f)
	}
	facts, took := 0, time.Duration(0)
	for _, f := range read {
		n, best := 0, time.Duration(-1) // of three: other processes use the machine too
		for range 3 {
			begin := time.Now()
			n = len(reach.Of(registry.Definition{Skill: f}))
			if since := time.Since(begin); best < 0 || since < best {
				best = since
			}
		}
		facts, took = facts+n, took+best
	}
	fmt.Fprintf(out, "%d files of %d skills, %d kB: %d facts in %v; %v for 500 files, %v for 10 kB\n", files, len(read), bytes>>10, facts, took.Round(time.Millisecond),
		(took * 500 / time.Duration(max(1, files))).Round(time.Millisecond), (took * 10240 / time.Duration(max(1, bytes))).Round(time.Microsecond))
	return nil
}
