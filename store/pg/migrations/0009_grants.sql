-- Who may do what. Records take INSERT and SELECT only, from every role; a trigger
-- refuses the rest to the owner too. Row-level security binds what a role writes to
-- the login's name (session_user, which SET ROLE does not change). What anybody may
-- see, every role may see, except for the tokens. On an engine without row-level
-- security the grants still keep an agent from the registry, but not one agent from
-- writing under the name of another.

-- acts_as: whether the login may write as an actor: one that bears the name of a
-- principal as itself, and a server, whose name has no such prefix, as any. The
-- policies of agents and chiefs compare the name alone.
CREATE FUNCTION acts_as(actor text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT $1 OPERATOR(pg_catalog.=) CAST(session_user AS pg_catalog.text)
  OR pg_catalog.split_part(CAST(session_user AS pg_catalog.text), ':', 1) NOT IN ('user', 'agent', 'chief') $$;

-- Everybody reads; only people, servers, and readers, who verify, read the hashes of tokens.
DO $$
DECLARE
  t name;
BEGIN
  FOR t IN SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relnamespace = 'toolcrib'::regnamespace AND c.relkind = 'r' LOOP
    EXECUTE pg_catalog.format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE pg_catalog.format('REVOKE ALL ON %I FROM PUBLIC', t);
    EXECUTE pg_catalog.format('GRANT SELECT ON %I TO toolcrib_user, toolcrib_reader', t);
    IF t NOT IN ('tokens', 'token_revocations') THEN
      EXECUTE pg_catalog.format('GRANT SELECT ON %I TO toolcrib_agent, toolcrib_chief', t);
    END IF;
    EXECUTE pg_catalog.format('CREATE POLICY %I ON %I FOR SELECT USING (true)', t || '_read', t);
  END LOOP;
END $$;
-- A function of a trigger that anybody could execute could be put on a table of
-- their own, and run as the owner there. A trigger itself needs no such grant.
DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN SELECT oid FROM pg_catalog.pg_proc WHERE pronamespace = 'toolcrib'::regnamespace AND proowner = 'toolcrib_owner'::regrole LOOP
    EXECUTE pg_catalog.format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION instr(text, text), json_steps(text), json_extract(text, text), json_each(text, text), acts_as(text)
TO toolcrib_user, toolcrib_agent, toolcrib_chief, toolcrib_reader;

-- FOR UPDATE needs the grant; a trigger refuses every change.
GRANT UPDATE ON writer TO toolcrib_user, toolcrib_agent, toolcrib_chief;
CREATE POLICY writer_lock ON writer FOR UPDATE TO toolcrib_user, toolcrib_agent, toolcrib_chief USING (true) WITH CHECK (false);

-- People, and servers that write for them.
GRANT INSERT ON proposals, revisions, assessments, waivers, decisions, issues, comments, shown, versions, live, names, sketches, recent_sketches,
  events, signatures, raws, imports, workspaces, pending_exports, history_files, live_files,
  pending_calls, call_answers, call_tiers, tokens, token_revocations, calls, call_outcomes, call_refusals TO toolcrib_user;
GRANT UPDATE ON proposals, issues, shown, live, sketches, call_refusals TO toolcrib_user;
GRANT DELETE ON names, recent_sketches, pending_exports, live_files TO toolcrib_user;
CREATE POLICY user_write ON proposals TO toolcrib_user USING (true) WITH CHECK (true);
CREATE POLICY user_write ON revisions FOR INSERT TO toolcrib_user WITH CHECK (acts_as(author));
CREATE POLICY user_write ON assessments FOR INSERT TO toolcrib_user WITH CHECK (reviewer LIKE 'chief:_%');
CREATE POLICY user_write ON waivers FOR INSERT TO toolcrib_user WITH CHECK (true);
CREATE POLICY user_write ON decisions FOR INSERT TO toolcrib_user WITH CHECK (acts_as(decided_by));
CREATE POLICY user_write ON issues TO toolcrib_user USING (true) WITH CHECK (true);
CREATE POLICY user_write ON comments FOR INSERT TO toolcrib_user WITH CHECK (acts_as(author) OR author LIKE 'chief:_%');
CREATE POLICY user_write ON shown TO toolcrib_user USING (acts_as("user")) WITH CHECK (acts_as("user"));
CREATE POLICY user_write ON versions FOR INSERT TO toolcrib_user WITH CHECK (acts_as(decided_by));
CREATE POLICY user_write ON live TO toolcrib_user USING (true) WITH CHECK (true);
CREATE POLICY user_write ON names TO toolcrib_user USING (true) WITH CHECK (true);
CREATE POLICY user_write ON sketches TO toolcrib_user USING (true) WITH CHECK (true);
CREATE POLICY user_write ON recent_sketches TO toolcrib_user USING (true) WITH CHECK (true);
CREATE POLICY user_write ON events FOR INSERT TO toolcrib_user WITH CHECK (acts_as(actor) OR actor LIKE 'chief:_%' AND act IN ('assess', 'comment'));
CREATE POLICY user_write ON signatures FOR INSERT TO toolcrib_user WITH CHECK (acts_as(signed_by));
CREATE POLICY user_write ON raws FOR INSERT TO toolcrib_user WITH CHECK (true);
CREATE POLICY user_write ON imports FOR INSERT TO toolcrib_user WITH CHECK (acts_as(actor));
CREATE POLICY user_write ON workspaces FOR INSERT TO toolcrib_user WITH CHECK (true);
CREATE POLICY user_write ON pending_exports TO toolcrib_user USING (true) WITH CHECK (true);
CREATE POLICY user_write ON history_files FOR INSERT TO toolcrib_user WITH CHECK (true);
CREATE POLICY user_write ON live_files TO toolcrib_user USING (true) WITH CHECK (true);
CREATE POLICY user_write ON pending_calls FOR INSERT TO toolcrib_user WITH CHECK (true);
CREATE POLICY user_write ON call_answers FOR INSERT TO toolcrib_user WITH CHECK (acts_as(answered_by));
CREATE POLICY user_write ON call_tiers FOR INSERT TO toolcrib_user WITH CHECK (acts_as(set_by));
CREATE POLICY user_write ON tokens FOR INSERT TO toolcrib_user WITH CHECK (acts_as(created_by));
CREATE POLICY user_write ON token_revocations FOR INSERT TO toolcrib_user WITH CHECK (acts_as(revoked_by));
CREATE POLICY user_write ON calls FOR INSERT TO toolcrib_user WITH CHECK (true);
CREATE POLICY user_write ON call_outcomes FOR INSERT TO toolcrib_user WITH CHECK (true);
CREATE POLICY user_write ON call_refusals TO toolcrib_user USING (true) WITH CHECK (true);

-- Agents propose under their own name, and call tools. The built-in review of a
-- submission is filed in the agent's transaction; nothing that it says decides, and
-- a decision runs the rules again. What decides has no grant: waivers, decisions,
-- signatures, shown, versions, live, names, sketches, answers, tiers, tokens.
GRANT INSERT ON proposals, revisions, assessments, issues, comments, events, raws, imports, pending_calls, calls, call_outcomes, call_refusals TO toolcrib_agent;
GRANT UPDATE (type, title, state, revision, content_hash, text_hash, base_version, change_set, issue,
  recommendation, findings, blocks, warns, worst, updated_at, waived_until) ON proposals TO toolcrib_agent;
GRANT UPDATE (assignee, status) ON issues TO toolcrib_agent;
GRANT UPDATE (written, counted, last_at, last_code) ON call_refusals TO toolcrib_agent;
CREATE POLICY agent_insert ON proposals FOR INSERT TO toolcrib_agent
WITH CHECK (author = CAST(session_user AS text) AND state IN ('draft', 'chief_review') AND recommendation = '' AND findings = 0 AND blocks = 0 AND warns = 0);
CREATE POLICY agent_update ON proposals FOR UPDATE TO toolcrib_agent USING (author = CAST(session_user AS text))
WITH CHECK (author = CAST(session_user AS text) AND state IN ('draft', 'chief_review', 'user_review', 'needs_changes', 'withdrawn') AND waived_until = '');
CREATE POLICY agent_write ON revisions FOR INSERT TO toolcrib_agent
WITH CHECK (author = CAST(session_user AS text) AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = proposal AND p.author = CAST(session_user AS text)));
CREATE POLICY agent_write ON assessments FOR INSERT TO toolcrib_agent
WITH CHECK (reviewer = 'chief:builtin' AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = proposal AND p.author = CAST(session_user AS text)));
CREATE POLICY agent_insert ON issues FOR INSERT TO toolcrib_agent
WITH CHECK (EXISTS (SELECT 1 FROM proposals p WHERE p.id = proposal AND p.author = CAST(session_user AS text)));
CREATE POLICY agent_update ON issues FOR UPDATE TO toolcrib_agent
USING (EXISTS (SELECT 1 FROM proposals p WHERE p.id = proposal AND p.author = CAST(session_user AS text)));
CREATE POLICY agent_write ON comments FOR INSERT TO toolcrib_agent
WITH CHECK (author = CAST(session_user AS text) OR author = 'chief:builtin' AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = proposal AND p.author = CAST(session_user AS text)));
CREATE POLICY agent_write ON events FOR INSERT TO toolcrib_agent
WITH CHECK (actor = CAST(session_user AS text) AND act IN ('draft', 'submit', 'revise', 'withdraw', 'comment', 'import', 'ask-call')
  OR actor = 'chief:builtin' AND act IN ('assess', 'comment') AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = proposal AND p.author = CAST(session_user AS text)));
