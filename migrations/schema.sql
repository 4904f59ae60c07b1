-- Made by `make schema` from the migrations; not edited by hand.

CREATE SCHEMA ibex_core;

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

CREATE FUNCTION ibex_core.announce_revision() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    perform pg_notify('kapelle_revisions', new.team_id || ' ' || new.revision);
    return null;
end
$$;

CREATE FUNCTION ibex_core.blend(p_words real, p_cosine real, p_cosine_weight real) RETURNS real
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (p_cosine IS NULL) THEN (p_words)::double precision WHEN (p_words IS NULL) THEN (p_cosine)::double precision ELSE ((p_cosine_weight * p_cosine) + (((1)::double precision - p_cosine_weight) * p_words)) END;

CREATE FUNCTION ibex_core.count_changed_terms() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    team record;
begin
    for team in
        select org_id, team_id, sum(shift) as entries
        from (
            select org_id, team_id, -1 as shift from old_rows where live
            union all
            select org_id, team_id, 1 from new_rows where live
        ) as r
        group by 1, 2 order by 2
    loop
        perform ibex_core.shift_terms(team.org_id, team.team_id, team.entries, array_agg(s.term), array_agg(s.shift))
        from (
            select u.term, sum(r.shift) as shift
            from (
                select terms, -1 as shift from old_rows where live and team_id = team.team_id
                union all
                select terms, 1 from new_rows where live and team_id = team.team_id
            ) as r, unnest(r.terms) as u (term)
            group by 1 having sum(r.shift) <> 0 order by 1
        ) as s;
    end loop;
    update ibex_core.memory_embeddings as e
    set live = n.live
    from new_rows as n
    where e.memory_id = n.memory_id and e.org_id = n.org_id and e.live <> n.live;
    return null;
end
$$;

CREATE FUNCTION ibex_core.count_gone_terms() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    team record;
begin
    for team in select org_id, team_id, count(*) as entries from old_rows where live group by 1, 2 order by 2 loop
        perform ibex_core.shift_terms(team.org_id, team.team_id, -team.entries, array_agg(s.term), array_agg(s.shift))
        from (
            select u.term, -count(*) as shift
            from old_rows as r, unnest(r.terms) as u (term)
            where r.live and r.team_id = team.team_id
            group by 1 order by 1
        ) as s;
    end loop;
    return null;
end
$$;

CREATE FUNCTION ibex_core.count_new_terms() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    team record;
begin
    for team in select org_id, team_id, count(*) as entries from new_rows where live group by 1, 2 order by 2 loop
        perform ibex_core.shift_terms(team.org_id, team.team_id, team.entries, array_agg(s.term), array_agg(s.shift))
        from (
            select u.term, count(*) as shift
            from new_rows as r, unnest(r.terms) as u (term)
            where r.live and r.team_id = team.team_id
            group by 1 order by 1
        ) as s;
    end loop;
    return null;
end
$$;

CREATE FUNCTION ibex_core.find_memories(p_org text, p_team bigint, p_text text, p_words text[], p_vector public.halfvec, p_model text, p_cosine_weight real, p_ceiling real, p_history boolean, p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamp with time zone, p_pool integer) RETURNS TABLE(pass integer, id bigint, kind text, status text, title text, body text, tags text[], source text, created_at timestamp with time zone, current boolean, confidence real, pinned boolean, helpful bigint, unhelpful bigint, asked_at timestamp with time zone, words real, cosine real)
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
    asked constant timestamptz := coalesce(p_moment, now());
    -- Of each leg. Wider than the pool, since the best blend is seldom first in both.
    breadth constant integer := greatest(50, p_pool + 20);
    -- Filtering by what only the entry knows costs a visit to it, so at first it comes last.
    thorough boolean := p_history or p_kinds is not null or p_tags is not null or cardinality(p_statuses) < 2;
    total bigint;
    tongue text;
    gate integer[];
    query sparsevec;
    ideal double precision;
    candidates bigint[];
    crowded boolean;
    picked bigint[];
    picked_current boolean[];
    picked_words real[];
    picked_cosines real[];
    returned bigint;
