-- These checks compare a table of records, TABLE, with the log.

-- check TABLE: It has no event.
SELECT 'TABLE row ' || t.seq FROM TABLE t WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.record = t.seal AND e.record <> '');

-- check TABLE: Its position differs from the position of its event.
SELECT 'TABLE row ' || seq FROM (SELECT t.seq, e.seq AS told, lag(t.seq, 1, 0) OVER in_order AS before, lag(e.seq) OVER in_order AS told_before
  FROM TABLE t LEFT JOIN events e ON e.record = t.seal AND e.record <> '' WINDOW in_order AS (ORDER BY t.seq)) placed
  WHERE seq <> before + 1 OR told <= told_before;
