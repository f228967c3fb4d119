package findings

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"toolcrib/visible"
)

// Rule is what SARIF says of a rule.
type Rule struct {
	ID, Name, Severity, Doc, Help string
}

// The parts of SARIF 2.1.0 (OASIS, 27 March 2020) that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Name    string       `json:"name"`
		Short   sarifText    `json:"shortDescription"`
		Full    sarifText    `json:"fullDescription"`
		Help    sarifText    `json:"help"`
		Default sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
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
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)

// levels are SARIF's names for severities.
var levels = map[string]string{"block": "error", "warn": "warning", "info": "note"}

// SARIF writes a log with one run. Every rule that found something has to be
// among rules; version is that of the program.
func SARIF(w io.Writer, version string, rules []Rule, found []Finding) error {
	run := sarifRun{
		Tool:       sarifTool{Driver: sarifDriver{Name: "toolcrib", Version: version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	for _, r := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: r.ID, Name: r.Name, Short: sarifText{r.Name}, Full: sarifText{r.Doc}, Help: sarifText{r.Help}, Default: sarifDefault{levels[r.Severity]},
		})
	}
	for _, f := range found {
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Rule, RuleIndex: slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule }), Level: levels[f.Severity],
			Message: sarifText{visible.Text(f.Message)}, Locations: locations(f),
		})
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
	if err := enc.Encode(log); err != nil {
		return err
	}
	_, err := w.Write(visible.JSON(buf.Bytes()))
	return err
}

func locations(f Finding) []sarifLocation {
	var l sarifLocation
	if f.File != "" {
		name := url.URL{Path: filepath.ToSlash(f.File)}
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: name.String()}}
		if f.Line > 0 {
			l.Physical.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn}
		}
	}
	if f.Path != "" {
		l.Logical = []sarifLogical{{FullyQualifiedName: f.Path}}
	}
	if l.Physical == nil && l.Logical == nil {
		return nil
	}
	return []sarifLocation{l}
}
