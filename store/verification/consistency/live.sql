-- These checks find subjects with a live version that is not the last version.

-- check live: The live version is not the last approved version.
SELECT l.subject FROM live l WHERE NOT EXISTS (SELECT 1 FROM versions v
  WHERE v.subject = l.subject AND v.number = l.version AND v.content_hash = l.content_hash)
  OR l.version <> (SELECT max(number) FROM versions WHERE subject = l.subject);

-- check live: The subject has versions, but none is live.
SELECT DISTINCT subject FROM versions WHERE subject NOT IN (SELECT subject FROM live);
