-- The runtime log: who called which tool, what the user answered, and the outcome.

-- pending_calls (records): calls that need the user's approval, with their
-- arguments.
CREATE TABLE pending_calls (
  seq          INTEGER PRIMARY KEY CHECK (seq > 0),
  id           TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  caller       TEXT NOT NULL,
  agent        TEXT NOT NULL,
  user         TEXT NOT NULL,
  tool         TEXT NOT NULL,
  version      INTEGER NOT NULL,
  content_hash TEXT NOT NULL CHECK (length(content_hash) = 64),
  args         TEXT NOT NULL,
  said         TEXT NOT NULL, -- about the call, by its caller; '' for nothing
  digest       TEXT NOT NULL CHECK (length(digest) = 64),
  asked_at     TEXT NOT NULL,
  expires_at   TEXT NOT NULL,
  seal         TEXT NOT NULL CHECK (length(seal) = 64),
  FOREIGN KEY (tool, version) REFERENCES versions (subject, number)
) STRICT;
CREATE INDEX pending_calls_by_expiry ON pending_calls (expires_at);
CREATE TRIGGER pending_calls_insert BEFORE INSERT ON pending_calls
WHEN EXISTS (SELECT 1 FROM pending_calls WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'pending calls are only appended'); END;
CREATE TRIGGER pending_calls_update BEFORE UPDATE ON pending_calls BEGIN SELECT RAISE(ABORT, 'pending calls are immutable'); END;
CREATE TRIGGER pending_calls_delete BEFORE DELETE ON pending_calls BEGIN SELECT RAISE(ABORT, 'pending calls are immutable'); END;

-- call_answers (records): the user's one answer to a pending call. An approval
-- names the call that it starts.
CREATE TABLE call_answers (
  seq         INTEGER PRIMARY KEY CHECK (seq > 0),
  id          TEXT NOT NULL UNIQUE,
  pending     TEXT NOT NULL UNIQUE REFERENCES pending_calls (id),
  approved    INTEGER NOT NULL CHECK (approved IN (0, 1)),
  digest      TEXT NOT NULL,
  reason      TEXT NOT NULL,
  answered_by TEXT NOT NULL CHECK (answered_by GLOB 'user:?*'),
  answered_at TEXT NOT NULL,
  call        TEXT NOT NULL,
  signature   TEXT NOT NULL,
  seal        TEXT NOT NULL CHECK (length(seal) = 64),
  CHECK (approved = (call <> ''))
) STRICT;
CREATE TRIGGER call_answers_insert BEFORE INSERT ON call_answers
WHEN EXISTS (SELECT 1 FROM call_answers WHERE seq = NEW.seq OR id = NEW.id OR pending = NEW.pending)
BEGIN SELECT RAISE(ABORT, 'a pending call is answered once'); END;
CREATE TRIGGER call_answers_fit BEFORE INSERT ON call_answers
WHEN NOT EXISTS (SELECT 1 FROM pending_calls WHERE id = NEW.pending AND digest = NEW.digest AND expires_at > NEW.answered_at)
BEGIN SELECT RAISE(ABORT, 'an answer is about what was asked, in time'); END;
CREATE TRIGGER call_answers_update BEFORE UPDATE ON call_answers BEGIN SELECT RAISE(ABORT, 'answers are immutable'); END;
CREATE TRIGGER call_answers_delete BEFORE DELETE ON call_answers BEGIN SELECT RAISE(ABORT, 'answers are immutable'); END;

