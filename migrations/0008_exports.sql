-- migrate:up

-- The repository's id at its host, known since the first look at it. It survives renames; the address follows them.
alter table ibex_core.teams add column repo_id bigint;
alter table ibex_core.teams add column export_schedule text check (export_schedule in ('daily', 'weekly'));
-- A repository belongs to one team: two would overwrite each other's file at every export.
create unique index team_of_repository on ibex_core.teams (org_id, lower(repo_url));
create unique index team_of_repository_id on ibex_core.teams (org_id, repo_id);

-- What an operation has done so far, in words that hold no text of a memory.
alter table ibex_core.operations add column steps text[] not null default '{}';

-- The last export of each team that ended with a pull request. Ids only.
create table ibex_core.exports (
    org_id text not null,
    team_id bigint not null,
    repo_id bigint not null,
    branch text not null,
    -- Git's id of the file that was exported.
    blob text not null check (blob ~ '^[0-9a-f]{40}$'),
    commit_sha text not null check (commit_sha ~ '^[0-9a-f]{40}$'),
    pr_number bigint not null check (pr_number > 0),
    -- The entries in it, and for each the oldest entry whose place it took.
    entry_ids bigint[] not null,
    origin_ids bigint[] not null,
    finished_at timestamptz not null default now(),
    primary key (org_id, team_id),
    check (cardinality(entry_ids) = cardinality(origin_ids)),
    foreign key (team_id, org_id) references ibex_core.teams (team_id, org_id) on delete cascade
);
alter table ibex_core.exports enable row level security;
alter table ibex_core.exports force row level security;
create policy tenant on ibex_core.exports using (org_id = (select current_setting('kapelle.org_id', true)));
grant select, insert, update, delete on ibex_core.exports to kapelle_app;

-- migrate:down

drop table ibex_core.exports;
alter table ibex_core.operations drop column steps;
drop index ibex_core.team_of_repository_id, ibex_core.team_of_repository;
alter table ibex_core.teams drop column export_schedule, drop column repo_id;
