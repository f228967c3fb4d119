package store

import (
	"context"
	sqldriver "database/sql/driver"

	"toolcrib/history"
	"toolcrib/internal/plaintext"
)

// unsealedTextTables lists the unsealed tables with texts that no other check compares
// with a sealed one, as it does those of proposals, issues, live, and names. The texts of
// a sealed row are looked at when its seal is recomputed.
func unsealedTextTables() []string {
	return []string{
		"call_refusals", "conversations", "core", "entities", "history_files", "imports", "live_files", "memories", "memory_links",
		"owners", "pending_exports", "projects", "proposal_rules", "reminders", "schedules", "shown", "tasks", "workspaces",
	}
}

// unsealedTexts returns inspections that note rows with a text that cannot be stored
// today.
func unsealedTexts() []inspection {
	var list []inspection
	for _, table := range unsealedTextTables() {
		list = append(list, inspection{table, func(ctx context.Context, s *session, fn func(history.Damage)) error {
			return s.Plain(ctx, "SELECT * FROM "+table, func(values []sqldriver.Value) error {
				for _, value := range values {
					text, _ := value.(string)
					if plaintext.Problem(text) != "" {
						key, err := asText(values[0])
						fn(history.NotText(table, key))
						return err
					}
				}
				return nil
			})
		}})
	}
	return list
}