-- call_tiers (records): the user's own approval tier for a tool. The last row of
-- a user and a tool counts; an empty tier revokes it.
CREATE TABLE call_tiers (
  seq    INTEGER PRIMARY KEY CHECK (seq > 0),
  id     TEXT NOT NULL UNIQUE,
  user   TEXT NOT NULL,
  tool   TEXT NOT NULL REFERENCES live (subject),
  tier   TEXT NOT NULL CHECK (tier IN ('', 'auto_approve', 'requires_approval')),
  set_by TEXT NOT NULL CHECK (set_by GLOB 'user:?*'),
  set_at TEXT NOT NULL,
  signature TEXT NOT NULL,
  seal   TEXT NOT NULL CHECK (length(seal) = 64)
) STRICT;
CREATE INDEX call_tiers_by_user ON call_tiers (user, tool, seq);
CREATE TRIGGER call_tiers_insert BEFORE INSERT ON call_tiers
WHEN EXISTS (SELECT 1 FROM call_tiers WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'tiers are only appended'); END;
CREATE TRIGGER call_tiers_fit BEFORE INSERT ON call_tiers
WHEN NEW.tier <> '' AND NOT EXISTS (SELECT 1 FROM live WHERE subject = NEW.tool AND approval = 'user_configurable')
BEGIN SELECT RAISE(ABORT, 'the user does not choose the tier of this tool'); END;
CREATE TRIGGER call_tiers_update BEFORE UPDATE ON call_tiers BEGIN SELECT RAISE(ABORT, 'tiers are immutable'); END;
CREATE TRIGGER call_tiers_delete BEFORE DELETE ON call_tiers BEGIN SELECT RAISE(ABORT, 'tiers are immutable'); END;

-- tokens (records): who may connect to a server, by the hash of the secret. caller
-- is the agent as which its holder acts; an empty expires_at means never.
CREATE TABLE tokens (
  seq         INTEGER PRIMARY KEY CHECK (seq > 0),
  id          TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  caller      TEXT NOT NULL,
  secret_hash TEXT NOT NULL UNIQUE CHECK (length(secret_hash) = 64),
  created_by  TEXT NOT NULL CHECK (created_by GLOB 'user:?*'),
  created_at  TEXT NOT NULL,
  expires_at  TEXT NOT NULL,
  seal        TEXT NOT NULL CHECK (length(seal) = 64)
) STRICT;
CREATE TRIGGER tokens_insert BEFORE INSERT ON tokens
WHEN EXISTS (SELECT 1 FROM tokens WHERE seq = NEW.seq OR id = NEW.id OR secret_hash = NEW.secret_hash)
BEGIN SELECT RAISE(ABORT, 'tokens are only appended'); END;
CREATE TRIGGER tokens_update BEFORE UPDATE ON tokens BEGIN SELECT RAISE(ABORT, 'tokens are immutable'); END;
CREATE TRIGGER tokens_delete BEFORE DELETE ON tokens BEGIN SELECT RAISE(ABORT, 'tokens are revoked, not deleted'); END;

-- token_revocations (records): tokens that are not valid any more.
CREATE TABLE token_revocations (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  id         TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  token      TEXT NOT NULL UNIQUE REFERENCES tokens (id),
  reason     TEXT NOT NULL,
  revoked_by TEXT NOT NULL CHECK (revoked_by GLOB 'user:?*'),
  revoked_at TEXT NOT NULL,
  seal       TEXT NOT NULL CHECK (length(seal) = 64)
) STRICT;
CREATE TRIGGER token_revocations_insert BEFORE INSERT ON token_revocations
WHEN EXISTS (SELECT 1 FROM token_revocations WHERE seq = NEW.seq OR id = NEW.id OR token = NEW.token)
BEGIN SELECT RAISE(ABORT, 'a token is revoked once'); END;
CREATE TRIGGER token_revocations_update BEFORE UPDATE ON token_revocations BEGIN SELECT RAISE(ABORT, 'revocations are immutable'); END;
CREATE TRIGGER token_revocations_delete BEFORE DELETE ON token_revocations BEGIN SELECT RAISE(ABORT, 'revocations are immutable'); END;

