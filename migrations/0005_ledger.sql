-- migrate:up

-- What happened to which entry, without its text. Each row hashes its predecessor of the same team.
create table ibex_core.memory_events (
    org_id text not null references ibex_core.organizations,
    team_id bigint not null,
    seq bigint not null check (seq > 0),
    memory_id bigint not null,
    event text not null check (
        event in ('proposed', 'added', 'accepted', 'superseded', 'forgotten', 'rejected', 'released', 'resolved', 'rated')
    ),
    -- The other entry of a supersession or a resolved conflict.
    other_id bigint,
    actor text not null,
    operation_id uuid not null,
    happened_at timestamptz not null,
    -- Salted with the entry's own salt, so that it says nothing once the entry is gone.
    text_digest bytea check (octet_length(text_digest) = 32),
    previous_hash bytea not null check (octet_length(previous_hash) = 32),
    hash bytea not null check (octet_length(hash) = 32),
    primary key (org_id, team_id, seq)
);
create index events_by_memory on ibex_core.memory_events (org_id, team_id, memory_id, seq);

create function ibex_core.refuse_change() returns trigger
language plpgsql as $$
begin
    raise exception 'the ledger is append only' using errcode = 'integrity_constraint_violation';
end
$$;
create trigger append_only
before update or delete on ibex_core.memory_events
for each row execute function ibex_core.refuse_change();
create trigger append_only_whole
before truncate on ibex_core.memory_events
for each statement execute function ibex_core.refuse_change();

-- Keyed hashes of forgotten texts: they come back only when a person adds them again.
create table ibex_core.memory_tombstones (
    org_id text not null references ibex_core.organizations,
    team_id bigint not null,
    digest bytea not null check (octet_length(digest) = 32),
    memory_id bigint not null,
    forgotten_at timestamptz not null default now(),
    primary key (org_id, team_id, digest)
);

-- The idempotency ledger: one row a write, with the outcome that a retry is answered with. It holds no text.
create table ibex_core.operations (
    org_id text not null references ibex_core.organizations,
    operation_id uuid not null,
    -- Null for a command that is about a team itself.
    team_id bigint,
    source text not null,
    name text not null,
    -- Keyed digest of the canonical request: the same id with another request is refused.
    request_digest bytea not null check (octet_length(request_digest) = 32),
    state text not null check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    outcome jsonb,
    workflow_id text not null,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (org_id, operation_id),
    check ((state = 'succeeded') <= (outcome is not null)),
    check ((state in ('queued', 'running')) = (finished_at is null)),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade
);
create index unfinished_operations on ibex_core.operations (org_id, started_at) where finished_at is null;

do $$
declare
    protected text;
begin
    foreach protected in array array['memory_events', 'memory_tombstones', 'operations'] loop
        execute format('alter table ibex_core.%I enable row level security', protected);
        execute format('alter table ibex_core.%I force row level security', protected);
        execute format(
            'create policy tenant on ibex_core.%I using (org_id = (select current_setting(''kapelle.org_id'', true)))',
            protected
        );
    end loop;
end
$$;
grant select, insert on ibex_core.memory_events to kapelle_app;
grant select, insert, update, delete on ibex_core.memory_tombstones, ibex_core.operations to kapelle_app;

-- migrate:down

drop table ibex_core.operations, ibex_core.memory_tombstones, ibex_core.memory_events;
drop function ibex_core.refuse_change();
