-- migrate:up

-- Where each team's chain ends, beside the chain itself: a row cut off its end is missed here. Every change of the
-- memory moves the revision, and every moved revision is told to whoever listens: a team's number, never a text.
alter table ibex_core.teams add column ledger_seq bigint not null default 0;
alter table ibex_core.teams add column ledger_hash bytea not null default decode(repeat('00', 32), 'hex')
    check (octet_length(ledger_hash) = 32);
update ibex_core.teams as t set ledger_seq = e.seq, ledger_hash = e.hash
from (
    select distinct on (org_id, team_id) org_id, team_id, seq, hash
    from ibex_core.memory_events order by org_id, team_id, seq desc
) as e
where e.org_id = t.org_id and e.team_id = t.team_id;

create function ibex_core.announce_revision() returns trigger
language plpgsql as $$
begin
    perform pg_notify('kapelle_revisions', new.team_id || ' ' || new.revision);
    return null;
end
$$;
create trigger revision_moved after update of revision on ibex_core.teams
for each row when (new.revision <> old.revision) execute function ibex_core.announce_revision();

alter table ibex_core.memory_events drop constraint memory_events_event_check;
alter table ibex_core.memory_events add constraint memory_events_event_check check (
    event in (
        'proposed', 'added', 'accepted', 'superseded', 'forgotten', 'rejected', 'released', 'resolved', 'rated',
        'lifted', 'checkpointed', 'imported'
    )
);

-- Why a proposal was rejected, as a person said it. Not in the ledger: what people write can be forgotten.
create table ibex_core.memory_reasons (
    org_id text not null references ibex_core.organizations,
    team_id bigint not null,
    memory_id bigint not null,
    reason text not null,
    primary key (org_id, team_id, memory_id),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade
);

-- A tombstone keeps out what was rejected too, and what was on its way while it was dug: a write that was asked for
-- before this event of its team's ledger.
alter table ibex_core.memory_tombstones
    add column cause text not null default 'forgotten' check (cause in ('forgotten', 'rejected')),
    add column seq bigint not null default 0;

-- Seals of a team's chain, keyed, so that who can write the table still cannot make one.
create table ibex_core.ledger_checkpoints (
    org_id text not null references ibex_core.organizations,
    team_id bigint not null,
    number bigint not null check (number > 0),
    -- The last row that is sealed, and its hash.
    seq bigint not null,
    hash bytea not null check (octet_length(hash) = 32),
    made_at timestamptz not null,
    seal bytea not null check (octet_length(seal) = 32),
    primary key (org_id, team_id, number)
);

-- By what text a write is found again when that text is forgotten: the digest of its tombstone.
alter table ibex_core.operations add column tombstone bytea check (octet_length(tombstone) = 32);
create index operations_by_tombstone on ibex_core.operations (org_id, team_id, tombstone) where tombstone is not null;

-- What a hold keeps of an entry that was forgotten under it. The product can put it here and remove it, but not read it.
create table ibex_core.held_memories (
    org_id text not null references ibex_core.organizations,
    team_id bigint not null,
    memory_id bigint not null,
    -- The agent that wrote it, where one did.
    agent text,
    held_at timestamptz not null default now(),
    document jsonb not null,
    primary key (org_id, team_id, memory_id)
);

-- What became of each store when an entry was forgotten: words and counts, never its text.
create table ibex_core.memory_receipts (
    org_id text not null references ibex_core.organizations,
    team_id bigint not null,
    memory_id bigint not null,
    made_at timestamptz not null,
    lines text[] not null,
    primary key (org_id, team_id, memory_id)
);

create index unlifted_holds on ibex_core.legal_holds (org_id) where lifted_at is null;

do $$
declare
    protected text;
begin
    foreach protected in array array[
        'memory_reasons', 'ledger_checkpoints', 'held_memories', 'memory_receipts'
    ] loop
        execute format('alter table ibex_core.%I enable row level security', protected);
        execute format('alter table ibex_core.%I force row level security', protected);
        execute format(
            'create policy tenant on ibex_core.%I using (org_id = (select current_setting(''kapelle.org_id'', true)))',
            protected
        );
    end loop;
end
$$;
grant select, insert, update, delete on ibex_core.memory_reasons to kapelle_app;
grant select, insert on ibex_core.ledger_checkpoints to kapelle_app;
grant select (org_id, team_id, memory_id, agent, held_at), insert, delete on ibex_core.held_memories to kapelle_app;
grant select, insert, update, delete on ibex_core.memory_receipts to kapelle_app;

-- migrate:down

drop table ibex_core.memory_receipts, ibex_core.held_memories;
drop index ibex_core.unlifted_holds, ibex_core.operations_by_tombstone;
alter table ibex_core.operations drop column tombstone;
drop table ibex_core.ledger_checkpoints, ibex_core.memory_reasons;
alter table ibex_core.memory_tombstones drop column cause, drop column seq;
alter table ibex_core.memory_events drop constraint memory_events_event_check;
alter table ibex_core.memory_events add constraint memory_events_event_check check (
    event in ('proposed', 'added', 'accepted', 'superseded', 'forgotten', 'rejected', 'released', 'resolved', 'rated')
);
drop trigger revision_moved on ibex_core.teams;
drop function ibex_core.announce_revision;
alter table ibex_core.teams drop column ledger_seq, drop column ledger_hash;