-- calls (records): every call, written before it runs or when it is refused; one
-- chain. nth counts the calls of a user and a tool on a day (UTC) that passed the
-- limits; it is 0 for refused ones.
CREATE TABLE calls (
  seq          INTEGER PRIMARY KEY CHECK (seq > 0),
  id           TEXT NOT NULL UNIQUE,
  at           TEXT NOT NULL,
  actor        TEXT NOT NULL,
  agent        TEXT NOT NULL,
  layer        TEXT NOT NULL,
  user         TEXT NOT NULL,
  customer     TEXT NOT NULL,
  name         TEXT NOT NULL,
  tool         TEXT NOT NULL,
  version      INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  annotations  TEXT NOT NULL,
  args_hash    TEXT NOT NULL,
  pending      TEXT NOT NULL,
  nth          INTEGER NOT NULL CHECK (nth >= 0),
  prev_hash    TEXT NOT NULL,
  hash         TEXT NOT NULL CHECK (length(hash) = 64)
) STRICT;
CREATE UNIQUE INDEX calls_by_day ON calls (user, tool, substr(at, 1, 10), nth) WHERE nth > 0;
CREATE INDEX calls_by_agent ON calls (agent, seq);
CREATE INDEX calls_by_user ON calls (user, seq);
CREATE INDEX calls_by_tool ON calls (tool, seq) WHERE tool <> '';
CREATE TRIGGER calls_insert BEFORE INSERT ON calls
WHEN EXISTS (SELECT 1 FROM calls WHERE id = NEW.id)
  OR NEW.seq <> 1 + coalesce((SELECT max(seq) FROM calls), 0)
  OR NEW.prev_hash <> coalesce((SELECT hash FROM calls WHERE seq = NEW.seq - 1), '')
BEGIN SELECT RAISE(ABORT, 'calls are only appended, each to the one before'); END;
CREATE TRIGGER calls_in_force BEFORE INSERT ON calls
WHEN NEW.nth > 0 AND NOT EXISTS (SELECT 1 FROM live
  WHERE subject = NEW.tool AND version = NEW.version AND content_hash = NEW.content_hash AND status = 'active' AND tool_kind = 'action')
BEGIN SELECT RAISE(ABORT, 'only what is approved and in force can be called'); END;
-- A call runs without asking only if the approved tier allows it: auto_approve, or
-- user_configurable with the user's own tier, or else the tool's default; and only
-- if the tool does not have to be confirmed.
CREATE TRIGGER calls_unasked BEFORE INSERT ON calls
WHEN NEW.nth > 0 AND NEW.pending = '' AND 'auto_approve' IS NOT (
  SELECT CASE
    WHEN v.definition ->> '$.annotations.requiresConfirmation' THEN 'requires_approval'
    WHEN l.approval = 'auto_approve' THEN 'auto_approve'
    WHEN l.approval = 'user_configurable' THEN coalesce(
      (SELECT nullif(tier, '') FROM call_tiers WHERE user = NEW.user AND tool = NEW.tool ORDER BY seq DESC LIMIT 1),
      v.definition ->> '$.approval.default')
  END
  FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version WHERE l.subject = NEW.tool)
BEGIN SELECT RAISE(ABORT, 'this tool needs the yes of the user'); END;
CREATE TRIGGER calls_unanswered BEFORE INSERT ON calls
WHEN NEW.nth > 0 AND NEW.pending <> '' AND NOT EXISTS (SELECT 1 FROM call_answers a JOIN pending_calls p ON p.id = a.pending
  WHERE a.pending = NEW.pending AND a.approved AND a.call = NEW.id AND p.tool = NEW.tool AND p.version = NEW.version AND p.content_hash = NEW.content_hash)
BEGIN SELECT RAISE(ABORT, 'the user did not approve this call'); END;
CREATE TRIGGER calls_update BEFORE UPDATE ON calls BEGIN SELECT RAISE(ABORT, 'calls are immutable'); END;
CREATE TRIGGER calls_delete BEFORE DELETE ON calls BEGIN SELECT RAISE(ABORT, 'calls are immutable'); END;

