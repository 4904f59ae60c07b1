-- migrate:up

create table ibex_core.memories (
    id bigint generated always as identity primary key,
    org_id text not null references ibex_core.organizations,
    team_id bigint not null,
    kind text not null check (
        kind in ('convention', 'decision', 'event', 'fact', 'gotcha', 'preference', 'procedure')
    ),
    title text not null,
    body text not null,
    tags text[] not null default '{}',
    metadata jsonb not null default '{}',
    -- What the scan says to the reviewer: rules and places, never the text found.
    findings jsonb not null default '[]',
    status text not null check (status in ('proposed', 'curated', 'active', 'quarantined')),
    visibility text not null default 'team' check (visibility in ('team', 'agent')),
    agent_id bigint,
    -- Who wrote it, such as agent:payments/coder or person:ada.
    source text not null,
    confidence real not null default 1 check (confidence between 0 and 1),
    pinned boolean not null default false,
    valid_from timestamptz not null default now(),
    valid_until timestamptz,
    created_at timestamptz not null default now(),
    accepted_at timestamptz,
    accepted_by text,
    operation_id uuid not null,
    -- Salt of the digest in the ledger. It dies with the entry, and with it the digest's meaning.
    salt bytea not null check (octet_length(salt) = 16),
    unique (id, org_id),
    check (valid_until is null or valid_until > valid_from),
    check ((visibility = 'agent') = (agent_id is not null)),
    check ((status = 'active') <= (visibility = 'agent')),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade,
    foreign key (agent_id, org_id) references ibex_core.agents (agent_id, org_id) on delete cascade
);
-- Writers draw the ids of a batch before they insert it.
grant usage on sequence ibex_core.memories_id_seq to kapelle_app;
create index memories_by_team on ibex_core.memories (org_id, team_id, status, id desc);

create table ibex_core.memory_labels (
    org_id text not null,
    memory_id bigint not null,
    label text not null check (
        label in ('convention', 'decision', 'event', 'fact', 'gotcha', 'preference', 'procedure')
    ),
    confidence real not null default 1 check (confidence between 0 and 1),
    primary key (org_id, memory_id, label),
    foreign key (memory_id, org_id) references ibex_core.memories (id, org_id) on delete cascade
);

create index labels_by_memory on ibex_core.memory_labels (memory_id);

create function ibex_core.follow_surest_label() returns trigger
language plpgsql
-- The tables grow from nothing, and a plan made for an empty one would scan a full one.
set enable_seqscan = off
as $$
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
create trigger kind_follows_new_labels after insert on ibex_core.memory_labels
referencing new table as changed for each statement execute function ibex_core.follow_surest_label();
create trigger kind_follows_changed_labels after update on ibex_core.memory_labels
referencing new table as changed for each statement execute function ibex_core.follow_surest_label();
create trigger kind_follows_gone_labels after delete on ibex_core.memory_labels
referencing old table as changed for each statement execute function ibex_core.follow_surest_label();

create table ibex_core.memory_relationships (
    relationship_id bigint generated always as identity primary key,
    org_id text not null,
    kind text not null check (
        kind in ('supersedes', 'contradicts', 'refines', 'duplicates', 'relates_to', 'derived_from')
    ),
    from_id bigint not null,
    to_id bigint not null,
    created_at timestamptz not null default now(),
    check (from_id <> to_id),
    unique (org_id, from_id, to_id, kind),
    foreign key (from_id, org_id) references ibex_core.memories (id, org_id) on delete cascade,
    foreign key (to_id, org_id) references ibex_core.memories (id, org_id) on delete cascade
);
-- An entry has at most one current successor.
create unique index one_successor on ibex_core.memory_relationships (org_id, to_id) where kind = 'supersedes';
create index relationships_by_target on ibex_core.memory_relationships (to_id);

create table ibex_core.memory_conflicts (
    conflict_id bigint generated always as identity primary key,
    org_id text not null,
    team_id bigint not null,
    first_id bigint not null,
    second_id bigint not null,
    kind text not null check (kind in ('near_duplicate', 'contradiction', 'outdated')),
    score real not null check (score between 0 and 1),
    -- Names of the rules that see a difference; never text.
    reasons text[] not null default '{}',
    found_at timestamptz not null default now(),
    resolution text check (resolution in ('keep-both', 'keep-first', 'keep-second')),
    resolved_by text,
    resolved_at timestamptz,
    check (first_id < second_id),
    check ((resolution is null) = (resolved_at is null)),
    unique (org_id, first_id, second_id),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade,
    foreign key (first_id, org_id) references ibex_core.memories (id, org_id) on delete cascade,
    foreign key (second_id, org_id) references ibex_core.memories (id, org_id) on delete cascade
);
create index conflicts_by_second on ibex_core.memory_conflicts (second_id);
create index open_conflicts on ibex_core.memory_conflicts (org_id, team_id) where resolution is null;

create table ibex_core.memory_feedback (
    org_id text not null,
    memory_id bigint not null,
    -- One vote a principal, which can be changed.
    principal text not null,
    helpful boolean not null,
    given_at timestamptz not null default now(),
    primary key (org_id, memory_id, principal),
    foreign key (memory_id, org_id) references ibex_core.memories (id, org_id) on delete cascade
);
create index feedback_by_memory on ibex_core.memory_feedback (memory_id);

do $$
declare
    protected text;
begin
    foreach protected in array array[
        'memories', 'memory_labels', 'memory_relationships', 'memory_conflicts', 'memory_feedback'
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

-- migrate:down

drop table ibex_core.memory_feedback, ibex_core.memory_conflicts, ibex_core.memory_relationships,
    ibex_core.memory_labels, ibex_core.memories;
drop function ibex_core.follow_surest_label();
