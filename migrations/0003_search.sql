-- migrate:up

-- What every read filters by, in a narrow row beside each entry: the entry itself stays untouched when it is superseded.
create table ibex_core.memory_search (
    org_id text not null,
    team_id bigint not null,
    memory_id bigint not null,
    -- False once superseded. Validity is compared at read time.
    current boolean not null default true,
    status text not null,
    -- What a team's search can return; only such rows count in the team's term statistics.
    live boolean not null generated always as (current and status in ('proposed', 'curated')) stored,
    -- SHA-256 of the normalised text: what makes two entries exact duplicates.
    text_hash bytea not null check (octet_length(text_hash) = 32),
    -- Stemmed words as numbers (see search_terms_of), and the BM25 impact of each, without the inverse document
    -- frequency, which is applied by the query: an entry is never rewritten because others came or went.
    terms integer[] not null,
    impacts sparsevec(536870912) not null,
    primary key (org_id, team_id, memory_id),
    foreign key (memory_id, org_id) references ibex_core.memories (id, org_id) on delete cascade
);
-- Inline, so that scoring does not visit TOAST, unless the row would not fit its page.
alter table ibex_core.memory_search alter column impacts set storage main;
-- One live entry per team and text. Agents' own entries are not deduplicated against the team's.
create unique index one_live_text on ibex_core.memory_search (org_id, team_id, text_hash)
where current and status <> 'active';
-- A term's number depends on the team, so the index needs no column for it. No pending list: reads stay even.
create index search_by_term on ibex_core.memory_search using gin (terms) with (fastupdate = off);
create index search_by_memory on ibex_core.memory_search (memory_id);

create table ibex_core.search_teams (
    org_id text not null,
    team_id bigint not null,
    -- Live rows of memory_search.
    entries bigint not null default 0,
    -- The Snowball language of the team's words, or simple.
    language text not null default 'english' check (language ~ '^[a-z]+$'),
    primary key (org_id, team_id),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade
) with (fillfactor = 50);

-- How many live entries of the team hold a term. Kept exact by triggers, whichever way an entry comes or goes.
create table ibex_core.search_terms (
    org_id text not null,
    team_id bigint not null,
    term integer not null,
    entries bigint not null,
    primary key (org_id, team_id, term)
) with (fillfactor = 70);

create table ibex_core.memory_embeddings (
    org_id text not null,
    team_id bigint not null,
    -- Only vectors of one model are ever compared.
    model text not null,
    memory_id bigint not null,
    -- Long text is embedded by parts, numbered from 0.
    part smallint not null default 0,
    -- As in memory_search, so that the nearest are live ones.
    live boolean not null,
    -- The bound keeps a row on its page, and is what an HNSW index can hold.
    embedding halfvec not null check (vector_dims(embedding) <= 3900),
    primary key (org_id, team_id, model, memory_id, part),
    foreign key (memory_id, org_id) references ibex_core.memories (id, org_id) on delete cascade
);
-- Inline, so that an exact scan of a team does not visit TOAST.
alter table ibex_core.memory_embeddings alter column embedding set storage plain;
create index embeddings_by_memory on ibex_core.memory_embeddings (memory_id);

-- Teams whose vectors have an HNSW index of their own, which is built by maintenance.
create table ibex_core.vector_indexes (
    org_id text not null,
    team_id bigint not null,
    model text not null,
    dimensions integer not null,
    primary key (org_id, team_id, model),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade
);

do $$
declare
    protected text;
begin
    foreach protected in array array[
        'memory_search', 'search_teams', 'search_terms', 'memory_embeddings', 'vector_indexes'
    ] loop
        execute format('alter table ibex_core.%I enable row level security', protected);
        execute format('alter table ibex_core.%I force row level security', protected);
        execute format(
            'create policy tenant on ibex_core.%I using (org_id = (select current_setting(''kapelle.org_id'', true)))',
            protected
        );
        execute format('grant select, insert, update, delete on ibex_core.%I to kapelle_app', protected);
    end loop;
end
$$;

-- The terms of `words` in a team, with their counts; stop words have none. A term is 29 bits of the MD5 of team and stem,
-- counted from 1: sparsevec ends at 10^9, and collisions inside one team stay too rare to matter.
create function ibex_core.search_terms_of(p_team bigint, p_language text, p_words text[], p_counts integer[])
returns table (term integer, occurrences bigint)
language sql stable parallel safe
as $$
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

-- Adds to the statistics of one team. The row of the team serialises its writers, so the terms cannot deadlock.
create function ibex_core.shift_terms(
    p_org text, p_team bigint, p_entries bigint, p_terms integer[], p_shifts bigint[]
) returns void
language plpgsql as $$
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

create function ibex_core.count_new_terms() returns trigger
language plpgsql as $$
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

create function ibex_core.count_gone_terms() returns trigger
language plpgsql as $$
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

create function ibex_core.count_changed_terms() returns trigger
language plpgsql as $$
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

create trigger count_new after insert on ibex_core.memory_search
referencing new table as new_rows for each statement execute function ibex_core.count_new_terms();
create trigger count_gone after delete on ibex_core.memory_search
referencing old table as old_rows for each statement execute function ibex_core.count_gone_terms();
create trigger count_changed after update on ibex_core.memory_search
referencing old table as old_rows new table as new_rows for each statement
execute function ibex_core.count_changed_terms();

-- migrate:down

drop table ibex_core.vector_indexes, ibex_core.memory_embeddings, ibex_core.search_terms, ibex_core.search_teams,
    ibex_core.memory_search;
drop function ibex_core.count_changed_terms, ibex_core.count_gone_terms, ibex_core.count_new_terms,
    ibex_core.shift_terms, ibex_core.search_terms_of;
