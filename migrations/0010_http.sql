-- migrate:up

-- Where in a source an entry was learnt: its name, and the first and the last place.
alter table ibex_core.memories add column source_span jsonb;
create index memories_of_agents on ibex_core.memories (org_id, team_id, agent_id, id desc) where visibility = 'agent';

-- What a token is for, in the words of whoever made it, and who that was.
alter table ibex_core.access_tokens add column name text not null default '';
alter table ibex_core.access_tokens add column made_by text not null default '';

-- A door knows a caller's org only by the token, and row level security shows no token without an org. So this one
-- function runs as a role that may read tokens and nothing else, and answers the org of a token whose hash is given.
do $$
begin
    create role kapelle_tokens nologin nosuperuser nocreatedb nocreaterole nobypassrls;
exception when duplicate_object or unique_violation then
    null;
end
$$;
grant usage on schema ibex_core to kapelle_tokens;
grant select (org_id, token_hash) on ibex_core.access_tokens to kapelle_tokens;
create policy bearers on ibex_core.access_tokens for select to kapelle_tokens using (true);

create function ibex_core.org_of_token(p_hash bytea) returns text
language sql stable security definer
set search_path = pg_catalog, pg_temp
return (select t.org_id from ibex_core.access_tokens as t where t.token_hash = p_hash);

revoke execute on function ibex_core.org_of_token from public;
grant execute on function ibex_core.org_of_token to kapelle_app;

-- What `find_memories` is for a team's entries, for the entries of one agent: few enough to score them all.
create function ibex_core.find_own_memories(
    p_org text, p_team bigint, p_agent bigint, p_text text, p_words text[], p_vector halfvec, p_model text,
    p_cosine_weight real, p_ceiling real, p_kinds text[], p_tags text[], p_moment timestamptz, p_pool integer
) returns table (
    pass integer, id bigint, kind text, status text, title text, body text, tags text[], source text,
    created_at timestamptz, current boolean, confidence real, pinned boolean, helpful bigint, unhelpful bigint,
    asked_at timestamptz, words real, cosine real
)
language plpgsql volatile
as $$
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

-- Giving a function away takes membership in its new owner's role, and that role must be able to create in the schema.
do $$
declare
    foreign_role constant boolean := not pg_has_role(current_user, 'kapelle_tokens', 'set');
begin
    if foreign_role then
        execute format('grant kapelle_tokens to %I', current_user);
    end if;
    grant create on schema ibex_core to kapelle_tokens;
    alter function ibex_core.org_of_token owner to kapelle_tokens;
    revoke create on schema ibex_core from kapelle_tokens;
    if foreign_role then
        execute format('revoke kapelle_tokens from %I', current_user);
    end if;
end
$$;

-- migrate:down

drop function ibex_core.find_own_memories, ibex_core.org_of_token;
drop policy bearers on ibex_core.access_tokens;
revoke all on ibex_core.access_tokens from kapelle_tokens;
revoke all on schema ibex_core from kapelle_tokens;
alter table ibex_core.access_tokens drop column made_by, drop column name;
drop index ibex_core.memories_of_agents;
alter table ibex_core.memories drop column source_span;
