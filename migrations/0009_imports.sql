-- migrate:up

-- Files on their way into a team's memory. `lines` is how many the file has.
create table ibex_core.imports (
    org_id text not null references ibex_core.organizations,
    team_id bigint not null,
    import_id uuid not null,
    source text not null,
    lines integer not null check (lines > 0),
    begun_at timestamptz not null default now(),
    primary key (org_id, team_id, import_id),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade
);

-- One row a line, from when it was acknowledged on. It holds the line's text only while the line waits.
create table ibex_core.import_lines (
    org_id text not null,
    team_id bigint not null,
    import_id uuid not null,
    line integer not null check (line > 0),
    -- Keyed, so that it cannot be tested against guessed texts: what makes a line the same line in another file.
    digest bytea not null check (octet_length(digest) = 32),
    -- What other lines of the file call this one's entry, and what this one says of theirs.
    name text,
    links jsonb not null default '[]',
    state text not null check (state in ('waiting', 'created', 'duplicate', 'refused', 'failed')),
    entry_id bigint,
    reason text not null default '',
    staged bytea,
    primary key (org_id, team_id, import_id, line),
    check ((state = 'waiting') = (staged is not null)),
    foreign key (org_id, team_id, import_id) references ibex_core.imports on delete cascade
);
create index import_lines_by_digest on ibex_core.import_lines (org_id, team_id, digest) where entry_id is not null;
create index import_lines_waiting on ibex_core.import_lines (org_id, team_id, import_id, line) where state = 'waiting';
create index import_lines_linking on ibex_core.import_lines (org_id, team_id, import_id) where links <> '[]'::jsonb;

do $$
declare
    protected text;
begin
    foreach protected in array array['imports', 'import_lines'] loop
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

drop table ibex_core.import_lines, ibex_core.imports;
