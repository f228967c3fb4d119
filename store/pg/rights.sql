-- This query selects all rights on the schema except the owner's. For each right, it returns the
-- statement that grants the right and the statement that revokes it.
WITH objects AS (
  SELECT 'TABLE ' || c.oid::regclass AS target, c.oid, c.relowner AS owner, coalesce(c.relacl, acldefault('r', c.relowner)) AS acl
    FROM pg_class c WHERE c.relnamespace = 'toolcrib'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  UNION ALL SELECT 'FUNCTION ' || p.oid::regprocedure, p.oid, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
    FROM pg_proc p WHERE p.pronamespace = 'toolcrib'::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  UNION ALL SELECT 'SCHEMA toolcrib', n.oid, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner)) FROM pg_namespace n WHERE n.nspname = 'toolcrib'
), granted AS (
  SELECT a.privilege_type AS privilege, o.target, o.owner, a.grantee FROM objects o CROSS JOIN aclexplode(o.acl) a
  UNION ALL SELECT format('%s (%I)', a.privilege_type, t.attname), o.target, o.owner, a.grantee
    FROM objects o JOIN pg_attribute t ON t.attrelid = o.oid AND NOT t.attisdropped CROSS JOIN aclexplode(t.attacl) a WHERE o.target LIKE 'TABLE %'
), roles AS ( -- roles with names that limit their rights; allowed is the role that the name permits
  SELECT oid, rolname::text AS name, quote_ident(rolname) AS quoted, rolcanlogin, rolsuper, rolbypassrls, rolcreaterole,
    CASE WHEN rolname LIKE 'toolcrib\_%' THEN rolname::text ELSE 'toolcrib_' || split_part(rolname, ':', 1) END AS allowed
    FROM pg_roles WHERE rolname IN ('toolcrib_owner', 'toolcrib_user', 'toolcrib_agent', 'toolcrib_chief', 'toolcrib_reader') OR rolname LIKE 'agent:%' OR rolname LIKE 'chief:%'
)
SELECT format('GRANT %s ON %s TO %s', g.privilege, g.target, r.name) AS made, format('REVOKE %s ON %s FROM %s', g.privilege, g.target, r.name) AS undo
  FROM granted g CROSS JOIN LATERAL (SELECT CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END AS name) r
  WHERE g.grantee <> g.owner
UNION ALL SELECT format('ALTER %s OWNER TO %I', target, pg_get_userbyid(owner)), format('ALTER %s OWNER TO toolcrib_owner', target)
  FROM objects WHERE pg_get_userbyid(owner) <> 'toolcrib_owner'
UNION ALL SELECT format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', c.oid::regclass), format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', c.oid::regclass)
  FROM pg_class c WHERE c.relnamespace = 'toolcrib'::regnamespace AND c.relkind = 'r' AND NOT c.relrowsecurity
UNION ALL SELECT format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', p.polname, p.polrelid::regclass,
    CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
    CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
    (SELECT string_agg(CASE r WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r)) END, ', ' ORDER BY CASE r WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(r)::text END COLLATE "C") FROM unnest(p.polroles) r))
    || coalesce(' USING (' || regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\s+', ' ', 'g') || ')', '')
    || coalesce(' WITH CHECK (' || regexp_replace(pg_get_expr(p.polwithcheck, p.polrelid), '\s+', ' ', 'g') || ')', ''),
    format('DROP POLICY %I ON %s', p.polname, p.polrelid::regclass)
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = 'toolcrib'::regnamespace
UNION ALL SELECT format('ALTER FUNCTION %s SECURITY DEFINER', p.oid::regprocedure), format('ALTER FUNCTION %s SECURITY INVOKER', p.oid::regprocedure)
  FROM pg_proc p WHERE p.pronamespace = 'toolcrib'::regnamespace AND p.prosecdef
UNION ALL SELECT format('GRANT %I TO %s', g.rolname, r.quoted), format('REVOKE %I FROM %s', g.rolname, r.quoted)
  FROM roles r JOIN pg_roles g ON g.rolname LIKE 'toolcrib\_%' AND g.rolname <> r.allowed AND g.oid <> r.oid AND NOT g.rolcanlogin AND NOT r.rolsuper
  WHERE pg_has_role(r.oid, g.oid, 'MEMBER')
UNION ALL SELECT format('ALTER ROLE %s %s', r.quoted, a.word), format('ALTER ROLE %s NO%s', r.quoted, a.word)
  FROM roles r CROSS JOIN LATERAL (VALUES ('SUPERUSER', r.rolsuper), ('BYPASSRLS', r.rolbypassrls), ('CREATEROLE', r.rolcreaterole),
    ('LOGIN', r.rolcanlogin AND r.name = r.allowed)) a(word, has) WHERE a.has
ORDER BY 1