begin
    perform set_config('kapelle.org_id', p_org, true);
    select t.entries, t.language into total, tongue
    from ibex_core.search_teams as t where t.org_id = p_org and t.team_id = p_team;

    -- Two of the rarest words that occur at all, and every rare one: all others only add to the score.
    select array_agg(w.term) filter (where w.place <= 64 and (
               w.entries <= greatest(200, total / 20) or w.common_place <= 2
           )),
           ('{' || string_agg(w.term || ':' || w.weight, ',') || '}/536870912')::sparsevec,
           sum(w.weight) * p_ceiling
    into gate, query, ideal
    from (
        select q.term, coalesce(c.entries, 0) as entries,
               ln(1 + (greatest(total - coalesce(c.entries, 0), 0) + 0.5::float8)
                   / (coalesce(c.entries, 0) + 0.5::float8))::real as weight,
               row_number() over (order by coalesce(c.entries, 0), q.term) as place,
               sum((c.entries is not null)::integer) over (order by coalesce(c.entries, 0), q.term) as common_place
        from ibex_core.search_terms_of(
            p_team, coalesce(tongue, 'english'), p_words, array_fill(1, array[cardinality(p_words)])
        ) as q
        -- One look-up a term by the whole key, whatever the planner believes of the table's size.
        left join lateral (
            select k.entries from ibex_core.search_terms as k
            where k.org_id = p_org and k.team_id = p_team and k.term = q.term
            offset 0
        ) as c on true
    ) as w;

    for attempt in 1..2 loop
        if gate is null and p_vector is null then
            candidates := ibex_core.literal_candidates(
                p_org, p_team, p_text, p_history, p_statuses, p_kinds, p_tags, asked, breadth
            );
            select candidates, array_agg(s.current order by c.place) into picked, picked_current
            from unnest(candidates) with ordinality as c (id, place)
            join ibex_core.memory_search as s on s.org_id = p_org and s.team_id = p_team and s.memory_id = c.id;
            thorough := true;
        elsif total <= 250 and not thorough then
            -- All of a small team is scored faster than its best candidates are found.
            select array_agg(b.memory_id), array_agg(b.current), array_agg(b.words), array_agg(b.cosine)
            into picked, picked_current, picked_words, picked_cosines
            from (
                select l.memory_id, l.current, l.words, v.cosine
                from (
                    select s.memory_id, s.current, (-(s.impacts <#> query) / ideal)::real as words,
                           -- An entry with more terms than impacts may match by one of the others.
                           cardinality(s.terms) > 15000 and s.terms && gate as beyond
                    from ibex_core.memory_search as s
                    where s.org_id = p_org and s.team_id = p_team and s.live
                    offset 0
                ) as l
                left join (
                    select e.memory_id, max(1 - (e.embedding <=> p_vector))::real as cosine
                    from ibex_core.memory_embeddings as e
                    where p_vector is not null
                      and e.org_id = p_org and e.team_id = p_team and e.model = p_model and e.live
                    group by e.memory_id
                ) as v on v.memory_id = l.memory_id
                where l.words > 0 or l.beyond or v.cosine is not null
                order by ibex_core.blend(l.words, v.cosine, p_cosine_weight) desc, l.memory_id desc
                limit p_pool
            ) as b;
            crowded := true;
        else
            candidates := '{}';
            crowded := false;
            if gate is not null then
                candidates := ibex_core.word_candidates(
                    p_team, gate, query, p_history, thorough, p_statuses, p_kinds, p_tags, asked, breadth
                );
                crowded := cardinality(candidates) >= breadth;
            end if;
            if p_vector is not null then
                candidates := candidates || ibex_core.vector_candidates(
                    p_org, p_team, p_model, p_vector, p_history, thorough, p_statuses, p_kinds, p_tags, asked, breadth
                );
                crowded := crowded or cardinality(candidates) >= breadth;
            end if;
            select array_agg(b.memory_id), array_agg(b.current), array_agg(b.words), array_agg(b.cosine)
            into picked, picked_current, picked_words, picked_cosines
            from (
                select l.memory_id, l.current, l.words, v.cosine
                from (
                    select s.memory_id, s.current, (-(s.impacts <#> query) / ideal)::real as words
                    from (select distinct u.id from unnest(candidates) as u (id)) as c
                    join ibex_core.memory_search as s
                        on s.org_id = p_org and s.team_id = p_team and s.memory_id = c.id
                    where s.live or p_history
                    offset 0
                ) as l
                left join lateral (
                    select max(1 - (e.embedding <=> p_vector))::real as cosine
                    from ibex_core.memory_embeddings as e
                    where e.org_id = p_org and e.team_id = p_team and e.model = p_model
                      and e.memory_id = l.memory_id
                ) as v on p_vector is not null
                order by ibex_core.blend(l.words, v.cosine, p_cosine_weight) desc, l.memory_id desc
                limit p_pool
            ) as b;
        end if;

        return query
        select attempt, m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at, p.current, m.confidence,
               m.pinned, f.helpful, f.unhelpful, asked, p.words, p.cosine
        from unnest(picked, picked_current, picked_words, picked_cosines) as p (id, current, words, cosine)
        join ibex_core.memories as m on m.id = p.id and m.org_id = p_org
        cross join lateral (
            select count(*) filter (where v.helpful) as helpful, count(*) filter (where not v.helpful) as unhelpful
            from ibex_core.memory_feedback as v where v.memory_id = p.id and v.org_id = p_org
        ) as f
        where m.team_id = p_team and m.visibility = 'team' and m.status = any(p_statuses)
          and (p_kinds is null or m.kind = any(p_kinds)) and (p_tags is null or m.tags @> p_tags)
          and m.valid_from <= asked and (m.valid_until is null or m.valid_until > asked or p_history);
        get diagnostics returned = row_count;
        exit when thorough or not crowded or returned >= coalesce(cardinality(picked), 0);
        thorough := true;
    end loop;
end
$$;

CREATE FUNCTION ibex_core.find_own_memories(p_org text, p_team bigint, p_agent bigint, p_text text, p_words text[], p_vector public.halfvec, p_model text, p_cosine_weight real, p_ceiling real, p_kinds text[], p_tags text[], p_moment timestamp with time zone, p_pool integer) RETURNS TABLE(pass integer, id bigint, kind text, status text, title text, body text, tags text[], source text, created_at timestamp with time zone, current boolean, confidence real, pinned boolean, helpful bigint, unhelpful bigint, asked_at timestamp with time zone, words real, cosine real)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
    asked constant timestamptz := coalesce(p_moment, now());
    total bigint;
    tongue text;
    query sparsevec;
    ideal double precision;
begin
    perform set_config('kapelle.org_id', p_org, true);
    select t.entries, t.language into total, tongue
    from ibex_core.search_teams as t where t.org_id = p_org and t.team_id = p_team;
    select ('{' || string_agg(w.term || ':' || w.weight, ',') || '}/536870912')::sparsevec, sum(w.weight) * p_ceiling
    into query, ideal
    from (
        select q.term,
               ln(1 + (greatest(coalesce(total, 0) - coalesce(c.entries, 0), 0) + 0.5::float8)
                   / (coalesce(c.entries, 0) + 0.5::float8))::real as weight
        from ibex_core.search_terms_of(
            p_team, coalesce(tongue, 'english'), p_words, array_fill(1, array[cardinality(p_words)])
        ) as q
        left join lateral (
            select k.entries from ibex_core.search_terms as k
            where k.org_id = p_org and k.team_id = p_team and k.term = q.term
            offset 0
        ) as c on true
    ) as w;

    return query
    select 1, m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at, own.current, m.confidence, m.pinned,
           f.helpful, f.unhelpful, asked, own.words, own.cosine
    from (
        select o.id, s.current, (-(s.impacts <#> query) / ideal)::real as words, v.cosine
        from ibex_core.memories as o
        join ibex_core.memory_search as s on s.org_id = o.org_id and s.team_id = o.team_id and s.memory_id = o.id
        left join lateral (
            select max(1 - (e.embedding <=> p_vector))::real as cosine
            from ibex_core.memory_embeddings as e
            where e.org_id = p_org and e.team_id = p_team and e.model = p_model and e.memory_id = o.id
        ) as v on p_vector is not null
        where o.org_id = p_org and o.team_id = p_team and o.agent_id = p_agent and o.visibility = 'agent'
          and o.status = 'active' and s.current
          and (p_kinds is null or o.kind = any(p_kinds)) and (p_tags is null or o.tags @> p_tags)
          and o.valid_from <= asked and (o.valid_until is null or o.valid_until > asked)
        offset 0
    ) as own
    join ibex_core.memories as m on m.id = own.id and m.org_id = p_org and m.team_id = p_team
    cross join lateral (
        select count(*) filter (where v.helpful) as helpful, count(*) filter (where not v.helpful) as unhelpful
        from ibex_core.memory_feedback as v where v.memory_id = own.id and v.org_id = p_org
    ) as f
    where own.words > 0 or own.cosine is not null
       or (query is null and p_vector is null and position(lower(p_text) in lower(m.title || ' ' || m.body)) > 0)
    order by ibex_core.blend(own.words, own.cosine, p_cosine_weight) desc nulls last, own.id desc
    limit p_pool;
end
$$;

CREATE FUNCTION ibex_core.follow_surest_label() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
declare
    surer record;
begin
    -- Nearly always there is none, and one look-up an entry by the whole key tells, whatever the planner believes.
    for surer in
        select owner.id, owner.org_id, surest.label
        from (select distinct c.org_id, c.memory_id from changed as c) as c
        cross join lateral (
            select m.id, m.org_id, m.kind from ibex_core.memories as m where m.id = c.memory_id and m.org_id = c.org_id
            offset 0
        ) as owner
        cross join lateral (
            select l.label from ibex_core.memory_labels as l where l.org_id = c.org_id and l.memory_id = c.memory_id
            -- Of equally sure labels the present kind stays, then the alphabet decides.
            order by l.confidence desc, (l.label = owner.kind) desc, l.label
            limit 1
        ) as surest
        where surest.label <> owner.kind
    loop
        update ibex_core.memories set kind = surer.label where id = surer.id and org_id = surer.org_id;
    end loop;
    return null;
end
$$;

CREATE TABLE ibex_core.memories (
    id bigint NOT NULL,
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    kind text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    findings jsonb DEFAULT '[]'::jsonb NOT NULL,
    status text NOT NULL,
    visibility text DEFAULT 'team'::text NOT NULL,
    agent_id bigint,
    source text NOT NULL,
    confidence real DEFAULT 1 NOT NULL,
    pinned boolean DEFAULT false NOT NULL,
    valid_from timestamp with time zone DEFAULT now() NOT NULL,
    valid_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    accepted_at timestamp with time zone,
    accepted_by text,
    operation_id uuid NOT NULL,
    salt bytea NOT NULL,
    source_span jsonb,
    CONSTRAINT memories_check CHECK (((valid_until IS NULL) OR (valid_until > valid_from))),
    CONSTRAINT memories_check1 CHECK (((visibility = 'agent'::text) = (agent_id IS NOT NULL))),
    CONSTRAINT memories_check2 CHECK (((status = 'active'::text) <= (visibility = 'agent'::text))),
    CONSTRAINT memories_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT memories_kind_check CHECK ((kind = ANY (ARRAY['convention'::text, 'decision'::text, 'event'::text, 'fact'::text, 'gotcha'::text, 'preference'::text, 'procedure'::text]))),
    CONSTRAINT memories_salt_check CHECK ((octet_length(salt) = 16)),
    CONSTRAINT memories_status_check CHECK ((status = ANY (ARRAY['proposed'::text, 'curated'::text, 'active'::text, 'quarantined'::text]))),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY['team'::text, 'agent'::text])))
);

ALTER TABLE ONLY ibex_core.memories FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.memory_search (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    current boolean DEFAULT true NOT NULL,
    status text NOT NULL,
    live boolean GENERATED ALWAYS AS ((current AND (status = ANY (ARRAY['proposed'::text, 'curated'::text])))) STORED NOT NULL,
    text_hash bytea NOT NULL,
    terms integer[] NOT NULL,
    impacts public.sparsevec(536870912) NOT NULL,
    CONSTRAINT memory_search_text_hash_check CHECK ((octet_length(text_hash) = 32))
);
ALTER TABLE ONLY ibex_core.memory_search ALTER COLUMN impacts SET STORAGE MAIN;

ALTER TABLE ONLY ibex_core.memory_search FORCE ROW LEVEL SECURITY;

CREATE FUNCTION ibex_core.literal_candidates(p_org text, p_team bigint, p_text text, p_history boolean, p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamp with time zone, p_limit integer) RETURNS bigint[]
    LANGUAGE sql STABLE
    RETURN ARRAY(SELECT r.id FROM (SELECT m.id, m.title, m.body FROM (ibex_core.memories m JOIN ibex_core.memory_search s ON (((s.org_id = m.org_id) AND (s.team_id = m.team_id) AND (s.memory_id = m.id)))) WHERE ((m.org_id = literal_candidates.p_org) AND (m.team_id = literal_candidates.p_team) AND (s.live OR literal_candidates.p_history) AND (m.status = ANY (literal_candidates.p_statuses)) AND ((literal_candidates.p_kinds IS NULL) OR (m.kind = ANY (literal_candidates.p_kinds))) AND ((literal_candidates.p_tags IS NULL) OR (m.tags @> literal_candidates.p_tags)) AND (m.valid_from <= literal_candidates.p_moment) AND ((m.valid_until IS NULL) OR (m.valid_until > literal_candidates.p_moment) OR literal_candidates.p_history)) ORDER BY m.id DESC LIMIT 1000) r WHERE (POSITION((lower(literal_candidates.p_text)) IN (lower(((r.title || ' '::text) || r.body)))) > 0) ORDER BY r.id DESC LIMIT literal_candidates.p_limit);

CREATE FUNCTION ibex_core.near_memories(p_org text, p_team bigint, p_words text[], p_limit integer) RETURNS bigint[]
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
    total bigint;
    tongue text;
    gate integer[];
    query sparsevec;
begin
    select t.entries, t.language into total, tongue
    from ibex_core.search_teams as t where t.org_id = p_org and t.team_id = p_team;
    select array_agg(r.term), ('{' || string_agg(r.term || ':1', ',') || '}/536870912')::sparsevec
    into gate, query
    from (
        select w.term, coalesce(c.entries, 0) as entries, row_number() over (order by c.entries nulls last, w.term) as rarity
        from ibex_core.search_terms_of(
            p_team, coalesce(tongue, 'english'), p_words, array_fill(1, array[cardinality(p_words)])
        ) as w
        -- One look-up a term by the whole key, whatever the planner believes of the table's size.
        left join lateral (
            select k.entries from ibex_core.search_terms as k
            where k.org_id = p_org and k.team_id = p_team and k.term = w.term
            offset 0
        ) as c on true
    ) as r
    where r.rarity <= 3 or r.rarity <= 8 and r.entries <= greatest(30, coalesce(total, 0) / 500);
    if gate is null then
        return '{}';
    end if;
    return ibex_core.word_candidates(
        p_team, gate, query, true, true, array['proposed', 'curated', 'quarantined'], null, null, null, p_limit
    );
end
$$;

CREATE TABLE ibex_core.access_tokens (
    token_id bigint NOT NULL,
    org_id text NOT NULL,
    token_hash bytea NOT NULL,
    person_id text,
    agent_id bigint,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    name text DEFAULT ''::text NOT NULL,
    made_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT access_tokens_check CHECK (((person_id IS NULL) <> (agent_id IS NULL))),
    CONSTRAINT access_tokens_check1 CHECK (((agent_id IS NULL) OR (scopes <@ ARRAY['read'::text, 'propose'::text]))),
    CONSTRAINT access_tokens_scopes_check CHECK ((scopes <@ ARRAY['read'::text, 'propose'::text, 'curate'::text, 'admin'::text])),
    CONSTRAINT access_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE ONLY ibex_core.access_tokens FORCE ROW LEVEL SECURITY;

CREATE FUNCTION ibex_core.org_of_token(p_hash bytea) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN (SELECT t.org_id FROM ibex_core.access_tokens t WHERE (t.token_hash = org_of_token.p_hash));

CREATE FUNCTION ibex_core.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception 'the ledger is append only' using errcode = 'integrity_constraint_violation';
end
$$;

CREATE FUNCTION ibex_core.search_terms_of(p_team bigint, p_language text, p_words text[], p_counts integer[]) RETURNS TABLE(term integer, occurrences bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    select (('x' || left(md5(p_team || ' ' || lexed.stems[1]), 8))::bit(32)::integer & 536870911) + 1, sum(lexed.count)
    from (
        select ('pg_catalog.' || p_language || case p_language when 'simple' then '' else '_stem' end)::regdictionary
        offset 0
    ) as dictionary (name)
    cross join unnest(p_words, p_counts) as w (word, count)
    -- The fence keeps a word from being stemmed once for each mention of its stems.
    cross join lateral (select ts_lexize(dictionary.name, w.word) as stems, w.count offset 0) as lexed
    where cardinality(lexed.stems) > 0
    group by 1
$$;

CREATE FUNCTION ibex_core.shift_terms(p_org text, p_team bigint, p_entries bigint, p_terms integer[], p_shifts bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
    update ibex_core.search_teams set entries = entries + p_entries where org_id = p_org and team_id = p_team;
    if not found then
        if p_entries < 0 then
            -- The team itself is being deleted.
            delete from ibex_core.search_terms where org_id = p_org and team_id = p_team;
            return;
        end if;
        insert into ibex_core.search_teams as t (org_id, team_id, entries) values (p_org, p_team, p_entries)
        on conflict (org_id, team_id) do update set entries = t.entries + excluded.entries;
    end if;
    insert into ibex_core.search_terms as t (org_id, team_id, term, entries)
    select p_org, p_team, s.term, s.shift from unnest(p_terms, p_shifts) as s (term, shift)
    on conflict (org_id, team_id, term) do update set entries = t.entries + excluded.entries;
    if exists (select from unnest(p_shifts) as s (shift) where s.shift < 0) then
        delete from ibex_core.search_terms
        where org_id = p_org and team_id = p_team and term = any(p_terms) and entries <= 0;
    end if;
end
$$;

CREATE FUNCTION ibex_core.vector_candidates(p_org text, p_team bigint, p_model text, p_vector public.halfvec, p_history boolean, p_strict boolean, p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamp with time zone, p_limit integer) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $_$
declare
    found_ids bigint[];
    indexed integer;
begin
    select dimensions into indexed from ibex_core.vector_indexes
    where org_id = p_org and team_id = p_team and model = p_model;
    if indexed = vector_dims(p_vector) and not p_history then
        perform set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('enable_sort', 'off', true),
            set_config('hnsw.ef_search', greatest(100, p_limit * 2)::text, true);
        execute format(
            'select array(select e.memory_id from ibex_core.memory_embeddings as e '
            'join ibex_core.memories as m on m.id = e.memory_id and m.org_id = e.org_id '
            'where e.org_id = %1$L and e.team_id = %2$s and e.model = %3$L and e.live '
            'and m.status = any($2) and ($3 is null or m.kind = any($3)) and ($4 is null or m.tags @> $4) '
            'and m.valid_from <= $5 and (m.valid_until is null or m.valid_until > $5) '
            'order by e.embedding::halfvec(%4$s) <=> $1::halfvec(%4$s) limit $6)',
            p_org, p_team, p_model, indexed
        ) into found_ids using p_vector, p_statuses, p_kinds, p_tags, p_moment, p_limit;
        perform set_config('enable_sort', 'on', true);
        return found_ids;
    end if;
    if p_strict then
        return array(
            select e.memory_id
            from ibex_core.memory_embeddings as e
            join ibex_core.memories as m on m.id = e.memory_id and m.org_id = e.org_id
            where e.org_id = p_org and e.team_id = p_team and e.model = p_model and (e.live or p_history)
              and m.status = any(p_statuses)
              and (p_kinds is null or m.kind = any(p_kinds)) and (p_tags is null or m.tags @> p_tags)
              and m.valid_from <= p_moment and (m.valid_until is null or m.valid_until > p_moment or p_history)
            order by e.embedding <=> p_vector, e.memory_id desc
            limit p_limit
        );
    end if;
    return array(
        select e.memory_id
        from ibex_core.memory_embeddings as e
        where e.org_id = p_org and e.team_id = p_team and e.model = p_model and e.live
        order by e.embedding <=> p_vector, e.memory_id desc
        limit p_limit
    );
end
$_$;

CREATE FUNCTION ibex_core.word_candidates(p_team bigint, p_gate integer[], p_query public.sparsevec, p_history boolean, p_strict boolean, p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamp with time zone, p_limit integer) RETURNS bigint[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
declare
    tenant constant text := current_setting('kapelle.org_id', true);
begin
    if p_moment is null then
        -- Whatever the validity: what the row of memory_search says is enough.
        return array(
            select f.memory_id
            from (
                select s.org_id, s.team_id, s.memory_id, s.live, s.status, s.impacts
                from ibex_core.memory_search as s where s.terms && p_gate
                offset 0
            ) as f
            where f.org_id = tenant and f.team_id = p_team and (f.live or p_history) and f.status = any(p_statuses)
            order by f.impacts <#> p_query, f.memory_id desc
            limit p_limit
        );
    end if;
    if p_strict then
        return array(
            select f.memory_id
            from (
                select s.org_id, s.team_id, s.memory_id, s.live, s.status, s.impacts
                from ibex_core.memory_search as s where s.terms && p_gate
                offset 0
            ) as f
            cross join lateral (
                select from ibex_core.memories as m
                where m.id = f.memory_id and m.org_id = f.org_id
                  and (p_kinds is null or m.kind = any(p_kinds)) and (p_tags is null or m.tags @> p_tags)
                  and m.valid_from <= p_moment and (m.valid_until is null or m.valid_until > p_moment or p_history)
                offset 0
            ) as fits
            where f.org_id = tenant and f.team_id = p_team and (f.live or p_history) and f.status = any(p_statuses)
            order by f.impacts <#> p_query, f.memory_id desc
            limit p_limit
        );
    end if;
    return array(
        select f.memory_id
        from (
            select s.org_id, s.team_id, s.memory_id, s.live, s.impacts
            from ibex_core.memory_search as s where s.terms && p_gate
            offset 0
        ) as f
        where f.org_id = tenant and f.team_id = p_team and f.live
        order by f.impacts <#> p_query, f.memory_id desc
        limit p_limit
    );
end
$$;

ALTER TABLE ibex_core.access_tokens ALTER COLUMN token_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ibex_core.access_tokens_token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ibex_core.agents (
    agent_id bigint NOT NULL,
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agents_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'::text))
);

ALTER TABLE ONLY ibex_core.agents FORCE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.agents ALTER COLUMN agent_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ibex_core.agents_agent_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ibex_core.embedding_models (
    org_id text NOT NULL,
    model text NOT NULL,
    alias text NOT NULL,
    active boolean DEFAULT false NOT NULL,
    known_since timestamp with time zone DEFAULT now() NOT NULL,
    activated_at timestamp with time zone,
    activated_by text,
    CONSTRAINT embedding_models_check CHECK (((NOT active) OR (activated_at IS NOT NULL)))
);

ALTER TABLE ONLY ibex_core.embedding_models FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.exports (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    repo_id bigint NOT NULL,
    branch text NOT NULL,
    blob text NOT NULL,
    commit_sha text NOT NULL,
    pr_number bigint NOT NULL,
    entry_ids bigint[] NOT NULL,
    origin_ids bigint[] NOT NULL,
    finished_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT exports_blob_check CHECK ((blob ~ '^[0-9a-f]{40}$'::text)),
    CONSTRAINT exports_check CHECK ((cardinality(entry_ids) = cardinality(origin_ids))),
    CONSTRAINT exports_commit_sha_check CHECK ((commit_sha ~ '^[0-9a-f]{40}$'::text)),
    CONSTRAINT exports_pr_number_check CHECK ((pr_number > 0))
);

ALTER TABLE ONLY ibex_core.exports FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.held_memories (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    agent text,
    held_at timestamp with time zone DEFAULT now() NOT NULL,
    document jsonb NOT NULL
);

ALTER TABLE ONLY ibex_core.held_memories FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.import_lines (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    import_id uuid NOT NULL,
    line integer NOT NULL,
    digest bytea NOT NULL,
    name text,
    links jsonb DEFAULT '[]'::jsonb NOT NULL,
    state text NOT NULL,
    entry_id bigint,
    reason text DEFAULT ''::text NOT NULL,
    staged bytea,
    CONSTRAINT import_lines_check CHECK (((state = 'waiting'::text) = (staged IS NOT NULL))),
    CONSTRAINT import_lines_digest_check CHECK ((octet_length(digest) = 32)),
    CONSTRAINT import_lines_line_check CHECK ((line > 0)),
    CONSTRAINT import_lines_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'created'::text, 'duplicate'::text, 'refused'::text, 'failed'::text])))
);

ALTER TABLE ONLY ibex_core.import_lines FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.imports (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    import_id uuid NOT NULL,
    source text NOT NULL,
    lines integer NOT NULL,
    begun_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT imports_lines_check CHECK ((lines > 0))
);

ALTER TABLE ONLY ibex_core.imports FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.ledger_checkpoints (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    number bigint NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    made_at timestamp with time zone NOT NULL,
    seal bytea NOT NULL,
    CONSTRAINT ledger_checkpoints_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT ledger_checkpoints_number_check CHECK ((number > 0)),
    CONSTRAINT ledger_checkpoints_seal_check CHECK ((octet_length(seal) = 32))
);

ALTER TABLE ONLY ibex_core.ledger_checkpoints FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.legal_holds (
    hold_id bigint NOT NULL,
    org_id text NOT NULL,
    team_id bigint,
    agent_id bigint,
    reason text NOT NULL,
    placed_by text NOT NULL,
    placed_at timestamp with time zone DEFAULT now() NOT NULL,
    lifted_at timestamp with time zone
);

ALTER TABLE ONLY ibex_core.legal_holds FORCE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.legal_holds ALTER COLUMN hold_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ibex_core.legal_holds_hold_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ibex_core.memories ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ibex_core.memories_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ibex_core.memory_conflicts (
    conflict_id bigint NOT NULL,
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    first_id bigint NOT NULL,
    second_id bigint NOT NULL,
    kind text NOT NULL,
    score real NOT NULL,
    reasons text[] DEFAULT '{}'::text[] NOT NULL,
    found_at timestamp with time zone DEFAULT now() NOT NULL,
    resolution text,
    resolved_by text,
    resolved_at timestamp with time zone,
    CONSTRAINT memory_conflicts_check CHECK ((first_id < second_id)),
    CONSTRAINT memory_conflicts_check1 CHECK (((resolution IS NULL) = (resolved_at IS NULL))),
    CONSTRAINT memory_conflicts_kind_check CHECK ((kind = ANY (ARRAY['near_duplicate'::text, 'contradiction'::text, 'outdated'::text]))),
    CONSTRAINT memory_conflicts_resolution_check CHECK ((resolution = ANY (ARRAY['keep-both'::text, 'keep-first'::text, 'keep-second'::text]))),
    CONSTRAINT memory_conflicts_score_check CHECK (((score >= (0)::double precision) AND (score <= (1)::double precision)))
);

ALTER TABLE ONLY ibex_core.memory_conflicts FORCE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_conflicts ALTER COLUMN conflict_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ibex_core.memory_conflicts_conflict_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ibex_core.memory_embeddings (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    model text NOT NULL,
    memory_id bigint NOT NULL,
    part smallint DEFAULT 0 NOT NULL,
    live boolean NOT NULL,
    embedding public.halfvec NOT NULL,
    CONSTRAINT memory_embeddings_embedding_check CHECK ((public.vector_dims(embedding) <= 3900))
);
ALTER TABLE ONLY ibex_core.memory_embeddings ALTER COLUMN embedding SET STORAGE PLAIN;

ALTER TABLE ONLY ibex_core.memory_embeddings FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.memory_events (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    seq bigint NOT NULL,
    memory_id bigint NOT NULL,
    event text NOT NULL,
    other_id bigint,
    actor text NOT NULL,
    operation_id uuid NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    text_digest bytea,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT memory_events_event_check CHECK ((event = ANY (ARRAY['proposed'::text, 'added'::text, 'accepted'::text, 'superseded'::text, 'forgotten'::text, 'rejected'::text, 'released'::text, 'resolved'::text, 'rated'::text, 'lifted'::text, 'checkpointed'::text, 'imported'::text]))),
    CONSTRAINT memory_events_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT memory_events_previous_hash_check CHECK ((octet_length(previous_hash) = 32)),
    CONSTRAINT memory_events_seq_check CHECK ((seq > 0)),
    CONSTRAINT memory_events_text_digest_check CHECK ((octet_length(text_digest) = 32))
);

ALTER TABLE ONLY ibex_core.memory_events FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.memory_feedback (
    org_id text NOT NULL,
    memory_id bigint NOT NULL,
    principal text NOT NULL,
    helpful boolean NOT NULL,
    given_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY ibex_core.memory_feedback FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.memory_labels (
    org_id text NOT NULL,
    memory_id bigint NOT NULL,
    label text NOT NULL,
    confidence real DEFAULT 1 NOT NULL,
    CONSTRAINT memory_labels_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT memory_labels_label_check CHECK ((label = ANY (ARRAY['convention'::text, 'decision'::text, 'event'::text, 'fact'::text, 'gotcha'::text, 'preference'::text, 'procedure'::text])))
);

ALTER TABLE ONLY ibex_core.memory_labels FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.memory_reasons (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    reason text NOT NULL
);

ALTER TABLE ONLY ibex_core.memory_reasons FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.memory_receipts (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    made_at timestamp with time zone NOT NULL,
    lines text[] NOT NULL
);

ALTER TABLE ONLY ibex_core.memory_receipts FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.memory_relationships (
    relationship_id bigint NOT NULL,
    org_id text NOT NULL,
    kind text NOT NULL,
    from_id bigint NOT NULL,
    to_id bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT memory_relationships_check CHECK ((from_id <> to_id)),
    CONSTRAINT memory_relationships_kind_check CHECK ((kind = ANY (ARRAY['supersedes'::text, 'contradicts'::text, 'refines'::text, 'duplicates'::text, 'relates_to'::text, 'derived_from'::text])))
);

ALTER TABLE ONLY ibex_core.memory_relationships FORCE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_relationships ALTER COLUMN relationship_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ibex_core.memory_relationships_relationship_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ibex_core.memory_tombstones (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    digest bytea NOT NULL,
    memory_id bigint NOT NULL,
    forgotten_at timestamp with time zone DEFAULT now() NOT NULL,
    cause text DEFAULT 'forgotten'::text NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    CONSTRAINT memory_tombstones_cause_check CHECK ((cause = ANY (ARRAY['forgotten'::text, 'rejected'::text]))),
    CONSTRAINT memory_tombstones_digest_check CHECK ((octet_length(digest) = 32))
);

ALTER TABLE ONLY ibex_core.memory_tombstones FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.operations (
    org_id text NOT NULL,
    operation_id uuid NOT NULL,
    team_id bigint,
    source text NOT NULL,
    name text NOT NULL,
    request_digest bytea NOT NULL,
    state text NOT NULL,
    outcome jsonb,
    workflow_id text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    steps text[] DEFAULT '{}'::text[] NOT NULL,
    tombstone bytea,
    CONSTRAINT operations_check CHECK (((state = 'succeeded'::text) <= (outcome IS NOT NULL))),
    CONSTRAINT operations_check1 CHECK (((state = ANY (ARRAY['queued'::text, 'running'::text])) = (finished_at IS NULL))),
    CONSTRAINT operations_request_digest_check CHECK ((octet_length(request_digest) = 32)),
    CONSTRAINT operations_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT operations_tombstone_check CHECK ((octet_length(tombstone) = 32))
);

ALTER TABLE ONLY ibex_core.operations FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.organizations (
    org_id text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT organizations_org_id_check CHECK ((org_id ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
);

ALTER TABLE ONLY ibex_core.organizations FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.persons (
    org_id text NOT NULL,
    person_id text NOT NULL,
    is_admin boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT persons_person_id_check CHECK ((person_id ~ '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$'::text))
);

ALTER TABLE ONLY ibex_core.persons FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.search_teams (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    entries bigint DEFAULT 0 NOT NULL,
    language text DEFAULT 'english'::text NOT NULL,
    CONSTRAINT search_teams_language_check CHECK ((language ~ '^[a-z]+$'::text))
)
WITH (fillfactor='50');

ALTER TABLE ONLY ibex_core.search_teams FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.search_terms (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    term integer NOT NULL,
    entries bigint NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY ibex_core.search_terms FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.team_members (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    person_id text NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT team_members_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'member'::text, 'maintainer'::text])))
);

ALTER TABLE ONLY ibex_core.team_members FORCE ROW LEVEL SECURITY;

CREATE TABLE ibex_core.teams (
    team_id bigint NOT NULL,
    org_id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    repo_url text,
    link_hosts text[] DEFAULT '{}'::text[] NOT NULL,
    personal_data text,
    revision bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    repo_id bigint,
    export_schedule text,
    ledger_seq bigint DEFAULT 0 NOT NULL,
    ledger_hash bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
    CONSTRAINT teams_export_schedule_check CHECK ((export_schedule = ANY (ARRAY['daily'::text, 'weekly'::text]))),
    CONSTRAINT teams_ledger_hash_check CHECK ((octet_length(ledger_hash) = 32)),
    CONSTRAINT teams_personal_data_check CHECK ((personal_data = ANY (ARRAY['redact'::text, 'reject'::text, 'quarantine'::text, 'off'::text]))),
    CONSTRAINT teams_slug_check CHECK ((slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
);

ALTER TABLE ONLY ibex_core.teams FORCE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.teams ALTER COLUMN team_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ibex_core.teams_team_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ibex_core.vector_indexes (
    org_id text NOT NULL,
    team_id bigint NOT NULL,
    model text NOT NULL,
    dimensions integer NOT NULL
);

ALTER TABLE ONLY ibex_core.vector_indexes FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY ibex_core.access_tokens
    ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (token_id);

ALTER TABLE ONLY ibex_core.access_tokens
    ADD CONSTRAINT access_tokens_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY ibex_core.agents
    ADD CONSTRAINT agents_agent_id_org_id_key UNIQUE (agent_id, org_id);

ALTER TABLE ONLY ibex_core.agents
    ADD CONSTRAINT agents_org_id_team_id_name_key UNIQUE (org_id, team_id, name);

ALTER TABLE ONLY ibex_core.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (agent_id);

ALTER TABLE ONLY ibex_core.embedding_models
    ADD CONSTRAINT embedding_models_pkey PRIMARY KEY (org_id, model);

ALTER TABLE ONLY ibex_core.exports
    ADD CONSTRAINT exports_pkey PRIMARY KEY (org_id, team_id);

ALTER TABLE ONLY ibex_core.held_memories
    ADD CONSTRAINT held_memories_pkey PRIMARY KEY (org_id, team_id, memory_id);

ALTER TABLE ONLY ibex_core.import_lines
    ADD CONSTRAINT import_lines_pkey PRIMARY KEY (org_id, team_id, import_id, line);

ALTER TABLE ONLY ibex_core.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (org_id, team_id, import_id);

ALTER TABLE ONLY ibex_core.ledger_checkpoints
    ADD CONSTRAINT ledger_checkpoints_pkey PRIMARY KEY (org_id, team_id, number);

ALTER TABLE ONLY ibex_core.legal_holds
    ADD CONSTRAINT legal_holds_pkey PRIMARY KEY (hold_id);

ALTER TABLE ONLY ibex_core.memories
    ADD CONSTRAINT memories_id_org_id_key UNIQUE (id, org_id);

ALTER TABLE ONLY ibex_core.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (id);

ALTER TABLE ONLY ibex_core.memory_conflicts
    ADD CONSTRAINT memory_conflicts_org_id_first_id_second_id_key UNIQUE (org_id, first_id, second_id);

ALTER TABLE ONLY ibex_core.memory_conflicts
    ADD CONSTRAINT memory_conflicts_pkey PRIMARY KEY (conflict_id);

ALTER TABLE ONLY ibex_core.memory_embeddings
    ADD CONSTRAINT memory_embeddings_pkey PRIMARY KEY (org_id, team_id, model, memory_id, part);

ALTER TABLE ONLY ibex_core.memory_events
    ADD CONSTRAINT memory_events_pkey PRIMARY KEY (org_id, team_id, seq);

ALTER TABLE ONLY ibex_core.memory_feedback
    ADD CONSTRAINT memory_feedback_pkey PRIMARY KEY (org_id, memory_id, principal);

ALTER TABLE ONLY ibex_core.memory_labels
    ADD CONSTRAINT memory_labels_pkey PRIMARY KEY (org_id, memory_id, label);

ALTER TABLE ONLY ibex_core.memory_reasons
    ADD CONSTRAINT memory_reasons_pkey PRIMARY KEY (org_id, team_id, memory_id);

ALTER TABLE ONLY ibex_core.memory_receipts
    ADD CONSTRAINT memory_receipts_pkey PRIMARY KEY (org_id, team_id, memory_id);

ALTER TABLE ONLY ibex_core.memory_relationships
    ADD CONSTRAINT memory_relationships_org_id_from_id_to_id_kind_key UNIQUE (org_id, from_id, to_id, kind);

ALTER TABLE ONLY ibex_core.memory_relationships
    ADD CONSTRAINT memory_relationships_pkey PRIMARY KEY (relationship_id);

ALTER TABLE ONLY ibex_core.memory_search
    ADD CONSTRAINT memory_search_pkey PRIMARY KEY (org_id, team_id, memory_id);

ALTER TABLE ONLY ibex_core.memory_tombstones
    ADD CONSTRAINT memory_tombstones_pkey PRIMARY KEY (org_id, team_id, digest);

ALTER TABLE ONLY ibex_core.operations
    ADD CONSTRAINT operations_pkey PRIMARY KEY (org_id, operation_id);

ALTER TABLE ONLY ibex_core.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY ibex_core.persons
    ADD CONSTRAINT persons_pkey PRIMARY KEY (org_id, person_id);

ALTER TABLE ONLY ibex_core.search_teams
    ADD CONSTRAINT search_teams_pkey PRIMARY KEY (org_id, team_id);

ALTER TABLE ONLY ibex_core.search_terms
    ADD CONSTRAINT search_terms_pkey PRIMARY KEY (org_id, team_id, term);

ALTER TABLE ONLY ibex_core.team_members
    ADD CONSTRAINT team_members_pkey PRIMARY KEY (org_id, team_id, person_id);

ALTER TABLE ONLY ibex_core.teams
    ADD CONSTRAINT teams_org_id_slug_key UNIQUE (org_id, slug);

ALTER TABLE ONLY ibex_core.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (team_id);

ALTER TABLE ONLY ibex_core.teams
    ADD CONSTRAINT teams_team_id_org_id_key UNIQUE (team_id, org_id);

ALTER TABLE ONLY ibex_core.vector_indexes
    ADD CONSTRAINT vector_indexes_pkey PRIMARY KEY (org_id, team_id, model);

CREATE INDEX conflicts_by_second ON ibex_core.memory_conflicts USING btree (second_id);

CREATE INDEX embeddings_by_memory ON ibex_core.memory_embeddings USING btree (memory_id);

CREATE INDEX events_by_memory ON ibex_core.memory_events USING btree (org_id, team_id, memory_id, seq);

CREATE INDEX feedback_by_memory ON ibex_core.memory_feedback USING btree (memory_id);

CREATE INDEX import_lines_by_digest ON ibex_core.import_lines USING btree (org_id, team_id, digest) WHERE (entry_id IS NOT NULL);

CREATE INDEX import_lines_linking ON ibex_core.import_lines USING btree (org_id, team_id, import_id) WHERE (links <> '[]'::jsonb);

CREATE INDEX import_lines_waiting ON ibex_core.import_lines USING btree (org_id, team_id, import_id, line) WHERE (state = 'waiting'::text);

CREATE INDEX labels_by_memory ON ibex_core.memory_labels USING btree (memory_id);

CREATE INDEX memories_by_team ON ibex_core.memories USING btree (org_id, team_id, status, id DESC);

CREATE INDEX memories_of_agents ON ibex_core.memories USING btree (org_id, team_id, agent_id, id DESC) WHERE (visibility = 'agent'::text);

CREATE UNIQUE INDEX one_active_model ON ibex_core.embedding_models USING btree (org_id) WHERE active;

CREATE UNIQUE INDEX one_live_text ON ibex_core.memory_search USING btree (org_id, team_id, text_hash) WHERE (current AND (status <> 'active'::text));

CREATE UNIQUE INDEX one_successor ON ibex_core.memory_relationships USING btree (org_id, to_id) WHERE (kind = 'supersedes'::text);

CREATE INDEX open_conflicts ON ibex_core.memory_conflicts USING btree (org_id, team_id) WHERE (resolution IS NULL);

CREATE INDEX operations_by_request ON ibex_core.operations USING btree (org_id, request_digest);

CREATE INDEX operations_by_tombstone ON ibex_core.operations USING btree (org_id, team_id, tombstone) WHERE (tombstone IS NOT NULL);

CREATE INDEX relationships_by_target ON ibex_core.memory_relationships USING btree (to_id);

CREATE INDEX search_by_memory ON ibex_core.memory_search USING btree (memory_id);

CREATE INDEX search_by_term ON ibex_core.memory_search USING gin (terms) WITH (fastupdate=off);

CREATE UNIQUE INDEX team_of_repository ON ibex_core.teams USING btree (org_id, lower(repo_url));

CREATE UNIQUE INDEX team_of_repository_id ON ibex_core.teams USING btree (org_id, repo_id);

CREATE INDEX unfinished_operations ON ibex_core.operations USING btree (org_id, started_at) WHERE (finished_at IS NULL);

CREATE INDEX unlifted_holds ON ibex_core.legal_holds USING btree (org_id) WHERE (lifted_at IS NULL);

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON ibex_core.memory_events FOR EACH ROW EXECUTE FUNCTION ibex_core.refuse_change();

CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ibex_core.memory_events FOR EACH STATEMENT EXECUTE FUNCTION ibex_core.refuse_change();

CREATE TRIGGER count_changed AFTER UPDATE ON ibex_core.memory_search REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ibex_core.count_changed_terms();

CREATE TRIGGER count_gone AFTER DELETE ON ibex_core.memory_search REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION ibex_core.count_gone_terms();

CREATE TRIGGER count_new AFTER INSERT ON ibex_core.memory_search REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ibex_core.count_new_terms();

CREATE TRIGGER kind_follows_changed_labels AFTER UPDATE ON ibex_core.memory_labels REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ibex_core.follow_surest_label();

CREATE TRIGGER kind_follows_gone_labels AFTER DELETE ON ibex_core.memory_labels REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ibex_core.follow_surest_label();

CREATE TRIGGER kind_follows_new_labels AFTER INSERT ON ibex_core.memory_labels REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ibex_core.follow_surest_label();

CREATE TRIGGER revision_moved AFTER UPDATE OF revision ON ibex_core.teams FOR EACH ROW WHEN ((new.revision <> old.revision)) EXECUTE FUNCTION ibex_core.announce_revision();

ALTER TABLE ONLY ibex_core.access_tokens
    ADD CONSTRAINT access_tokens_agent_id_org_id_fkey FOREIGN KEY (agent_id, org_id) REFERENCES ibex_core.agents(agent_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.access_tokens
    ADD CONSTRAINT access_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.access_tokens
    ADD CONSTRAINT access_tokens_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES ibex_core.persons(org_id, person_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.agents
    ADD CONSTRAINT agents_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.embedding_models
    ADD CONSTRAINT embedding_models_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.exports
    ADD CONSTRAINT exports_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.held_memories
    ADD CONSTRAINT held_memories_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.import_lines
    ADD CONSTRAINT import_lines_org_id_team_id_import_id_fkey FOREIGN KEY (org_id, team_id, import_id) REFERENCES ibex_core.imports(org_id, team_id, import_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.imports
    ADD CONSTRAINT imports_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.imports
    ADD CONSTRAINT imports_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.ledger_checkpoints
    ADD CONSTRAINT ledger_checkpoints_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.legal_holds
    ADD CONSTRAINT legal_holds_agent_id_org_id_fkey FOREIGN KEY (agent_id, org_id) REFERENCES ibex_core.agents(agent_id, org_id);

ALTER TABLE ONLY ibex_core.legal_holds
    ADD CONSTRAINT legal_holds_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.legal_holds
    ADD CONSTRAINT legal_holds_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id);

ALTER TABLE ONLY ibex_core.memories
    ADD CONSTRAINT memories_agent_id_org_id_fkey FOREIGN KEY (agent_id, org_id) REFERENCES ibex_core.agents(agent_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memories
    ADD CONSTRAINT memories_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.memories
    ADD CONSTRAINT memories_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_conflicts
    ADD CONSTRAINT memory_conflicts_first_id_org_id_fkey FOREIGN KEY (first_id, org_id) REFERENCES ibex_core.memories(id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_conflicts
    ADD CONSTRAINT memory_conflicts_second_id_org_id_fkey FOREIGN KEY (second_id, org_id) REFERENCES ibex_core.memories(id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_conflicts
    ADD CONSTRAINT memory_conflicts_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_embeddings
    ADD CONSTRAINT memory_embeddings_memory_id_org_id_fkey FOREIGN KEY (memory_id, org_id) REFERENCES ibex_core.memories(id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_events
    ADD CONSTRAINT memory_events_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.memory_feedback
    ADD CONSTRAINT memory_feedback_memory_id_org_id_fkey FOREIGN KEY (memory_id, org_id) REFERENCES ibex_core.memories(id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_labels
    ADD CONSTRAINT memory_labels_memory_id_org_id_fkey FOREIGN KEY (memory_id, org_id) REFERENCES ibex_core.memories(id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_reasons
    ADD CONSTRAINT memory_reasons_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.memory_reasons
    ADD CONSTRAINT memory_reasons_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_receipts
    ADD CONSTRAINT memory_receipts_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.memory_relationships
    ADD CONSTRAINT memory_relationships_from_id_org_id_fkey FOREIGN KEY (from_id, org_id) REFERENCES ibex_core.memories(id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_relationships
    ADD CONSTRAINT memory_relationships_to_id_org_id_fkey FOREIGN KEY (to_id, org_id) REFERENCES ibex_core.memories(id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_search
    ADD CONSTRAINT memory_search_memory_id_org_id_fkey FOREIGN KEY (memory_id, org_id) REFERENCES ibex_core.memories(id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.memory_tombstones
    ADD CONSTRAINT memory_tombstones_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.operations
    ADD CONSTRAINT operations_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.operations
    ADD CONSTRAINT operations_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.persons
    ADD CONSTRAINT persons_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.search_teams
    ADD CONSTRAINT search_teams_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.team_members
    ADD CONSTRAINT team_members_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES ibex_core.persons(org_id, person_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.team_members
    ADD CONSTRAINT team_members_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ONLY ibex_core.teams
    ADD CONSTRAINT teams_org_id_fkey FOREIGN KEY (org_id) REFERENCES ibex_core.organizations(org_id);

ALTER TABLE ONLY ibex_core.vector_indexes
    ADD CONSTRAINT vector_indexes_team_id_org_id_fkey FOREIGN KEY (team_id, org_id) REFERENCES ibex_core.teams(team_id, org_id) ON DELETE CASCADE;

ALTER TABLE ibex_core.access_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.agents ENABLE ROW LEVEL SECURITY;

CREATE POLICY bearers ON ibex_core.access_tokens FOR SELECT TO kapelle_tokens USING (true);

CREATE POLICY candidates ON ibex_core.memory_search FOR SELECT TO kapelle_search USING (true);

ALTER TABLE ibex_core.embedding_models ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.exports ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.held_memories ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.import_lines ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.imports ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.ledger_checkpoints ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.legal_holds ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memories ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_conflicts ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_embeddings ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_feedback ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_labels ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_reasons ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_receipts ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_relationships ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_search ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.memory_tombstones ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.operations ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.organizations ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.persons ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.search_teams ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.search_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.team_members ENABLE ROW LEVEL SECURITY;

ALTER TABLE ibex_core.teams ENABLE ROW LEVEL SECURITY;

CREATE POLICY tenant ON ibex_core.access_tokens USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.agents USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.embedding_models USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.exports USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.held_memories USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.import_lines USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.imports USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.ledger_checkpoints USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.legal_holds USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memories USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_conflicts USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_embeddings USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_events USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_feedback USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_labels USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_reasons USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_receipts USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_relationships USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_search USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.memory_tombstones USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.operations USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.organizations USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.persons USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.search_teams USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.search_terms USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.team_members USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.teams USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

CREATE POLICY tenant ON ibex_core.vector_indexes USING ((org_id = ( SELECT current_setting('kapelle.org_id'::text, true) AS current_setting)));

ALTER TABLE ibex_core.vector_indexes ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA ibex_core TO kapelle_app;
GRANT USAGE ON SCHEMA ibex_core TO kapelle_search;
GRANT USAGE ON SCHEMA ibex_core TO kapelle_tokens;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memories TO kapelle_app;
GRANT SELECT ON TABLE ibex_core.memories TO kapelle_search;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_search TO kapelle_app;
GRANT SELECT ON TABLE ibex_core.memory_search TO kapelle_search;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.access_tokens TO kapelle_app;

GRANT SELECT(org_id) ON TABLE ibex_core.access_tokens TO kapelle_tokens;

GRANT SELECT(token_hash) ON TABLE ibex_core.access_tokens TO kapelle_tokens;

REVOKE ALL ON FUNCTION ibex_core.org_of_token(p_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION ibex_core.org_of_token(p_hash bytea) TO kapelle_app;

REVOKE ALL ON FUNCTION ibex_core.word_candidates(p_team bigint, p_gate integer[], p_query public.sparsevec, p_history boolean, p_strict boolean, p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamp with time zone, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION ibex_core.word_candidates(p_team bigint, p_gate integer[], p_query public.sparsevec, p_history boolean, p_strict boolean, p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamp with time zone, p_limit integer) TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.agents TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.embedding_models TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.exports TO kapelle_app;

GRANT INSERT,DELETE ON TABLE ibex_core.held_memories TO kapelle_app;

GRANT SELECT(org_id) ON TABLE ibex_core.held_memories TO kapelle_app;

GRANT SELECT(team_id) ON TABLE ibex_core.held_memories TO kapelle_app;

GRANT SELECT(memory_id) ON TABLE ibex_core.held_memories TO kapelle_app;

GRANT SELECT(agent) ON TABLE ibex_core.held_memories TO kapelle_app;

GRANT SELECT(held_at) ON TABLE ibex_core.held_memories TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.import_lines TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.imports TO kapelle_app;

GRANT SELECT,INSERT ON TABLE ibex_core.ledger_checkpoints TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.legal_holds TO kapelle_app;

GRANT USAGE ON SEQUENCE ibex_core.memories_id_seq TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_conflicts TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_embeddings TO kapelle_app;

GRANT SELECT,INSERT ON TABLE ibex_core.memory_events TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_feedback TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_labels TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_reasons TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_receipts TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_relationships TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.memory_tombstones TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.operations TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.organizations TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.persons TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.search_teams TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.search_terms TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.team_members TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.teams TO kapelle_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ibex_core.vector_indexes TO kapelle_app;
