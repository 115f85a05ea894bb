/** Tries of an effect that failed by a fault of our own are counted apart from those that GitHub or the model stopped. */
export const EFFECT_FAULTS = [`alter table effects add column faults integer not null default 0`] as const;
