-- migrate:up

-- The models that an org's vectors are of. Which of them searches and writes go by is data, not a setting of one
-- process: all processes change over in one step, and back.
create table ibex_core.embedding_models (
    org_id text not null references ibex_core.organizations,
    -- With its dimensions, as in memory_embeddings.
    model text not null,
    -- By which a process reaches it, in the LiteLLM configuration or at the proxy.
    alias text not null,
    active boolean not null default false,
    known_since timestamptz not null default now(),
    activated_at timestamptz,
    activated_by text,
    primary key (org_id, model),
    check (not active or activated_at is not null)
);
create unique index one_active_model on ibex_core.embedding_models (org_id) where active;

alter table ibex_core.embedding_models enable row level security;
alter table ibex_core.embedding_models force row level security;
create policy tenant on ibex_core.embedding_models
using (org_id = (select current_setting('kapelle.org_id', true)));
grant select, insert, update, delete on ibex_core.embedding_models to kapelle_app;

-- migrate:down

drop table ibex_core.embedding_models;
