-- skills and instructions are subjects too. The text of a CHECK is all that changes, so
-- that no table is written anew; the index that comes and goes tells other connections.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''tool'', ''agent'', ''list''', '''tool'', ''agent'', ''list'', ''skill'', ''instructions''')
WHERE type = 'table' AND name IN ('proposals', 'versions', 'live');
PRAGMA writable_schema = RESET;
CREATE INDEX live_reloaded ON live (id) WHERE id = '';
DROP INDEX live_reloaded;
