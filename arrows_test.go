package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which packages of ours each folder may import, its own subfolders apart
// that are not named here. Arrows go down only. Everybody may import internal, which
// knows nothing of toolcrib.
var arrows = map[string][]string{
	".":             {"cli"},
	"cli":           {"tui", "gateway/serve", "gateway/mcp", "gateway", "review", "store", "prompt", "history", "proposals", "registry", "signing", "testdata"},
	"tui":           {"gateway", "review", "prompt", "history", "proposals", "registry"},
	"gateway/serve": {"gateway/mcp", "gateway", "review", "prompt", "history", "proposals", "registry"},
	"gateway/mcp":   {"gateway", "review", "prompt", "history", "proposals", "registry"},
	"gateway":       {"review", "prompt", "proposals", "registry", "signing"},
	"store":         {"gateway", "review", "prompt", "history", "proposals", "registry", "signing"},
	"review":        {"prompt", "history", "proposals", "registry", "signing"},
	"prompt":        {"registry"},
	"history":       {"registry"},
	"proposals":     {"registry"},
	"registry":      {},
	"signing":       {},
	"internal":      {},
	"testdata":      {},
	"examples":      {},
	"tools":         {"cli", "store", "gateway", "signing", "review", "prompt", "history", "proposals", "registry"},
}

// ruleArrows is the same within review/rules, where tests of a folder may use
// rulestest too: what a family of rules may import of the others.
var ruleArrows = map[string][]string{
	"rules":     {"scan"},
	"scan":      {},
	"rulebook":  {"scan"},
	"rulestest": {"rules", "rulebook"},
	"template":  {"rules"},
	"names":     {"rules"},
	"overlaps":  {"rules"},
	"schema":    {"rules"},
	"trust":     {"rules"},
	"agents":    {"rules"},
	"budget":    {"rules"},
	"files":     {"rules"},
	"wording":   {"rules", "scan", "rulebook", "schema"}, // schema: dangerous defaults
	"reached":   {"rules", "rulebook"},
	"form":      {"rules", "scan", "wording"}, // wording: texts that are scanned once
	"ruleset": {
		"rules", "rulebook", "files", "template", "names", "wording", "form", "reached", "overlaps", "schema", "trust", "agents", "budget",
	},
}

// storeArrows is the same within store: which of its folders each may import. Only store
// itself, which assembles them, the copies from one engine to the other, and what tests
// share know all of them.
var storeArrows = map[string][]string{
	"engine":       {},
	"sqlite":       {"engine"},
	"pg":           {"engine"},
	"ranking":      {"sqlite"},
	"table":        {"engine"},
	"session":      {"engine"},
	"records":      {"engine", "session", "table"},
	"assistant":    {"engine", "session", "table"},
	"catalog":      {"engine", "session", "table", "records"},
	"queue":        {"engine", "session", "table", "records"},
	"calls":        {"engine", "session", "table", "records", "catalog"},
	"workspaces":   {"engine", "session", "table", "records", "catalog"},
	"verification": {"engine", "session", "table", "records", "catalog", "queue", "calls", "assistant", "workspaces"},
}

// reviewLayers are the folders of review, from the bottom. Each may import those of lower
// layers only, those of the lowest each other too. "" is review itself, whose types the
// parts of the desk share; only service knows all parts.
var reviewLayers = [][]string{
	{"approval", "harness", "impact", "intake", "overlap", "proof", "reach", "rules"},
	{""},
	{"records", "bundle", "chief", "setpage"},
	{"admission"},
	{"inspection", "assessing"},
	{"reading", "drafting", "deciding"},
	{"service"},
}

// reviewLayer returns the folder of review that a path below it is in, and its layer; -1
// for none.
func reviewLayer(path string) (folder string, layer int) {
	folder, _, _ = strings.Cut(path, "/")
	return folder, slices.IndexFunc(reviewLayers, func(l []string) bool { return slices.Contains(l, folder) })
}

// tuiLayers are the folders of tui without a page of the workbench, from the bottom. Each
// may import those of lower layers only. A folder that is not here has a page, which may
// import the layers up to editor: a page knows no part of the workbench and no other page,
// and no part knows a page. Only tui itself knows all of them.
var tuiLayers = [][]string{
	{"theme", "wording"},
	{"draw"},
	{"pager"},
	{"prose"},
	{"labels", "edit", "markdown", "difflist"},
	{"quotes"},
	{"seen"},
	{"screen"},
	{"unsent", "pending", "navigation"},
	{"editor"},
	{"dialog", "desk", "screen/screentest"},
	{"shell", "jobs", "writes", "decisions", "drafting", "keys"},
}

