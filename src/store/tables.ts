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
  /** So many of the attempts, the last ones, failed by a fault of our own. */
  faults: Generated<number>;
  error: string | null;
  fault_id: string | null;
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
  /** A run goes on, a task waits, or a proposal is open; true also where nobody has looked yet. */
  active: Generated<boolean>;
  /** GitHub's time (ISO 8601) at which the first of that was asked for or shown; null where nothing was. */
  goes_on_since: string | null;
  /** Until then its intents wait: one of them failed, and none may overtake it. */
  held_until: Generated<number>;
  fence: Generated<number>;
  lease_until: number | null;
  leased_by: number | null;
  /** The mark of the claim that holds it, with the worker's name; else what its last holder left, to know later whether anybody has held it since. */
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
  /** An array as PostgreSQL writes it, `{71,72}`; null where it would be empty. */
  former_comment_ids: string | null;
  digest: string;
  body: string;
  created_at: number;
  updated_at: number;
};

/** Only ever added to; the database itself refuses anything else, but that `text` is erased. */
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

/** The one final state of a proposal. Of its row only `note` and `record` may be erased. */
type Outcomes = {
  pull_key: string;
  proposal_id: string;
  run_id: string;
  state: string;
  digest: string;
  commit_sha: string | null;
  note: string | null;
  decided_at: number;
  /** The proposal's place among all, oldest first. */
  place: number | null;
  /** JSON of a `ProposalRecord`; null for outcomes of before there were any, and once it was erased. */
  record: string | null;
};

/** One change in one commit of ours. */
type Writes = {
  id: Serial;
  pull_key: string;
  proposal_id: string;
  run_id: string;
  commit_sha: string;
  /** Null where it is not known any more. */
  parent_sha: string | null;
  /** What people saw; `digest` is what was made, which differs where this run's own commits moved what stands around it. */
  shown_digest: string;
  digest: string;
  /** As the commit's trailer has it; null for what has no lines. */
  range: string | null;
  /** JSON: the people whose approvals counted. */
  approvers: string;
  at: number;
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
  /** So many of the attempts a limit stopped. */
  limited: Generated<number>;
  /** So many of the attempts, the last ones, failed by a fault of our own. */
  faults: Generated<number>;
  /** Somebody is performing it, or died doing so. */
  begun: Generated<boolean>;
  lease_until: number | null;
  leased_by: number | null;
  worker: string | null;
  done_at: number | null;
  error: string | null;
};

/**
 * One row: who looks for lost webhooks, when next, up to when (by GitHub's time) none is missing, when the database was last
 * known to be in use, and between which times it may have forgotten some.
 */
type Sweeps = {
  id: number;
  fence: number;
  heard_until: number | null;
  next_at: number;
  lease_until: number | null;
  leased_by: number | null;
  alive_until: number | null;
  doubt_since: number | null;
  doubt_until: number | null;
};

/** What an installation has spent of GitHub's limits, as JSON, and until when work of each rank waits. */
type Budgets = {
  installation_id: number;
  spent: Generated<string>;
  hear_at: Generated<number>;
  act_at: Generated<number>;
  tell_at: Generated<number>;
};

/** Times are ms since the epoch. */
export type Tables = {
  inbox: Inbox;
  pulls: Pulls;
  runs: Runs;
  proposals: Proposals;
  votes: Votes;
  outcomes: Outcomes;
  writes: Writes;
  messages: Messages;
  effects: Effects;
  sweeps: Sweeps;
  budgets: Budgets;
  notices: { delivery_id: string; received_at: number; uninstalled: number | null };
  migrations: { number: number; name: string; applied_at: Date };
};
