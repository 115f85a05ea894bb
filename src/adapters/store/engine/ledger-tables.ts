/** Writers share this lock; a reader that takes it alone knows that no earlier row is still on its way. */
export const LEDGER_CHAIN_LOCK = 8_261_947_303;

/**
 * The ledger is append-only: the database refuses every change, except that some texts can be erased with their salt.
 */
const LEDGER_ROWS: readonly string[] = [
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
    text text,
    text_salt text,
    text_seal text,
    standing_approval text
  )`,
  `create index votes_of_proposal on votes (pull_key, proposal_id)`,
  `create function refuse_change() returns trigger language plpgsql as $body$
    begin
      raise exception 'table % is append-only', tg_table_name;
    end
  $body$`,
  `create function refuse_unless_erasing() returns trigger language plpgsql as $body$
    declare
      restored jsonb := to_jsonb(new);
      erasable text;
    begin
      foreach erasable in array tg_argv loop
        if restored ->> erasable is null then restored := restored || jsonb_build_object(erasable, to_jsonb(old) -> erasable); end if;
      end loop;
      if restored is distinct from to_jsonb(old) then
        raise exception 'table % is append-only', tg_table_name;
      end if;
      return new;
    end
  $body$`,
  `create trigger votes_append_only before delete or truncate on votes
    for each statement execute function refuse_change()`,
  `create trigger votes_erase_only before update on votes
    for each row execute function refuse_unless_erasing('text', 'text_salt')`,

  `create table proposal_outcomes (
    pull_key text not null,
    proposal_id text not null,
    run_id text not null,
    state text not null,
    digest text not null,
    commit_sha text,
    decided_at bigint not null,
    seq bigint not null,
    note text,
    note_salt text,
    note_seal text,
    record text,
    record_salt text,
    record_seal text,
    primary key (pull_key, proposal_id)
  )`,
  `create trigger proposal_outcomes_append_only before delete or truncate on proposal_outcomes
    for each statement execute function refuse_change()`,
  `create trigger proposal_outcomes_erase_only before update on proposal_outcomes
    for each row execute function refuse_unless_erasing('note', 'note_salt', 'record', 'record_salt')`,

  `create table committed_changes (
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
  )`,
  `create index committed_changes_by_commit on committed_changes (commit_sha)`,
  `create trigger committed_changes_append_only before update or delete or truncate on committed_changes
    for each statement execute function refuse_change()`,
];

/**
 * Chains the rows of the ledger, per pull request and in order of insertion: each entry has the SHA-256 of the entry
 * before it and of its row. Texts that can be erased enter by a salted hash, their seal. Triggers write the chain with
 * the rights of the owner, so that a role that only inserts rows cannot.
 */
const LEDGER_CHAIN: readonly string[] = [
  `create table ledger_size (id integer primary key check (id = 1), pulls bigint not null)`,
  `create table ledger_heads (
    pull_key text primary key,
    number bigint not null unique,
    length bigint not null,
    hash text not null,
    at bigint not null
  )`,
  `create table ledger_chain (
    pull_key text not null,
    position bigint not null,
    kind text not null,
    row_key text not null,
    at bigint not null,
    hash text not null,
    primary key (pull_key, position),
    unique (kind, pull_key, row_key)
  )`,

  `create function append_to_ledger_chain(row_kind text, key text, pull text, content jsonb) returns void
    language plpgsql security definer as $body$
    declare
      head ledger_heads%rowtype;
    begin
      perform pg_advisory_xact_lock_shared(${LEDGER_CHAIN_LOCK}::bigint);
      select * into head from ledger_heads where pull_key = pull for update;
      if not found then
        insert into ledger_size as size (id, pulls) values (1, 1)
          on conflict (id) do update set pulls = size.pulls + 1 returning size.pulls into head.number;
        insert into ledger_heads values (pull, head.number, 0, '', 0) returning * into head;
      end if;
      head.length := head.length + 1;
      head.at := greatest(head.at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
      head.hash := encode(sha256(convert_to(
        concat_ws(E'\\n', head.hash, row_kind, head.at, jsonb_strip_nulls(content)::text), 'UTF8'
      )), 'hex');
      insert into ledger_chain values (pull, head.length, row_kind, key, head.at, head.hash);
      update ledger_heads set length = head.length, hash = head.hash, at = head.at where pull_key = pull;
    end
  $body$`,
  `revoke execute on function append_to_ledger_chain from public`,
  // Arguments: the column that names the row, then its columns that can be erased.
  `create function chain_row() returns trigger language plpgsql security definer as $body$
    begin
      perform append_to_ledger_chain(
        tg_table_name, to_jsonb(new) ->> tg_argv[0], new.pull_key, to_jsonb(new) - tg_argv[1:]
      );
      return null;
    end
  $body$`,
  `create function seal_texts() returns trigger language plpgsql as $body$
    declare
      stored jsonb := to_jsonb(new);
      erasable text;
      salt text;
    begin
      foreach erasable in array tg_argv loop
        salt := case when stored ->> erasable is not null then gen_random_uuid()::text end;
        stored := stored || jsonb_build_object(
          erasable || '_salt', salt,
          erasable || '_seal', encode(sha256(convert_to(salt || (stored ->> erasable), 'UTF8')), 'hex')
        );
      end loop;
      return jsonb_populate_record(new, stored);
    end
  $body$`,
  // A temporary table of another role must not take the place of a table here.
  `do $body$
    declare
      name text;
    begin
      foreach name in array array['append_to_ledger_chain', 'chain_row', 'seal_texts'] loop
        execute format('alter function %I set search_path = %I, pg_temp', name, current_schema());
      end loop;
    end
  $body$`,

  `create trigger votes_seal before insert on votes for each row execute function seal_texts('text')`,
  `create trigger proposal_outcomes_seal before insert on proposal_outcomes
    for each row execute function seal_texts('note', 'record')`,
  `create trigger votes_chain after insert on votes
    for each row execute function chain_row('id', 'text', 'text_salt')`,
  `create trigger proposal_outcomes_chain after insert on proposal_outcomes
    for each row execute function chain_row('proposal_id', 'note', 'note_salt', 'record', 'record_salt')`,
  `create trigger committed_changes_chain after insert on committed_changes
    for each row execute function chain_row('id')`,
  `create trigger ledger_chain_append_only before update or delete or truncate on ledger_chain
    for each statement execute function refuse_change()`,
  `create trigger ledger_heads_stay before delete or truncate on ledger_heads
    for each statement execute function refuse_change()`,
  `create trigger ledger_size_stays before delete or truncate on ledger_size
    for each statement execute function refuse_change()`,
];

export const LEDGER_TABLES: readonly string[] = [...LEDGER_ROWS, ...LEDGER_CHAIN];
