// Command sbom writes a software bill of materials for a program in CycloneDX 1.6, and the licences of the
// linked modules. It reads the build information of the program and the module cache.
//
//	sbom -version v1.2.3 -notices THIRD_PARTY_NOTICES -bom sbom.cdx.json PROGRAM
//
// It exits with 1 if a module has no licence file, because a program with parts that cannot be distributed must
// not be released.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	bom := flag.String("bom", "", "write the bill of materials to `FILE`")
	notices := flag.String("notices", "", "write the licences of the linked modules to `FILE`")
	version := flag.String("version", "devel", "the `VERSION` of the program")
	flag.Parse()
	if err := run(flag.Arg(0), *version, *bom, *notices); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(program, version, bom, notices string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	info.Main.Version = version
	if bom != "" {
		if err := writeBOM(info, bom); err != nil {
			return err
		}
	}
	if notices != "" {
		return writeNotices(info, notices)
	}
	return nil
}

// document is the used part of a CycloneDX 1.6 bill of materials:
// https://cyclonedx.org/docs/1.6/json/. It has no serial number and no time, so
// that the same checkout gives the same bytes.
type document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func writeBOM(info *debug.BuildInfo, file string) error {
	doc := document{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{component{Type: "application", Ref: info.Main.Path, Name: info.Main.Path, Version: info.Main.Version}},
		Components: []component{{
			Type: "library", Ref: "std", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
		}},
	}
	for _, m := range linked(info) {
		purl := "pkg:golang/" + m.Path + "@" + m.Version
		doc.Components = append(doc.Components, component{
			Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl,
			Properties: []property{{"go:module:sum", m.Sum}},
		})
	}
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

// linked returns the modules of a program, those that replace others in their
// place, ordered by path.
func linked(info *debug.BuildInfo) []debug.Module {
	var modules []debug.Module
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		modules = append(modules, *m)
	}
	slices.SortFunc(modules, func(a, b debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return modules
}

// licence matches the names of files that state under which terms a module may
// be passed on.
var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)([.-].*)?$`)

func writeNotices(info *debug.BuildInfo, file string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is linked from the modules below, each under the terms printed with it.\n", info.Main.Path)
	modules := linked(info)
	dirs, err := folders(modules)
	if err != nil {
		return err
	}
	headings := append([]string{"Go runtime and standard library " + info.GoVersion}, names(modules)...)
	headings, dirs = append(headings, "tiktoken, the vocabularies"), append(dirs, filepath.Join("prompt", "tokens"))
	var missing []string
	for i, heading := range headings {
		texts, err := licences(dirs[i], heading)
		if err != nil {
			return err
		}
		if texts == "" {
			missing = append(missing, heading)
		}
		b.WriteString(texts)
	}
	if len(missing) > 0 {
		return errors.New("no licence file in " + strings.Join(missing, ", "))
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// names returns the modules as they are written in go.mod.
func names(modules []debug.Module) []string {
	var s []string
	for _, m := range modules {
		s = append(s, m.Path+" "+m.Version)
	}
	return s
}

// folders returns where the Go distribution and then each of the modules are on
// this machine.
func folders(modules []debug.Module) ([]string, error) {
	root, err := goLines("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-m", "-f", "{{.Dir}}"}
	for _, m := range modules {
		args = append(args, m.Path)
	}
	dirs, err := goLines(args...)
	if err == nil && len(dirs) != len(modules) {
		err = fmt.Errorf("go list found %d of %d modules", len(dirs), len(modules))
	}
	return append(root, dirs...), err
}

// goLines runs the go command and returns the lines it prints.
func goLines(args ...string) ([]string, error) {
	out, err := exec.Command("go", args...).Output() //nolint:noctx // a build step, ended with its script
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

// licences returns the texts of the licence files in dir, each below a heading,
// or "" when there are none.
func licences(dir, heading string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, entry := range entries {
		if entry.IsDir() || !licence.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n%s\n%s (%s)\n%s\n\n%s\n", strings.Repeat("=", 80), heading, entry.Name(), strings.Repeat("=", 80), strings.TrimSpace(string(text)))
	}
	return b.String(), nil
}
