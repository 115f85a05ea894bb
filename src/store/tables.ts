import type { ColumnType, Generated } from 'kysely';

/** A counter that the database hands out; never written by us. */
type Serial = ColumnType<number, never, never>;

/** What happened and was or is to be decided. `signal` is JSON; null once its words turned out to be none of our business. */
type Inbox = {
  id: Serial;
  pull_key: string;
  kind: 'outcome' | 'intent';
  delivery_id: string | null;
  natural_key: string | null;
  signal: string | null;
  received_at: number;
  not_before: number;
  attempts: Generated<number>;
  error: string | null;
  reason: string | null;
  done_at: number | null;
  parked: Generated<boolean>;
};

/** One row per pull request. `state` is JSON of a `Pull` without its run and proposals. */
type Pulls = {
  pull_key: string;
  installation_id: number;
  repository_id: number;
  number: number;
  state: string;
  run_id: string | null;
  /** A run goes on, or a task waits; true also where nobody has looked yet. */
  active: Generated<boolean>;
  /** Until then its intents wait: one of them failed, and none may overtake it. */
  held_until: Generated<number>;
  fence: Generated<number>;
  lease_until: number | null;
  leased_by: number | null;
  worker: string | null;
};

type Runs = {
  run_id: string;
  pull_key: string;
  schema: number;
  state: string;
  created_at: number;
  updated_at: number;
};

type Proposals = {
  place: Serial;
  pull_key: string;
  proposal_id: string;
  run_id: string;
  schema: number;
  state: string;
  comment_id: number | null;
  digest: string;
  body: string;
  created_at: number;
  updated_at: number;
};

/** Only ever added to; the database itself refuses anything else. */
type Votes = {
  id: Serial;
  pull_key: string;
  proposal_id: string;
  digest: string;
  action: string;
  person_id: number;
  login: string;
  permission: string;
  surface: string;
  comment_id: number | null;
  body_hash: string | null;
  delivery_id: string;
  head: string;
  at: string;
  text: string | null;
};

/** The one final state of a proposal. */
type Outcomes = {
  pull_key: string;
  proposal_id: string;
  run_id: string;
  state: string;
  digest: string;
  commit_sha: string | null;
  note: string | null;
  decided_at: number;
};

type Messages = { run_id: string; seq: number; body: string };

type Effects = {
  id: Serial;
  pull_key: string;
  lane: 'pull' | 'free';
  type: string;
  coalescing_key: string | null;
  once_key: string | null;
  body: string;
  created_at: number;
  not_before: number;
  attempts: Generated<number>;
  /** Somebody is performing it, or died doing so. */
  begun: Generated<boolean>;
  lease_until: number | null;
  leased_by: number | null;
  worker: string | null;
  done_at: number | null;
  error: string | null;
};

/** Times are ms since the epoch. */
export type Tables = {
  inbox: Inbox;
  pulls: Pulls;
  runs: Runs;
  proposals: Proposals;
  votes: Votes;
  outcomes: Outcomes;
  messages: Messages;
  effects: Effects;
  notices: { delivery_id: string; received_at: number };
  migrations: { number: number; name: string; applied_at: Date };
};
