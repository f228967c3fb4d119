-- The folders that receive a project's files.

CREATE TABLE workspaces (
  dir     text COLLATE "C" PRIMARY KEY,
  project text COLLATE "C" NOT NULL,
  seal    text COLLATE "C" NOT NULL CHECK (length(seal) = 64)
);
CREATE TABLE pending_exports (
  seq     bigint PRIMARY KEY,
  dir     text COLLATE "C" NOT NULL REFERENCES workspaces (dir),
  subject text COLLATE "C" NOT NULL,
  number  bigint NOT NULL,
  FOREIGN KEY (subject, number) REFERENCES versions (subject, number)
);
CREATE INDEX pending_exports_by_dir ON pending_exports (dir, seq);
CREATE FUNCTION queue_export() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  INSERT INTO pending_exports (seq, dir, subject, number)
  SELECT coalesce((SELECT max(seq) FROM pending_exports), 0) + row_number() OVER (ORDER BY dir), dir, NEW.subject, NEW.number FROM workspaces
  WHERE NEW.layer NOT LIKE 'project/%' OR NEW.layer = 'project/' || project;
  RETURN NULL;
END $$;
CREATE TRIGGER versions_pending_export AFTER INSERT ON versions FOR EACH ROW EXECUTE FUNCTION queue_export();
CREATE TABLE history_files (
  dir     text COLLATE "C" NOT NULL REFERENCES workspaces (dir),
  subject text COLLATE "C" NOT NULL,
  number  bigint NOT NULL,
  PRIMARY KEY (dir, subject, number),
  FOREIGN KEY (subject, number) REFERENCES versions (subject, number)
);
CREATE TABLE live_files (
  dir  text COLLATE "C" NOT NULL REFERENCES workspaces (dir),
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 64),
  PRIMARY KEY (dir, hash)
);
