/** When the database was last known to be in use, and what it may have forgotten: a restored one tells itself by that. */
export const HEARTBEAT = [
  'alter table sweeps add column alive_until bigint, add column doubt_since bigint, add column doubt_until bigint',
] as const;
