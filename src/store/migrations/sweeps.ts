/** Whose turn it is to look for lost webhooks, and where that has come to. */
export const SWEEPS = [
  `create table sweeps (
    id integer primary key check (id = 1),
    fence bigint not null,
    heard_until bigint,
    next_at bigint not null default 0,
    lease_until bigint,
    leased_by bigint
  )`,
] as const;
