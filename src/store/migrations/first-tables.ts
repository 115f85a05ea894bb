/** Inbox, pull requests, runs, proposals, votes, outcomes, transcripts and effects. */
export const FIRST_TABLES = [
  `create table inbox (
    id bigserial primary key,
    pull_key text not null,
    kind text not null check (kind in ('outcome', 'intent')),
    delivery_id text unique,
    natural_key text unique,
    signal text,
    received_at bigint not null,
    not_before bigint not null,
    attempts integer not null default 0,
    error text,
    reason text,
    done_at bigint,
    parked boolean not null default false
  )`,
  // Done rows are kept, so only undone ones are indexed: their number, not the table's age, is what a claim costs.
  `create index inbox_due on inbox (not_before) where done_at is null`,
  `create index inbox_of_pull on inbox (pull_key, kind, id) where done_at is null`,

  `create table pulls (
    pull_key text primary key,
    installation_id bigint not null,
    repository_id bigint not null,
    number bigint not null,
    state text not null,
    run_id text,
    held_until bigint not null default 0,
    fence bigint not null default 0,
    lease_until bigint,
    leased_by bigint,
    worker text
  )`,

  `create table runs (
    run_id text primary key,
    pull_key text not null,
    schema integer not null,
    state text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create index runs_of_pull on runs (pull_key)`,

  `create table proposals (
    place bigserial,
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
  )`,
  `create index proposals_of_run on proposals (pull_key, run_id)`,
  `create index proposals_by_comment on proposals (pull_key, comment_id) where comment_id is not null`,

  `create table votes (
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
    text text
  )`,
  `create index votes_of_proposal on votes (pull_key, proposal_id)`,
  `create function refuse_change() returns trigger language plpgsql as $body$
    begin
      raise exception 'rows of % are only ever added', tg_table_name;
    end
  $body$`,
  `create trigger votes_append_only before update or delete or truncate on votes
    for each statement execute function refuse_change()`,

  `create table outcomes (
    pull_key text not null,
    proposal_id text not null,
    run_id text not null,
    state text not null,
    digest text not null,
    commit_sha text,
    note text,
    decided_at bigint not null,
    primary key (pull_key, proposal_id)
  )`,
  `create trigger outcomes_append_only before update or delete or truncate on outcomes
    for each statement execute function refuse_change()`,

  `create table messages (
    run_id text not null,
    seq integer not null,
    body text not null,
    primary key (run_id, seq)
  )`,

  `create table effects (
    id bigserial primary key,
    pull_key text not null,
    lane text not null check (lane in ('pull', 'free')),
    type text not null,
    coalescing_key text,
    once_key text,
    body text not null,
    created_at bigint not null,
    not_before bigint not null,
    attempts integer not null default 0,
    begun boolean not null default false,
    lease_until bigint,
    leased_by bigint,
    worker text,
    done_at bigint,
    error text
  )`,
  `create index effects_due on effects (lane, not_before) where done_at is null`,
  `create index effects_of_pull on effects (pull_key, lane, id) where done_at is null`,
  `create unique index effects_once on effects (pull_key, once_key) where once_key is not null`,
] as const;
