-- contents: the bytes of binary files, once each, under their SHA-256. Definitions hold
-- the bytes of all other files. The check keeps a login from storing other bytes under a
-- hash that somebody proposes later.
CREATE TABLE contents (
  sha256 text COLLATE "C" PRIMARY KEY CHECK (sha256 = pg_catalog.encode(pg_catalog.sha256(bytes), 'hex')),
  bytes  bytea NOT NULL
);
CREATE TRIGGER contents_update BEFORE UPDATE OR DELETE ON contents FOR EACH ROW EXECUTE FUNCTION refuse('contents are immutable');
CREATE TRIGGER contents_truncate BEFORE TRUNCATE ON contents FOR EACH STATEMENT EXECUTE FUNCTION refuse('contents are immutable');

-- Whoever may propose may store what a proposal consists of.
ALTER TABLE contents ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON contents FROM PUBLIC;
GRANT SELECT ON contents TO toolcrib_user, toolcrib_agent, toolcrib_chief, toolcrib_reader;
GRANT INSERT ON contents TO toolcrib_user, toolcrib_agent;
CREATE POLICY contents_read ON contents FOR SELECT USING (true);
CREATE POLICY user_write ON contents FOR INSERT TO toolcrib_user WITH CHECK (true);
CREATE POLICY agent_write ON contents FOR INSERT TO toolcrib_agent WITH CHECK (true);
