-- These checks compare imports with their events. Imports have no seals, but the events repeat
-- every column.

-- check imports: It does not match the import in the log.
SELECT 'imports row ' || i.seq FROM imports i LEFT JOIN events e ON e.id = i.id AND e.act = 'import'
  WHERE (i.at, i.actor, i.format, i.label, i.hash, i.capabilities, i.tools) IS DISTINCT FROM
  (e.at, e.actor, json_extract(e.data, '$.format'), json_extract(e.data, '$.label'), json_extract(e.data, '$.hash'), json_extract(e.data, '$.capabilities'), json_extract(e.data, '$.tools'));

-- check raws: The JSON imported under this hash is missing.
SELECT DISTINCT t.value FROM imports i, json_each(i.tools, '$') t WHERE t.value NOT IN (SELECT hash FROM raws);

-- check imports: Its position differs from the position in the log.
SELECT 'imports row ' || seq FROM (SELECT i.seq, e.seq AS logged, row_number() OVER in_order AS place, lag(e.seq) OVER in_order AS logged_before
  FROM imports i JOIN events e ON e.id = i.id WINDOW in_order AS (ORDER BY i.seq)) placed WHERE seq <> place OR logged <= logged_before;

-- check events: Its import is missing.
SELECT 'event ' || e.seq FROM events e WHERE e.act = 'import' AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.id = e.id);
