-- signed_subjects: what each signed statement is about, so that readers can demand the
-- newest statement about a subject, and not only the newest row. about is a subject
-- for each version that a statement approves, "tier TOOL", "finding PROPOSAL RULE PASSAGE
-- PATH", or "signers"; the hashes among them are those of the statement.
-- signature is the seq of the statement.
CREATE TABLE signed_subjects (
  about     text COLLATE "C" NOT NULL,
  signature bigint NOT NULL REFERENCES signatures (seq),
  PRIMARY KEY (about, signature)
);

-- signed_about: the same, computed from a statement, line by line.
CREATE FUNCTION signed_about(statement text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$ SELECT DISTINCT CASE split_part(line, ' ', 1)
    WHEN 'item' THEN split_part(line, ' ', 4)
    WHEN 'tool' THEN 'tier ' || split_part(line, ' ', 2)
    WHEN 'finding' THEN 'finding ' || split_part(line, ' ', 2) || ' ' || split_part(line, ' ', 6) || ' ' || split_part(line, ' ', 7) || ' ' || split_part(line, ' ', 8)
    ELSE 'signers' END
  FROM string_to_table($1, E'\n') AS l (line)
  WHERE split_part(line, ' ', 1) IN ('tool', 'finding', 'signers')
    OR split_part(line, ' ', 1) = 'item' AND strpos($1, E'\nverdict approved\n') > 0 $$;
CREATE FUNCTION list_signed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  INSERT INTO signed_subjects (about, signature) SELECT about, NEW.seq FROM signed_about(NEW.statement) AS a (about);
  RETURN NULL;
END $$;

INSERT INTO signed_subjects (about, signature) SELECT a.about, s.seq FROM signatures s CROSS JOIN LATERAL signed_about(s.statement) AS a (about);
CREATE TRIGGER signatures_about AFTER INSERT ON signatures FOR EACH ROW EXECUTE FUNCTION list_signed();
CREATE TRIGGER signed_subjects_update BEFORE UPDATE OR DELETE ON signed_subjects FOR EACH ROW EXECUTE FUNCTION refuse('signatures are immutable');
CREATE TRIGGER signed_subjects_truncate BEFORE TRUNCATE ON signed_subjects FOR EACH STATEMENT EXECUTE FUNCTION refuse('signatures are immutable');

-- Everybody reads it; the trigger alone writes.
ALTER TABLE signed_subjects ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON signed_subjects FROM PUBLIC;
REVOKE ALL ON FUNCTION signed_about(text), list_signed() FROM PUBLIC;
GRANT SELECT ON signed_subjects TO toolcrib_user, toolcrib_agent, toolcrib_chief, toolcrib_reader;
CREATE POLICY signed_subjects_read ON signed_subjects FOR SELECT USING (true);
