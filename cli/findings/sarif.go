// This file encodes findings in SARIF.

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

	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// These types represent the parts of SARIF 2.1.0 (OASIS, 27 March 2020) that toolcrib writes, and the extensions of
// GitHub code scanning
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

// levels maps the severities of rules to the levels of SARIF.
var levels = map[string]string{"block": "error", "warn": "warning", "info": "note"}

// Run contains the findings of one run of a command. Rules must contain every rule that a finding refers to.
type Run struct {
	Command string // name of the command; GitHub code scanning separates the alerts of different commands
	Page    string // page that documents the rules
	Rules   []Rule
	Found   []Finding
}

// home is the URL of the documentation. It is a placeholder in a domain that is reserved for examples (RFC 2606),
// because the module has no public URL yet.
const home = "https://toolcrib.example/"

// SARIF returns a SARIF log of the run r. version is the version of toolcrib.
func SARIF(r Run, version string) ([]byte, error) {
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{
			Name: "toolcrib", Version: semantic(version), SemanticVersion: semantic(version), InformationURI: home + r.Page,
			Rules: lists.Map(r.Rules, func(rule Rule) sarifRule { return rule.sarif(home + r.Page) }),
		}},
		Automation: sarifID{"toolcrib/" + r.Command + "/"},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	seen := map[string]int{}
	for _, f := range r.Found {
		result := sarifResult{
			RuleID: f.Rule, RuleIndex: slices.IndexFunc(r.Rules, func(rule Rule) bool { return rule.ID == f.Rule }), Level: levels[f.Severity],
			Message:   sarifText{Text: cmp.Or(visible.Text(strings.TrimSpace(f.message()+" "+f.remedies())), f.Rule+".")},
			Locations: locations(f), Fingerprints: fingerprints(f, seen),
		}
		for i, p := range f.Also {
			at := locations(Finding{File: f.File, Subject: p.Tool, Path: p.Path, Line: p.Line, Column: p.Column, EndLine: p.EndLine, EndColumn: p.EndColumn})
			at[0].ID, at[0].Message = i+1, &sarifText{Text: visible.Text(p.Tool + " has the same text.")}
			result.Related = append(result.Related, at[0])
		}
		if f.Carried {
			result.Suppressions = []sarifSuppression{{Kind: "external", Justification: "The passage is already in " + cmp.Or(f.CarriedFrom, "the approved version") + "."}}
		}
		run.Results = append(run.Results, result)
	}
	text, err := jsondoc.EncodeIndented(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
	return visible.JSON(text), err
}

// versionNumber matches a semantic version (semver.org) after an optional "v".
var versionNumber = regexp.MustCompile(`^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$`)

// semantic extracts the semantic version from version. It returns a placeholder if version is not a semantic version
// with an optional "v".
func semantic(version string) string {
	if m := versionNumber.FindStringSubmatch(version); m != nil {
		return m[1]
	}
	return "0.0.0-devel"
}

func locations(f Finding) []sarifLocation {
	var l sarifLocation
	if f.File != "" {
		address := url.URL{Path: filepath.ToSlash(f.File)} // code scanning resolves a relative URL against the root of the checkout
		if filepath.IsAbs(f.File) {
			address.Scheme = "file"
		} else if f.File == "-" {
			address.Path = "stdin"
		}
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: address.String()}, Region: region(f)}
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

// region returns the position of a finding in its file. For a finding about the whole file, it returns the position
// of the first character, because GitHub code scanning ignores results without a line.
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

// fingerprints returns values that identify a finding across runs. Code scanning uses them to recognize an alert after
// other lines have changed. A fingerprint depends on the rule, tool, field, and passage, but not on the line or on the
// position of the tool in its list. Equal findings in a file are numbered. counts contains the last number for each
// file and hash.
//
// GitHub code scanning reads primaryLocationLineHash. Without this value, it would compute a hash of the text around
// the line. In a file with a single line, this text includes all other tools.
func fingerprints(f Finding, counts map[string]int) map[string]string {
	parts := []string{f.Rule, f.Subject, cmp.Or(f.Field, f.Path), f.Passage}
	if len(f.Tools) > 0 {
		parts[1], parts[2] = "", "" // the fingerprint must not depend on the order of the tools
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	hash := hex.EncodeToString(sum[:8])
	counts[f.File+"\x00"+hash]++
	print := hash + ":" + strconv.Itoa(counts[f.File+"\x00"+hash])
	return map[string]string{"toolcrib/v1": print, "primaryLocationLineHash": print}
}
