/** What was put aside by a fault of our own has an id that people are told; tries that GitHub stopped are none of those. */
export const FAULTS = [
  `alter table inbox add column faults integer not null default 0, add column fault_id text`,
  `create index inbox_parked on inbox (pull_key) where parked`,
] as const;
