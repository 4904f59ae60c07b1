-- migrate:up

-- Words in the query's terms use the index over terms, which row level security would forbid: no array or text search
-- operator is leakproof. So this one function runs as a role that sees every row of memory_search and nothing else
-- beyond the tenant, compares the tenant itself, and answers ids, which the caller joins under its own policy.
do $$
begin
    create role kapelle_search nologin nosuperuser nocreatedb nocreaterole nobypassrls;
exception when duplicate_object or unique_violation then
    null;
end
$$;
grant usage on schema ibex_core to kapelle_search;
grant select on ibex_core.memory_search, ibex_core.memories to kapelle_search;
create policy candidates on ibex_core.memory_search for select to kapelle_search using (true);

create function ibex_core.word_candidates(
    p_team bigint, p_gate integer[], p_query sparsevec, p_history boolean, p_strict boolean,
    p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamptz, p_limit integer
) returns bigint[]
language plpgsql stable security definer
set search_path = pg_catalog, public, pg_temp
-- Plans are made while the tables are small, and outlive that.
set enable_seqscan = off
as $$
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

create function ibex_core.vector_candidates(
    p_org text, p_team bigint, p_model text, p_vector halfvec, p_history boolean, p_strict boolean,
    p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamptz, p_limit integer
) returns bigint[]
language plpgsql volatile
as $$
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
$$;

-- For a query without a word, such as a sign: the newest entries that hold it as it stands; all hold the empty one.
create function ibex_core.literal_candidates(
    p_org text, p_team bigint, p_text text, p_history boolean,
    p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamptz, p_limit integer
) returns bigint[]
language sql stable
return array(
    select r.id
    from (
        select m.id, m.title, m.body
        from ibex_core.memories as m
        join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
        where m.org_id = p_org and m.team_id = p_team and (s.live or p_history) and m.status = any(p_statuses)
          and (p_kinds is null or m.kind = any(p_kinds)) and (p_tags is null or m.tags @> p_tags)
          and m.valid_from <= p_moment and (m.valid_until is null or m.valid_until > p_moment or p_history)
        order by m.id desc
        -- Reading further back would cost more than the answer is worth.
        limit 1000
    ) as r
    where position(lower(p_text) in lower(r.title || ' ' || r.body)) > 0
    order by r.id desc
    limit p_limit
);

create function ibex_core.blend(p_words real, p_cosine real, p_cosine_weight real) returns real
language sql immutable parallel safe
return case
    when p_cosine is null then p_words
    when p_words is null then p_cosine
    else p_cosine_weight * p_cosine + (1 - p_cosine_weight) * p_words
end;

-- Everything of one search in one round trip: the tenant, the terms and their weights, the candidates of both legs, both
-- scores of every candidate, and the entries. A null vector means words only. The caller ranks and cuts. Rows of the
-- last `pass` count: there is a second one only when entries that are not valid took places in the first.
-- `p_ceiling` is the highest impact that one term can have.
create function ibex_core.find_memories(
    p_org text, p_team bigint, p_text text, p_words text[], p_vector halfvec, p_model text, p_cosine_weight real,
    p_ceiling real, p_history boolean, p_statuses text[], p_kinds text[], p_tags text[], p_moment timestamptz, p_pool integer
) returns table (
    pass integer, id bigint, kind text, status text, title text, body text, tags text[], source text,
    created_at timestamptz, current boolean, confidence real, pinned boolean, helpful bigint, unhelpful bigint,
    asked_at timestamptz, words real, cosine real
)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
as $$
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

revoke execute on function ibex_core.word_candidates from public;
grant execute on function ibex_core.word_candidates to kapelle_app;

-- The entries whose words are most like a new text's, whether current or historical: for the write path alone. Of the
-- text's telling words the rarest ones that occur at all choose the candidates.
create function ibex_core.near_memories(p_org text, p_team bigint, p_words text[], p_limit integer) returns bigint[]
language plpgsql stable
set plan_cache_mode = force_generic_plan
-- Plans are made while the tables are small, and outlive that.
set enable_seqscan = off
as $$
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

-- Giving a function away takes membership in its new owner's role, and that role must be able to create in the schema.
do $$
declare
    foreign_role constant boolean := not pg_has_role(current_user, 'kapelle_search', 'set');
begin
    if foreign_role then
        execute format('grant kapelle_search to %I', current_user);
    end if;
    grant create on schema ibex_core to kapelle_search;
    alter function ibex_core.word_candidates owner to kapelle_search;
    revoke create on schema ibex_core from kapelle_search;
    if foreign_role then
        execute format('revoke kapelle_search from %I', current_user);
    end if;
end
$$;

-- migrate:down

drop function ibex_core.near_memories, ibex_core.find_memories, ibex_core.blend, ibex_core.literal_candidates,
    ibex_core.vector_candidates, ibex_core.word_candidates;
drop policy candidates on ibex_core.memory_search;
revoke all on ibex_core.memories, ibex_core.memory_search from kapelle_search;
revoke all on schema ibex_core from kapelle_search;
