-- These checks compare the records with the log, which must refer to exactly the existing records, in
-- the order of each table. They also compare the versions with the decisions that approved them.

-- check versions: No decision approved this version.
SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.proposal <> '' AND NOT EXISTS (SELECT 1 FROM decisions d
  WHERE d.proposal = v.proposal AND d.verdict = 'approved' AND d.version = v.number AND d.version_hash = v.hash AND d.decided_by = v.decided_by);

-- check versions: It has no event.
SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.proposal = ''
  AND NOT EXISTS (SELECT 1 FROM events e WHERE e.record = v.hash AND e.record <> '');

-- check versions: It does not follow the previous version.
SELECT subject || ' version ' || number FROM (SELECT subject, number, seq, lag(seq, 1, 0) OVER (ORDER BY seq) AS before FROM versions) placed
  WHERE seq <> before + 1;

-- check decisions: The version that this decision approved is missing.
SELECT d.subject || ' version ' || d.version FROM decisions d WHERE d.verdict = 'approved' AND NOT EXISTS (SELECT 1 FROM versions v
  WHERE v.subject = d.subject AND v.number = d.version AND v.hash = d.version_hash);

-- check events: Its record is missing.
-- SEALS is a query for the seals of all records.
SELECT 'event ' || seq FROM events WHERE record <> '' AND record NOT IN (SEALS);