// tuiLayer returns the layer of a folder of tui. Pages are above editor, and tui itself,
// "", is above everything.
func tuiLayer(folder string) (layer int, page bool) {
	above := func(name string) int {
		return slices.IndexFunc(tuiLayers, func(l []string) bool { return slices.Contains(l, name) })
	}
	own := folder
	if above(own) < 0 {
		own, _, _ = strings.Cut(folder, "/")
	}
	switch layer := above(own); {
	case own == "":
		return len(tuiLayers), false
	case layer < 0:
		return above("editor") + 1, true
	default:
		return layer, false
	}
}

// familyArrows is the same within cli, for the folders with a family of commands each:
// which others a family may use. Only cli itself knows all of them, and nothing else
// below it knows any.
var familyArrows = map[string][]string{
	"calls":     {},
	"catalog":   {},
	"check":     {"files"},
	"config":    {},
	"database":  {"config", "sign", "verify"}, // doctor examines what they set up
	"demo":      {"workbench"},
	"export":    {},
	"files":     {},
	"imports":   {"files"},
	"lint":      {},
	"preview":   {},
	"proposal":  {"lint"}, // review --git reads files as lint does
	"server":    {"export", "files", "imports", "share", "verify"},
	"setup":     {"files", "imports", "wrap"},
	"share":     {"export", "verify"},
	"sign":      {},
	"verify":    {},
	"workbench": {"export", "files", "imports", "verify", "wrap"},
	"wrap":      {"files"}, // status names the files that hooks leave out
}

func TestArrowsGoDown(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder := "."
		if strings.Contains(filepath.ToSlash(path), "/") {
			folder = folderOf(filepath.ToSlash(filepath.Dir(path)))
		}
		allowed, known := arrows[folder]
		if !known {
			t.Errorf("%s: the folder %s is not in the house", path, folder)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if name == "database/sql" && folder != "store" {
				t.Errorf("%s imports database/sql, which only store does", path)
			}
			ours, ok := strings.CutPrefix(name, "toolcrib/")
			if !ok {
				continue
			}
			target := folderOf(ours)
			if of, inRules := ruleFolder(name + "/"); inRules {
				if from, ok := ruleFolder("toolcrib/" + filepath.ToSlash(path)); ok && of != from && !slices.Contains(ruleArrows[from], of) {
					t.Errorf("%s imports %s; arrows from %s go to %v", path, name, from, ruleArrows[from])
				}
			}
			if below, ok := strings.CutPrefix(filepath.ToSlash(path), "store/"); ok && folder == "store" && target == folder {
				from, _, _ := strings.Cut(below, "/")
				of, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(ours, "store"), "/"), "/")
				if may, layered := storeArrows[from]; layered && of != from && !slices.Contains(may, of) {
					t.Errorf("%s imports %s; arrows from store/%s go to %v", path, name, from, may)
				}
			}
			if of, ok := strings.CutPrefix(ours+"/", "review/"); ok && folder == "review" {
				own, layer := reviewLayer(strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path))+"/", "review/"))
				of, below := reviewLayer(of)
				if layer < 0 || below < 0 || own != of && below >= max(layer, 1) {
					t.Errorf("%s imports %s, which is not below it in review", path, name)
				}
			}
			if of, ok := strings.CutPrefix(ours, "tui"); ok && folder == "tui" {
				from, of := strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "tui"), "/"), strings.TrimPrefix(of, "/")
				layer, _ := tuiLayer(from)
				below, isPage := tuiLayer(of)
				same := strings.HasPrefix(of+"/", from+"/") || strings.HasPrefix(from+"/", of+"/")
				if from != "" && (!same || of == "") && (below >= layer || isPage) {
					t.Errorf("%s imports %s, which is not below it in tui", path, name)
				}
			}
			if own, below, ok := strings.Cut(strings.TrimPrefix(filepath.ToSlash(path), "cli/"), "/"); ok && folder == "cli" && below != "" {
				family, ok := strings.CutPrefix(name, "toolcrib/cli/")
				_, isFamily := familyArrows[family]
				if family != own && (ok && isFamily && !slices.Contains(familyArrows[own], family) || name == "toolcrib/cli") {
					t.Errorf("%s imports %s: nothing below cli knows it, and arrows from %s go to the families %v", path, name, own, familyArrows[own])
				}
			}
			if target != folder && target != "internal" && !slices.Contains(allowed, target) {
				t.Errorf("%s imports %s; arrows from %s go to %v", path, name, folder, allowed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// folderOf returns the folder of arrows that a package is in.
func folderOf(path string) string {
	top, below, _ := strings.Cut(path, "/")
	second, _, _ := strings.Cut(below, "/")
	if _, known := arrows[top+"/"+second]; known {
		return top + "/" + second
	}
	return top
}

// ruleFolder returns the folder of review/rules that a path leads into, "rules" for
// itself, and whether it leads there.
func ruleFolder(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, "toolcrib/review/rules/")
	if folder, _, nested := strings.Cut(rest, "/"); nested {
		return folder, ok
	}
	return "rules", ok
}
