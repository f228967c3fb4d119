-- size: the bytes of the definition that is live, where the index of a kind has it, so
-- that a reader knows that a prompt stays within its limit without reading what it lists.
ALTER TABLE live ADD COLUMN size bigint NOT NULL DEFAULT 0;
ALTER TABLE live DISABLE TRIGGER USER;
UPDATE live SET size = (SELECT octet_length(definition) FROM versions v WHERE v.subject = live.subject AND v.number = live.version);
ALTER TABLE live ENABLE TRIGGER USER;
DROP INDEX live_by_tool_kind;
CREATE INDEX live_by_tool_kind ON live (tool_kind, id, layer, status, size) WHERE kind = 'tool';