CREATE POLICY agent_write ON raws FOR INSERT TO toolcrib_agent WITH CHECK (true);
CREATE POLICY agent_write ON imports FOR INSERT TO toolcrib_agent WITH CHECK (actor = CAST(session_user AS text));
CREATE POLICY agent_write ON pending_calls FOR INSERT TO toolcrib_agent WITH CHECK (json_extract(caller, '$.actor') = CAST(session_user AS text));
CREATE POLICY agent_write ON calls FOR INSERT TO toolcrib_agent WITH CHECK (actor = CAST(session_user AS text));
CREATE POLICY agent_write ON call_outcomes FOR INSERT TO toolcrib_agent
WITH CHECK (EXISTS (SELECT 1 FROM calls c WHERE c.id = call AND c.actor = CAST(session_user AS text)));
CREATE POLICY agent_write ON call_refusals TO toolcrib_agent USING (true) WITH CHECK (true);

-- The assistant's tools run in the process that serves the call. Their rows belong
-- to users of customers, not to principals.
GRANT INSERT, UPDATE ON projects, conversations, tasks, reminders, schedules, memories, memory_links, entities, entity_projects TO toolcrib_user, toolcrib_agent;
GRANT INSERT, UPDATE ON owners TO toolcrib_user;
GRANT INSERT (id, customer, "user") ON owners TO toolcrib_agent;
GRANT INSERT, DELETE ON memories_text, entities_text TO toolcrib_user, toolcrib_agent;
GRANT DELETE ON entity_projects TO toolcrib_user, toolcrib_agent;
CREATE POLICY assistant_write ON owners TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON projects TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON conversations TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON tasks TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON reminders TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON schedules TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON memories TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON memories_text TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON memory_links TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON entities TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON entities_text TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);
CREATE POLICY assistant_write ON entity_projects TO toolcrib_user, toolcrib_agent USING (true) WITH CHECK (true);

-- Chiefs assess, and comment on what they assess. An assessment moves its proposal
-- between the chief and the user.
GRANT INSERT ON assessments, comments, events TO toolcrib_chief;
GRANT UPDATE (state, recommendation, findings, blocks, warns, worst, updated_at) ON proposals TO toolcrib_chief;
GRANT UPDATE (assignee) ON issues TO toolcrib_chief;
CREATE POLICY chief_write ON assessments FOR INSERT TO toolcrib_chief WITH CHECK (reviewer = CAST(session_user AS text));
CREATE POLICY chief_write ON comments FOR INSERT TO toolcrib_chief WITH CHECK (author = CAST(session_user AS text));
CREATE POLICY chief_write ON events FOR INSERT TO toolcrib_chief WITH CHECK (actor = CAST(session_user AS text) AND act IN ('assess', 'comment'));
CREATE POLICY chief_update ON proposals FOR UPDATE TO toolcrib_chief
USING (state IN ('chief_review', 'user_review', 'needs_changes')) WITH CHECK (state IN ('chief_review', 'user_review', 'needs_changes'));
CREATE POLICY chief_update ON issues FOR UPDATE TO toolcrib_chief USING (true) WITH CHECK (true);
