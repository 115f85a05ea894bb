/** Writers share this lock; a reader that takes it alone knows that no earlier row is still on its way. */
export const LEDGER_CHAIN_LOCK = 8_261_947_303;

/**
 * Chains the rows of the ledger, per pull request and in order of insertion: each entry has the SHA-256 of the entry
 * before it and of its row. Texts that can be erased enter by a salted hash, their seal; the salt is erased with the
 * text. Rows that are there already are chained too, so that from now on none of them can change unnoticed.
 *
 * Triggers do it, with the rights of the owner, so that a role that only inserts rows cannot write the chain.
 */
export const LEDGER_CHAIN: readonly string[] = [
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

  `drop trigger proposal_outcomes_erase_only on proposal_outcomes`,
  `alter table proposal_outcomes add column note_salt text, add column note_seal text,
    add column record_salt text, add column record_seal text`,
  `update proposal_outcomes set note_salt = gen_random_uuid()::text, record_salt = gen_random_uuid()::text`,
  `update proposal_outcomes set
    note_salt = case when note is not null then note_salt end,
    note_seal = encode(sha256(convert_to(note_salt || note, 'UTF8')), 'hex'),
    record_salt = case when record is not null then record_salt end,
    record_seal = encode(sha256(convert_to(record_salt || record, 'UTF8')), 'hex')`,
  `create trigger proposal_outcomes_erase_only before update on proposal_outcomes
    for each row execute function refuse_unless_erasing('note', 'note_salt', 'record', 'record_salt')`,
  `create trigger proposal_outcomes_seal before insert on proposal_outcomes
    for each row execute function seal_texts('note', 'record')`,

  `drop trigger votes_erase_only on votes`,
  `alter table votes add column text_salt text, add column text_seal text`,
  `update votes set text_salt = gen_random_uuid()::text where text is not null`,
  `update votes set text_seal = encode(sha256(convert_to(text_salt || text, 'UTF8')), 'hex') where text is not null`,
  `create trigger votes_erase_only before update on votes
    for each row execute function refuse_unless_erasing('text', 'text_salt')`,
  `create trigger votes_seal before insert on votes for each row execute function seal_texts('text')`,

  // The triggers come first: creating them keeps new rows out until the old ones are chained.
  `create trigger votes_chain after insert on votes
    for each row execute function chain_row('id', 'text', 'text_salt')`,
  `create trigger proposal_outcomes_chain after insert on proposal_outcomes
    for each row execute function chain_row('proposal_id', 'note', 'note_salt', 'record', 'record_salt')`,
  `create trigger committed_changes_chain after insert on committed_changes
    for each row execute function chain_row('id')`,

  `do $body$
    declare
      old record;
    begin
      for old in
        select 'votes' as kind, id::text as key, pull_key, to_jsonb(votes) - '{text,text_salt}'::text[] as content,
          1 as ordinal, id as place from votes
        union all
        select 'committed_changes', id::text, pull_key, to_jsonb(committed_changes), 2, id from committed_changes
        union all
        select 'proposal_outcomes', proposal_id, pull_key,
          to_jsonb(proposal_outcomes) - '{note,note_salt,record,record_salt}'::text[], 3, seq from proposal_outcomes
        order by pull_key, ordinal, place
      loop
        perform append_to_ledger_chain(old.kind, old.key, old.pull_key, old.content);
      end loop;
    end
  $body$`,
  `create trigger ledger_chain_append_only before update or delete or truncate on ledger_chain
    for each statement execute function refuse_change()`,
  `create trigger ledger_heads_stay before delete or truncate on ledger_heads
    for each statement execute function refuse_change()`,
  `create trigger ledger_size_stays before delete or truncate on ledger_size
    for each statement execute function refuse_change()`,
];
