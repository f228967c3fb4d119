-- workspaces: the folder that receives a project's files. The seal covers both
-- columns.
-- pending_exports: versions whose files still have to be written to a workspace. A trigger
-- adds them, so that no approval can forget one.
-- history_files: the versions whose snapshots were written to a workspace.
-- live_files: the contents that a workspace's live file may have, to detect an
-- edit by hand.
CREATE TABLE workspaces (
  dir     TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  seal    TEXT NOT NULL CHECK (length(seal) = 64)
) STRICT, WITHOUT ROWID;
CREATE TABLE pending_exports (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  dir     TEXT NOT NULL REFERENCES workspaces (dir),
  subject TEXT NOT NULL,
  number  INTEGER NOT NULL,
  FOREIGN KEY (subject, number) REFERENCES versions (subject, number)
) STRICT;
CREATE INDEX pending_exports_by_dir ON pending_exports (dir, seq);
CREATE TRIGGER versions_pending_export AFTER INSERT ON versions BEGIN
  INSERT INTO pending_exports (dir, subject, number)
  SELECT dir, NEW.subject, NEW.number FROM workspaces
  WHERE NEW.layer NOT LIKE 'project/%' OR NEW.layer = 'project/' || project;
END;
CREATE TABLE history_files (
  dir     TEXT NOT NULL REFERENCES workspaces (dir),
  subject TEXT NOT NULL,
  number  INTEGER NOT NULL,
  PRIMARY KEY (dir, subject, number),
  FOREIGN KEY (subject, number) REFERENCES versions (subject, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE live_files (
  dir  TEXT NOT NULL REFERENCES workspaces (dir),
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  PRIMARY KEY (dir, hash)
) STRICT, WITHOUT ROWID;
