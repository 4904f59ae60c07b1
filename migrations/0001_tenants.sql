-- migrate:up

create schema ibex_core;
create extension if not exists vector with schema public;
create extension if not exists btree_gin with schema public;

-- The product connects as a member of this role: it owns nothing and cannot bypass row level security.
do $$
begin
    create role kapelle_app nologin nosuperuser nocreatedb nocreaterole nobypassrls;
exception when duplicate_object or unique_violation then
    null;
end
$$;
grant usage on schema ibex_core to kapelle_app;

create table ibex_core.organizations (
    org_id text primary key check (org_id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name text not null,
    created_at timestamptz not null default now()
);

create table ibex_core.teams (
    team_id bigint generated always as identity primary key,
    org_id text not null references ibex_core.organizations,
    slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name text not null,
    repo_url text,
    -- Hosts that the team's entries may link to, beside those of the deployment.
    link_hosts text[] not null default '{}',
    -- What happens to personal data in the team's entries; the deployment decides where it is null.
    personal_data text check (personal_data in ('redact', 'reject', 'quarantine', 'off')),
    -- Moves in the transaction of every change to the team's memory, so that no cache can show an old state.
    revision bigint not null default 0,
    created_at timestamptz not null default now(),
    unique (org_id, slug),
    unique (team_id, org_id)
);

create table ibex_core.persons (
    org_id text not null references ibex_core.organizations,
    person_id text not null check (person_id ~ '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$'),
    is_admin boolean not null default false,
    created_at timestamptz not null default now(),
    primary key (org_id, person_id)
);

create table ibex_core.team_members (
    org_id text not null,
    team_id bigint not null,
    person_id text not null,
    role text not null check (role in ('viewer', 'member', 'maintainer')),
    created_at timestamptz not null default now(),
    primary key (org_id, team_id, person_id),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade,
    foreign key (org_id, person_id) references ibex_core.persons on delete cascade
);

create table ibex_core.agents (
    agent_id bigint generated always as identity primary key,
    org_id text not null,
    team_id bigint not null,
    name text not null check (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    created_at timestamptz not null default now(),
    unique (org_id, team_id, name),
    unique (agent_id, org_id),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade
);

create table ibex_core.access_tokens (
    token_id bigint generated always as identity primary key,
    org_id text not null references ibex_core.organizations,
    -- SHA-256 of the token; the token itself is shown once and kept nowhere.
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    person_id text,
    agent_id bigint,
    scopes text[] not null check (scopes <@ array['read', 'propose', 'curate', 'admin']),
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    check ((person_id is null) <> (agent_id is null)),
    -- An agent's token can never curate.
    check (agent_id is null or scopes <@ array['read', 'propose']),
    foreign key (org_id, person_id) references ibex_core.persons on delete cascade,
    foreign key (agent_id, org_id) references ibex_core.agents (agent_id, org_id) on delete cascade
);

create table ibex_core.legal_holds (
    hold_id bigint generated always as identity primary key,
    org_id text not null references ibex_core.organizations,
    team_id bigint,
    agent_id bigint,
    reason text not null,
    placed_by text not null,
    placed_at timestamptz not null default now(),
    lifted_at timestamptz,
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id),
    foreign key (agent_id, org_id) references ibex_core.agents (agent_id, org_id)
);

do $$
declare
    protected text;
begin
    foreach protected in array array[
        'organizations', 'teams', 'persons', 'team_members', 'agents', 'access_tokens', 'legal_holds'
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

drop schema ibex_core cascade;
