-- The audit log, and the imports that proposals come from.

CREATE TABLE events (
  seq       bigint PRIMARY KEY CHECK (seq > 0),
  id        text COLLATE "C" NOT NULL UNIQUE,
  at        text COLLATE "C" NOT NULL,
  actor     text COLLATE "C" NOT NULL,
  act       text COLLATE "C" NOT NULL,
  subject   text COLLATE "C" NOT NULL,
  proposal  text COLLATE "C" NOT NULL,
  revision  bigint NOT NULL,
  record    text COLLATE "C" NOT NULL,
  data      text COLLATE "C" NOT NULL,
  prev_hash text COLLATE "C" NOT NULL,
  hash      text COLLATE "C" NOT NULL CHECK (length(hash) = 64)
);
CREATE INDEX events_by_proposal ON events (proposal, seq) WHERE proposal <> '';
CREATE INDEX events_by_subject ON events (subject, seq) WHERE subject <> '';
CREATE INDEX events_by_record ON events (record) WHERE record <> '';
CREATE INDEX events_by_agent ON events (actor, at) WHERE substr(actor, 1, 6) = 'agent:' AND act IN ('draft', 'revise', 'comment');
CREATE INDEX events_of_signers ON events (seq) WHERE act = 'signers';

-- check_chain is the trigger of the three chained logs: a row has the number after
-- the last one and the hash of the last one. The table is its argument.
CREATE FUNCTION check_chain() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
DECLARE
  last_seq bigint;
  last_hash text;
BEGIN
  EXECUTE pg_catalog.format('SELECT seq, hash FROM %I ORDER BY seq DESC LIMIT 1', TG_TABLE_NAME) INTO last_seq, last_hash;
  IF NEW.seq <> 1 + coalesce(last_seq, 0) OR NEW.prev_hash <> coalesce(last_hash, '') THEN
    RAISE EXCEPTION '% are only appended, each to the one before', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER events_insert BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION check_chain();
CREATE TRIGGER events_update BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse('events are immutable');
CREATE TRIGGER events_truncate BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse('events are immutable');

CREATE TABLE signatures (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  hash       text COLLATE "C" NOT NULL UNIQUE CHECK (length(hash) = 64),
  statement  text COLLATE "C" NOT NULL,
  signature  text COLLATE "C" NOT NULL,
  signed_by  text COLLATE "C" NOT NULL CHECK (signed_by LIKE 'user:_%'),
  created_at text COLLATE "C" NOT NULL,
  seal       text COLLATE "C" NOT NULL CHECK (length(seal) = 64)
);
CREATE TRIGGER signatures_update BEFORE UPDATE OR DELETE ON signatures FOR EACH ROW EXECUTE FUNCTION refuse('signatures are immutable');
CREATE TRIGGER signatures_truncate BEFORE TRUNCATE ON signatures FOR EACH STATEMENT EXECUTE FUNCTION refuse('signatures are immutable');

CREATE TABLE raws (
  hash text COLLATE "C" PRIMARY KEY CHECK (length(hash) = 64),
  body bytea NOT NULL
);
CREATE TRIGGER raws_update BEFORE UPDATE OR DELETE ON raws FOR EACH ROW EXECUTE FUNCTION refuse('what was imported is immutable');
CREATE TRIGGER raws_truncate BEFORE TRUNCATE ON raws FOR EACH STATEMENT EXECUTE FUNCTION refuse('what was imported is immutable');

CREATE TABLE imports (
  seq          bigint PRIMARY KEY CHECK (seq > 0),
  id           text COLLATE "C" NOT NULL UNIQUE,
  at           text COLLATE "C" NOT NULL,
  actor        text COLLATE "C" NOT NULL,
  format       text COLLATE "C" NOT NULL,
  label        text COLLATE "C" NOT NULL,
  hash         text COLLATE "C" NOT NULL CHECK (length(hash) = 64),
  capabilities text COLLATE "C" NOT NULL,
  tools        text COLLATE "C" NOT NULL
);
CREATE INDEX imports_by_label ON imports (label, seq);
CREATE TRIGGER imports_update BEFORE UPDATE OR DELETE ON imports FOR EACH ROW EXECUTE FUNCTION refuse('imports are immutable');
CREATE TRIGGER imports_truncate BEFORE TRUNCATE ON imports FOR EACH STATEMENT EXECUTE FUNCTION refuse('imports are immutable');
