package cli

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"toolcrib/history/workspace"
	"toolcrib/registry"
	"toolcrib/store"
	"toolcrib/visible"
)

type docExport struct {
	Schema int         `json:"schema"`
	Kind   string      `json:"kind"`
	View   []string    `json:"view"`
	Tools  []docExtent `json:"tools"`
	Agents []docExtent `json:"agents"`
}

// docExtent is a live definition as an application loads it.
type docExtent struct {
	Subject     string          `json:"subject"`
	Version     int             `json:"version"`
	ContentHash string          `json:"content_hash"`
	Hash        string          `json:"hash"`
	Locked      bool            `json:"locked"`
	Definition  json.RawMessage `json:"definition"`
}

func newExport(a *app) *cobra.Command {
	var asOf, output string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the live catalog for an application to load",
		Long: `Write every live tool and agent of the merged view as one JSON document, each
with its version and hashes. Only what was approved is in it. With --as-of the
catalog is written as it was then.`,
		Args: exact(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := parseTime(asOf)
			if err != nil {
				return err
			}
			return runExport(cmd.Context(), a, store.CatalogQuery{AsOf: at}, output)
		},
	}
	cmd.Flags().StringVar(&asOf, "as-of", "", "as it was at `TIME` (RFC 3339)")
	cmd.Flags().StringVar(&output, "output", "", "write to `FILE` instead of standard output")
	return cmd
}

func runExport(ctx context.Context, a *app, q store.CatalogQuery, output string) error {
	db, err := a.database(ctx)
	if err != nil {
		return err
	}
	layer, err := a.layer()
	if err != nil {
		return err
	}
	q.View = layer.View()
	doc := docExport{Schema: schema, Kind: "export", View: []string{}, Tools: []docExtent{}, Agents: []docExtent{}}
	for _, l := range q.View {
		doc.View = append(doc.View, string(l))
	}
	for _, kind := range []registry.Kind{registry.KindTool, registry.KindAgent} {
		q.Kind = kind
		entries, err := db.Export(ctx, q)
		if err != nil {
			return err
		}
		list := &doc.Tools
		if kind == registry.KindAgent {
			list = &doc.Agents
		}
		for _, e := range entries {
			*list = append(*list, docExtent{
				Subject: e.Subject.String(), Version: e.Version, ContentHash: e.ContentHash, Hash: e.Hash, Locked: e.Locked, Definition: e.Definition,
			})
		}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	text := visible.JSON(buf.Bytes())
	if output == "" {
		_, err := a.env.Out.Write(text)
		return err
	}
	return workspace.WriteFile(a.path(output), text)
}
