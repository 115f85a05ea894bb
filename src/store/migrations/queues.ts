/**
 * Left to itself a server vacuums a table, and looks how it is filled, once a fifth of it has changed. Until then the indexes on
 * what is undone keep an entry of all that was done since, and every look for work passes over these. Of these two tables a
 * fiftieth is enough; and their indexes too, for it is they that matter.
 */
const SOONER = `(
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000,
  vacuum_index_cleanup = on
)`;

/** When a server looks after the tables of what is to be done. */
export const QUEUES = [`alter table inbox set ${SOONER}`, `alter table effects set ${SOONER}`] as const;
