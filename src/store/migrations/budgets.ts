/** What each installation has spent of GitHub's limits, and until when work of each rank has to wait. */
export const BUDGETS = [
  `create table budgets (
    installation_id bigint primary key,
    spent text not null default '{}',
    hear_at bigint not null default 0,
    act_at bigint not null default 0,
    tell_at bigint not null default 0
  )`,
] as const;
