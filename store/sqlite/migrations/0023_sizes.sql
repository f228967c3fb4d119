-- size: the bytes of the definition that is live, where the index of a kind has it, so
-- that a reader knows that a prompt stays within its limit without reading what it lists.
ALTER TABLE live ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
DROP TRIGGER live_update;
DROP TRIGGER live_core_update;
UPDATE live SET size = (SELECT octet_length(definition) FROM versions v WHERE v.subject = live.subject AND v.number = live.version);
CREATE TRIGGER live_update BEFORE UPDATE ON live
WHEN NEW.subject <> OLD.subject OR NEW.version <> OLD.version + 1 OR NEW.locked <> OLD.locked
BEGIN SELECT RAISE(ABORT, 'the live registry moves from one version to the next'); END;
CREATE TRIGGER live_core_update BEFORE UPDATE ON live
WHEN OLD.locked OR NEW.locked OR NEW.kind = 'tool' AND EXISTS (SELECT 1 FROM core WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;
DROP INDEX live_by_tool_kind;
CREATE INDEX live_by_tool_kind ON live (tool_kind, id, layer, status, size) WHERE kind = 'tool';
