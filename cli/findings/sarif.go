package findings

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// The parts of SARIF 2.1.0 (OASIS, 27 March 2020) that are written, and GitHub's
// extensions for code scanning
// (docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		Automation sarifID       `json:"automationDetails"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		Version         string      `json:"version"`
		SemanticVersion string      `json:"semanticVersion"`
		InformationURI  string      `json:"informationUri"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int        `json:"startLine"`
		StartColumn int        `json:"startColumn,omitempty"`
		EndLine     int        `json:"endLine,omitempty"`
		EndColumn   int        `json:"endColumn,omitempty"`
		Snippet     *sarifText `json:"snippet,omitempty"`
	}
	sarifLogical struct {
		Name               string `json:"name"`
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

// levels are SARIF's names for severities.
var levels = map[string]string{"block": "error", "warn": "warning", "info": "note"}

// Tool describes the program and the run in SARIF.
type Tool struct {
	Version string // of the program, as it prints it
	Home    string // the address of its documentation
	Command string // "lint" or "check"; code scanning keeps their alerts apart by it
}

// SARIF writes a log with one run. Every rule that found something has to be
// among rules.
func SARIF(tool Tool, rules []Rule, found []Finding) ([]byte, error) {
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{
			Name: "toolcrib", Version: semantic(tool.Version), SemanticVersion: semantic(tool.Version), InformationURI: tool.Home, Rules: []sarifRule{},
		}},
		Automation: sarifID{"toolcrib/" + tool.Command + "/"},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	for _, r := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, r.sarif(tool.Home))
	}
	seen := map[string]int{}
	for _, f := range found {
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Rule, RuleIndex: slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule }), Level: levels[f.Severity],
			Message: sarifText{Text: cmp.Or(visible.Text(strings.TrimSpace(f.told()+" "+f.remedies())), f.Rule+".")}, Locations: locations(f), Related: related(f), Fingerprints: fingerprints(f, seen), Suppressions: suppressions(f),
		})
	}
	text, err := jsondoc.EncodeIndented(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
	return visible.JSON(text), err
}

// versionNumber is a version as semver.org has it, after an optional "v".
var versionNumber = regexp.MustCompile(`^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$`)

// semantic returns the number of a version; 0.0.0 with its name for a build that
// has none.
func semantic(version string) string {
	if m := versionNumber.FindStringSubmatch(version); m != nil {
		return m[1]
	}
	return "0.0.0-devel"
}

// suppressions tells that somebody approved the passage of a finding before.
func suppressions(f Finding) []sarifSuppression {
	if !f.Carried {
		return nil
	}
	return []sarifSuppression{{Kind: "external", Justification: "The passage is in " + cmp.Or(f.CarriedFrom, "the approved version") + " already."}}
}

func locations(f Finding) []sarifLocation {
	var l sarifLocation
	if f.File != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: uri(f.File)}, Region: region(f)}
	}
	if f.Subject != "" || f.Path != "" {
		at := sarifLogical{Name: cmp.Or(visible.Line(f.Subject), f.Path), Kind: "object"}
		at.FullyQualifiedName = at.Name
		if f.Subject != "" && f.Path != "" {
			at.FullyQualifiedName += "/" + visible.Line(f.Path)
			at.Kind = "property"
		}
		l.Logical = []sarifLogical{at}
	}
	if l.Physical == nil && l.Logical == nil {
		return nil
	}
	return []sarifLocation{l}
}

// related are the other places of a finding that says the same of several tools.
func related(f Finding) []sarifLocation {
	var list []sarifLocation
	for i, p := range f.Also {
		at := locations(Finding{File: f.File, Subject: p.Tool, Path: p.Path, Line: p.Line, Column: p.Column, EndLine: p.EndLine, EndColumn: p.EndColumn})
		at[0].ID, at[0].Message = i+1, &sarifText{Text: visible.Text(p.Tool + " has it, too.")}
		list = append(list, at[0])
	}
	return list
}

// uri returns the address of a file: relative ones stay relative, to the root of
// the checkout where the tool is run in it. Standard input has no address.
func uri(file string) string {
	if file == "-" {
		return "stdin"
	}
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}

// region is the place of a finding in its file. Code scanning shows nothing
// without a line, so findings about the whole file get its beginning.
func region(f Finding) *sarifRegion {
	if f.Line == 0 {
		return &sarifRegion{StartLine: 1, StartColumn: 1, EndLine: 1, EndColumn: 2}
	}
	r := &sarifRegion{StartLine: f.Line, StartColumn: max(f.Column, 1), EndLine: f.EndLine, EndColumn: f.EndColumn}
	if f.EndLine == 0 || f.EndColumn == 0 {
		r.EndLine, r.EndColumn = r.StartLine, r.StartColumn+1
	}
	if f.Passage != "" {
		r.Snippet = &sarifText{Text: visible.Text(f.Passage)}
	}
	return r
}

// fingerprints identify a finding from run to run: by rule, tool, field and
// passage, and by a count where all of these are the same. Lines and the place
// of the tool in its list do not count, so an alert stays the same one when
// something is added above it. Code scanning reads primaryLocationLineHash; it
// computes one of the text around a line when there is none, which changes with
// every neighbour in a file of one line.
func fingerprints(f Finding, seen map[string]int) map[string]string {
	parts := []string{f.Rule, f.Subject, cmp.Or(f.Field, f.Path), f.Passage}
	if len(f.Tools) > 0 {
		parts[1], parts[2] = "", "" // whichever tool comes first
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	hash := hex.EncodeToString(sum[:8])
	seen[f.File+"\x00"+hash]++
	print := hash + ":" + strconv.Itoa(seen[f.File+"\x00"+hash])
	return map[string]string{"toolcrib/v1": print, "primaryLocationLineHash": print}
}
