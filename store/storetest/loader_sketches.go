// This file writes the near-duplicate sketches of a generated database.

package storetest

import (
	"database/sql"
	"errors"

	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// sketchBlock is the number of versions that share a row in the table sketches.
const sketchBlock = 256

func (l *loader) sketch(seq int64, t registry.Tool) error {
	if block := seq / sketchBlock; block != l.block {
		if err := l.flushSketches(); err != nil {
			return err
		}
		l.block = block
	}
	l.text.Add(seq, overlap.TextOf(t).Sketch())
	l.purpose.Add(seq, overlap.PurposeOf(t).Sketch())
	return nil
}

func (l *loader) flushSketches() error {
	if l.text.Len() == 0 {
		return nil
	}
	text, purpose, err := l.recentSketches()
	if err != nil {
		return err
	}
	if text, err = l.text.AppendBinary(text); err != nil {
		return err
	}
	if purpose, err = l.purpose.AppendBinary(purpose); err != nil {
		return err
	}
	l.text, l.purpose = overlap.Index{}, overlap.Index{}
	_, err = l.tx.ExecContext(l.ctx, "INSERT OR REPLACE INTO sketches (block, text, purpose) VALUES (?, ?, ?)", l.block, text, purpose)
	return err
}

// recentSketches returns the sketches of the current block that the database already contains. It deletes the rows of
// recent_sketches that belong to the block.
func (l *loader) recentSketches() (text, purpose []byte, err error) {
	err = l.tx.QueryRowContext(l.ctx, "SELECT text, purpose FROM sketches WHERE block = ?", l.block).Scan(&text, &purpose)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, nil, err
	}
	rows, err := l.tx.QueryContext(l.ctx, "DELETE FROM recent_sketches WHERE seq / ? = ? RETURNING text, purpose", sketchBlock, l.block)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var oneText, onePurpose []byte
		if err := rows.Scan(&oneText, &onePurpose); err != nil {
			return nil, nil, err
		}
		text, purpose = append(text, oneText...), append(purpose, onePurpose...)
	}
	return text, purpose, rows.Err()
}
