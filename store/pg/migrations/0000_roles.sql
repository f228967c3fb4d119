-- The roles, and the schema that one of them owns. Roles belong to a server and
-- not to a database, so every statement here may be run again.
--
-- toolcrib_owner  owns the tables. Nobody logs in as it, and no program that
--                 serves people or agents is a member.
-- toolcrib_user   people.
-- toolcrib_server servers that know whom they act for: they write for every user.
-- toolcrib_agent  agents: they propose, and call tools.
-- toolcrib_chief  reviewers: they assess.
-- toolcrib_reader looks only.
--
-- A login is a member of one of the last five. One of toolcrib_user, toolcrib_agent,
-- or toolcrib_chief bears the name of its principal, such as "agent:support" or
-- "user:mara"; row-level security holds its rows to that name.
DO $$
DECLARE
  role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['toolcrib_owner', 'toolcrib_user', 'toolcrib_server', 'toolcrib_agent', 'toolcrib_chief', 'toolcrib_reader'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = role) THEN
        EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', role);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL; -- another migration of this server was quicker
    END;
  END LOOP;
  IF NOT pg_catalog.pg_has_role('toolcrib_server', 'toolcrib_user', 'MEMBER') THEN
    BEGIN
      GRANT toolcrib_user TO toolcrib_server;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END IF;
  IF NOT pg_catalog.pg_has_role('toolcrib_owner', 'MEMBER') THEN
    EXECUTE pg_catalog.format('GRANT toolcrib_owner TO %I', current_user);
  END IF;
END $$;

CREATE SCHEMA IF NOT EXISTS toolcrib AUTHORIZATION toolcrib_owner;
GRANT USAGE ON SCHEMA toolcrib TO toolcrib_user, toolcrib_agent, toolcrib_chief, toolcrib_reader;

-- pg_trgm is optional: with it, searches of the queue find substrings by an index;
-- without it they read the rows.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA toolcrib;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR unique_violation THEN
  RAISE NOTICE 'the extension pg_trgm is not installed; searches of the queue read every row';
END $$;

-- Nothing here needs temporary tables, with which a login could shadow names in
-- its own session. Only the owner of the database can take that right away.
DO $$
BEGIN
  EXECUTE pg_catalog.format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', pg_catalog.current_database());
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'the right to temporary tables stays with everybody';
END $$;
