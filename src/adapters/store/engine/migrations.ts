import { ONCE_IN_REPOSITORY } from '../../../core/step/effects.ts';

/**
 * A change of the schema: statements with a semicolon and a blank line between them. Migrations only go forward, and a
 * released one never changes, so a value of the core that it contains must not change either.
 */
export type Migration = { readonly number: number; readonly name: string; readonly sql: string };

/**
 * By default autovacuum waits until a fifth of a table has changed. Until then, indexes on pending rows keep entries of
 * done ones. For these two tables a fiftieth is the limit, and indexes are always cleaned.
 */
const EARLY_AUTOVACUUM = `(
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000,
  vacuum_index_cleanup = on
)`;

const INITIAL = `
create table migrations (
  number integer primary key,
  name text not null,
  applied_at timestamptz not null default now()
);

create table inbox (
  id bigserial primary key,
  pull_key text not null,
  kind text not null check (kind in ('effect-result', 'webhook')),
  delivery_id text unique,
  content_key text unique,
  signal text,
  received_at bigint not null,
  not_before bigint not null,
  attempts integer not null default 0,
  internal_errors integer not null default 0,
  refused_since bigint,
  error text,
  error_id text,
  reason text,
  done_at bigint,
  dead_lettered boolean not null default false,
  check (not dead_lettered or (error is not null and error_id is not null and done_at is not null))
) with ${EARLY_AUTOVACUUM};

-- Done rows stay, so the index covers pending rows only: a claim costs the same however old the table is.
create index inbox_due on inbox (not_before) where done_at is null;

create index inbox_of_pull on inbox (pull_key, kind, id) where done_at is null;

create index inbox_dead_lettered on inbox (pull_key) where dead_lettered;

create table pulls (
  pull_key text primary key,
  installation_id bigint not null,
  repository_id bigint not null,
  number bigint not null,
  repository text not null,
  state text not null,
  run_id text,
  webhooks_retry_at bigint not null default 0,
  fence bigint not null default 0,
  lease_until bigint,
  active boolean not null default true,
  questions_answered_at bigint
);

create index pulls_with_answers on pulls (questions_answered_at) where questions_answered_at is not null;

create index pulls_of_installation on pulls (installation_id, repository_id);

create table runs (
  run_id text primary key,
  pull_key text not null,
  schema integer not null,
  state text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create index runs_of_pull on runs (pull_key);

-- Also each start of a run's limits anew. Only the last day counts.
create table run_starts (
  pull_key text not null,
  requester_id bigint not null,
  started_at bigint not null
);

create index run_starts_by_time on run_starts (started_at);

create index run_starts_of_pull on run_starts (pull_key);

-- It has no key, and without one a published table refuses deletions.
alter table run_starts replica identity full;

create table proposals (
  seq bigserial,
  pull_key text not null,
  proposal_id text not null,
  run_id text not null,
  schema integer not null,
  state text not null,
  comment_id bigint,
  digest text not null,
  body text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (pull_key, proposal_id)
);

create index open_proposals on proposals (pull_key) where state in ('proposed', 'approved', 'executing');

create index proposals_of_run on proposals (pull_key, run_id);

create index proposals_by_comment on proposals (pull_key, comment_id) where comment_id is not null;

-- The ledger is append-only: the database refuses to delete or change a row, except to erase what people wrote. That
-- stops mistakes, not the owner of the database: the independent record is git.
create table votes (
  id bigserial primary key,
  pull_key text not null,
  proposal_id text not null,
  digest text not null,
  action text not null,
  person_id bigint not null,
  login text not null,
  permission text not null,
  surface text not null,
  comment_id bigint,
  body_hash text,
  delivery_id text not null,
  head text not null,
  at text not null,
  text text,
  standing_approval text
);

create index votes_of_proposal on votes (pull_key, proposal_id);

create table proposal_outcomes (
  pull_key text not null,
  proposal_id text not null,
  run_id text not null,
  state text not null,
  digest text not null,
  commit_sha text,
  decided_at bigint not null,
  seq bigint not null,
  note text,
  record text,
  primary key (pull_key, proposal_id)
);

create table committed_changes (
  id bigserial primary key,
  pull_key text not null,
  proposal_id text not null,
  run_id text not null,
  commit_sha text not null,
  parent_sha text,
  shown_digest text not null,
  digest text not null,
  range text,
  approvers text not null,
  at bigint not null,
  unique (pull_key, proposal_id, commit_sha)
);

create function refuse_change() returns trigger language plpgsql as $body$
  begin
    raise exception 'table % is append-only', tg_table_name;
  end
$body$;

create trigger votes_stay before delete or truncate on votes
for each statement execute function refuse_change();

create trigger votes_erase_only before update on votes
for each row when (
  to_jsonb(new) - 'text' <> to_jsonb(old) - 'text' or coalesce(new.text, old.text) is distinct from old.text
) execute function refuse_change();

create trigger proposal_outcomes_stay before delete or truncate on proposal_outcomes
for each statement execute function refuse_change();

create trigger proposal_outcomes_erase_only before update on proposal_outcomes
for each row when (
  to_jsonb(new) - '{note,record}'::text[] <> to_jsonb(old) - '{note,record}'::text[]
  or coalesce(new.note, old.note) is distinct from old.note
  or coalesce(new.record, old.record) is distinct from old.record
) execute function refuse_change();

create trigger committed_changes_append_only before delete or truncate or update on committed_changes
for each statement execute function refuse_change();

create table messages (
  run_id text not null,
  seq integer not null,
  body text not null,
  primary key (run_id, seq)
);

create table effects (
  id bigserial primary key,
  pull_key text not null,
  lane text not null check (lane in ('exclusive', 'concurrent')),
  type text not null,
  dedupe_key text,
  once_key text,
  body text not null,
  created_at bigint not null,
  not_before bigint not null,
  attempts integer not null default 0,
  internal_errors integer not null default 0,
  refused_since bigint,
  started boolean not null default false,
  lease_until bigint,
  done_at bigint,
  error text
) with ${EARLY_AUTOVACUUM};

create index effects_due on effects (lane, not_before) where done_at is null;

create index effects_of_pull on effects (pull_key, lane, id) where done_at is null;

create unique index effects_once on effects (pull_key, once_key) where once_key is not null;

create unique index effects_once_in_repository on effects (once_key) where once_key like '${ONCE_IN_REPOSITORY}%';

create table installation_events (
  delivery_id text primary key,
  received_at bigint not null,
  uninstalled_installation_id bigint
);

create table recovery_state (
  id integer primary key check (id = 1),
  recovered_until bigint,
  next_look_at bigint not null
);

create table pauses (
  name text primary key,
  since bigint not null
)
`;

/** In order, without gaps. */
export const MIGRATIONS: readonly Migration[] = [{ number: 1, name: 'initial', sql: INITIAL }];
