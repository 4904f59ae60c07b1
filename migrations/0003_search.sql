-- migrate:up

-- What every read filters by, in a narrow row beside each entry: the entry itself stays untouched when it is superseded.
create table ibex_core.memory_search (
    org_id text not null,
    team_id bigint not null,
    memory_id bigint not null,
    -- False once superseded. Validity is compared at read time.
    current boolean not null default true,
    status text not null,
    -- SHA-256 of the normalised text: what makes two entries exact duplicates.
    text_hash bytea not null check (octet_length(text_hash) = 32),
    tsv tsvector not null,
    primary key (org_id, team_id, memory_id),
    foreign key (memory_id, org_id) references ibex_core.memories (id, org_id) on delete cascade
);
-- One live entry per team and text. Agents' own entries are not deduplicated against the team's.
create unique index one_live_text on ibex_core.memory_search (org_id, team_id, text_hash)
where current and status <> 'active';
create index search_by_word on ibex_core.memory_search using gin (org_id, team_id, tsv);
create index search_by_memory on ibex_core.memory_search (memory_id);

create table ibex_core.memory_embeddings (
    org_id text not null,
    team_id bigint not null,
    -- Only vectors of one model are ever compared.
    model text not null,
    memory_id bigint not null,
    -- Long text is embedded by parts, numbered from 0.
    part smallint not null default 0,
    embedding halfvec not null,
    primary key (org_id, team_id, model, memory_id, part),
    foreign key (memory_id, org_id) references ibex_core.memories (id, org_id) on delete cascade
);
-- Inline, so that an exact scan of a team does not visit TOAST.
alter table ibex_core.memory_embeddings alter column embedding set storage plain;
create index embeddings_by_memory on ibex_core.memory_embeddings (memory_id);

do $$
declare
    protected text;
begin
    foreach protected in array array['memory_search', 'memory_embeddings'] loop
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

-- migrate:down

drop table ibex_core.memory_embeddings, ibex_core.memory_search;