-- call_outcomes (records): the result of each call; one chain. The output is kept
-- only for calls that waited for the user, so that the agent can fetch it.
CREATE TABLE call_outcomes (
  seq         INTEGER PRIMARY KEY CHECK (seq > 0),
  call        TEXT NOT NULL UNIQUE REFERENCES calls (id),
  at          TEXT NOT NULL,
  code        TEXT NOT NULL,
  duration_us INTEGER NOT NULL CHECK (duration_us >= 0),
  output      TEXT NOT NULL,
  output_hash  TEXT NOT NULL CHECK (length(output_hash) IN (0, 64)),
  output_bytes INTEGER NOT NULL CHECK (output_bytes >= 0),
  message      TEXT NOT NULL,
  approval_request TEXT NOT NULL, -- the provider's id of what waits there
  not_run     INTEGER NOT NULL CHECK (not_run IN (0, 1)),
  prev_hash   TEXT NOT NULL,
  hash        TEXT NOT NULL CHECK (length(hash) = 64)
) STRICT;
CREATE INDEX call_outcomes_by_code ON call_outcomes (code, seq);
CREATE TRIGGER call_outcomes_insert BEFORE INSERT ON call_outcomes
WHEN EXISTS (SELECT 1 FROM call_outcomes WHERE call = NEW.call)
  OR NEW.seq <> 1 + coalesce((SELECT max(seq) FROM call_outcomes), 0)
  OR NEW.prev_hash <> coalesce((SELECT hash FROM call_outcomes WHERE seq = NEW.seq - 1), '')
BEGIN SELECT RAISE(ABORT, 'outcomes are only appended, each to the one before'); END;
CREATE TRIGGER call_outcomes_update BEFORE UPDATE ON call_outcomes BEGIN SELECT RAISE(ABORT, 'outcomes are immutable'); END;
CREATE TRIGGER call_outcomes_delete BEFORE DELETE ON call_outcomes BEGIN SELECT RAISE(ABORT, 'outcomes are immutable'); END;

-- calls_open: calls without an outcome: they run, or the program ended while they
-- ran. They are few, however many calls there are.
CREATE TABLE calls_open (seq INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER calls_open_begin AFTER INSERT ON calls BEGIN INSERT INTO calls_open VALUES (NEW.seq); END;
CREATE TRIGGER calls_open_end AFTER INSERT ON call_outcomes
BEGIN DELETE FROM calls_open WHERE seq = (SELECT seq FROM calls WHERE id = NEW.call); END;

-- call_refusals: refused calls per agent, user, and hour (UTC). written ones have a
-- row in calls; those beyond the limit are only counted. The numbers only grow.
CREATE TABLE call_refusals (
  agent     TEXT NOT NULL,
  user      TEXT NOT NULL,
  hour      TEXT NOT NULL CHECK (length(hour) = 13),
  written   INTEGER NOT NULL CHECK (written >= 0),
  counted   INTEGER NOT NULL CHECK (counted >= 0),
  last_at   TEXT NOT NULL,
  last_code TEXT NOT NULL,
  PRIMARY KEY (agent, user, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_refusals_counted ON call_refusals (hour) WHERE counted > 0;
CREATE TRIGGER call_refusals_insert BEFORE INSERT ON call_refusals
WHEN NEW.written + NEW.counted <> 1 OR EXISTS (SELECT 1 FROM call_refusals WHERE agent = NEW.agent AND user = NEW.user AND hour = NEW.hour)
BEGIN SELECT RAISE(ABORT, 'refused calls are counted one by one'); END;
CREATE TRIGGER call_refusals_update BEFORE UPDATE ON call_refusals
WHEN NEW.agent <> OLD.agent OR NEW.user <> OLD.user OR NEW.hour <> OLD.hour OR NEW.written < OLD.written OR NEW.counted < OLD.counted
  OR NEW.written + NEW.counted <> OLD.written + OLD.counted + 1
BEGIN SELECT RAISE(ABORT, 'refused calls are counted one by one'); END;
CREATE TRIGGER call_refusals_delete BEFORE DELETE ON call_refusals BEGIN SELECT RAISE(ABORT, 'what was counted stays'); END;
