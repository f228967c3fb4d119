-- signed_subjects: what each signed statement is about, so that readers can demand the
-- newest statement about a subject, and not only the newest row. about is a subject
-- for each version that a statement approves, "tier TOOL", "finding PROPOSAL RULE PASSAGE
-- PATH", or "signers"; the hashes among them are those of the statement.
-- signature is the seq of the statement.
CREATE TABLE signed_subjects (
  about     TEXT NOT NULL,
  signature INTEGER NOT NULL REFERENCES signatures (seq),
  PRIMARY KEY (about, signature)
) STRICT, WITHOUT ROWID;

-- signed_about: the same, computed from the statements, line by line. A statement has
-- no character that JSON escapes but line ends; another text has no such lines.
CREATE VIEW signed_about AS
SELECT s.seq AS signature, CASE s.field ->> 0
  WHEN 'item' THEN s.field ->> 3
  WHEN 'tool' THEN 'tier ' || (s.field ->> 1)
  WHEN 'finding' THEN 'finding ' || (s.field ->> 1) || ' ' || (s.field ->> 5) || ' ' || (s.field ->> 6) || ' ' || (s.field ->> 7)
  ELSE 'signers' END AS about
FROM (
  SELECT g.seq, g.statement, '["' || replace(l.value, ' ', '","') || '"]' AS field
  FROM signatures g, json_each(CASE WHEN g.statement GLOB '*["\]*' OR NOT json_valid('["' || replace(g.statement, char(10), '","') || '"]') THEN '[]'
    ELSE '["' || replace(g.statement, char(10), '","') || '"]' END) l
) s
WHERE s.field ->> 0 IN ('tool', 'finding', 'signers') OR s.field ->> 0 = 'item' AND instr(s.statement, char(10) || 'verdict approved' || char(10)) > 0;

INSERT OR IGNORE INTO signed_subjects (signature, about) SELECT signature, about FROM signed_about WHERE about IS NOT NULL;
CREATE TRIGGER signatures_about AFTER INSERT ON signatures BEGIN
  INSERT OR IGNORE INTO signed_subjects (signature, about) SELECT signature, about FROM signed_about WHERE signature = NEW.seq AND about IS NOT NULL;
END;
CREATE TRIGGER signed_subjects_update BEFORE UPDATE ON signed_subjects BEGIN SELECT RAISE(ABORT, 'signatures are immutable'); END;
CREATE TRIGGER signed_subjects_delete BEFORE DELETE ON signed_subjects BEGIN SELECT RAISE(ABORT, 'signatures are immutable'); END;
