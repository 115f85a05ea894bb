/** What concerns a whole installation: each told once, and how to find its pull requests where something goes on. */
export const NOTICES = [
  `create table notices (delivery_id text primary key, received_at bigint not null)`,
  // Rows of before count as active until they are saved again: they hear one signal too many, never one too few.
  `alter table pulls add column active boolean not null default true`,
  `create index pulls_of_installation on pulls (installation_id, repository_id)`,
] as const;
