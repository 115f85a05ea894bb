/** Tries that a limit stopped are no reason to give an effect up. */
export const LIMITED = [`alter table effects add column limited integer not null default 0`] as const;
