-- migrate:up

-- A write that came without a request id is sought by its digest, to see whether it is a repetition.
create index operations_by_request on ibex_core.operations (org_id, request_digest);

-- migrate:down

drop index ibex_core.operations_by_request;
