/**
 * The ledger: votes, outcomes, and the commits that hold what was decided. Its rows are only ever added and never go; only
 * the words in them may be erased. `record` outlives the proposal that it tells of.
 */
export const LEDGER = [
  `create table writes (
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
  `create index writes_by_commit on writes (commit_sha)`,
  `create trigger writes_append_only before update or delete or truncate on writes
    for each statement execute function refuse_change()`,

  `drop trigger outcomes_append_only on outcomes`,
  `alter table outcomes add column place bigint, add column record text`,
  `update outcomes set place = (
    select place from proposals
    where proposals.pull_key = outcomes.pull_key and proposals.proposal_id = outcomes.proposal_id
  )`,
  `create function refuse_more_than_erasing() returns trigger language plpgsql as $body$
    declare
      kept jsonb := to_jsonb(new);
      word text;
    begin
      foreach word in array tg_argv loop
        if kept ->> word is null then kept := kept || jsonb_build_object(word, to_jsonb(old) -> word); end if;
      end loop;
      if kept is distinct from to_jsonb(old) then
        raise exception 'rows of % are only ever added', tg_table_name;
      end if;
      return new;
    end
  $body$`,
  `create trigger outcomes_append_only before delete or truncate on outcomes
    for each statement execute function refuse_change()`,
  `create trigger outcomes_erase_only before update on outcomes
    for each row execute function refuse_more_than_erasing('note', 'record')`,
  `drop trigger votes_append_only on votes`,
  `create trigger votes_append_only before delete or truncate on votes
    for each statement execute function refuse_change()`,
  `create trigger votes_erase_only before update on votes
    for each row execute function refuse_more_than_erasing('text')`,

  // The installation that was removed; null for what else a notice says.
  `alter table notices add column uninstalled bigint`,
] as const;
