-- A login writes for every user only where somebody made it a server, by the role
-- toolcrib_server. A name proves nothing: "User:eve", or one with a Cyrillic letter, had
-- none of the prefixes of a principal and counted as a server.
CREATE OR REPLACE FUNCTION acts_as(actor text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT $1 OPERATOR(pg_catalog.=) CAST(session_user AS pg_catalog.text)
  OR pg_catalog.pg_has_role(session_user, 'toolcrib_server', 'MEMBER') $$;
