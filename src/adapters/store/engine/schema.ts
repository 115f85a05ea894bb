import { type ColumnType, type Generated, type Insertable, type Kysely, type RawBuilder, sql } from 'kysely';
import { parseJson, storedAs } from '../../../lib/trust.ts';

/** A counter assigned by the database. */
type Serial = ColumnType<number, never, never>;

/** Times are ms since the epoch. */
export type DatabaseSchema = {
  /** Signals, pending and done. `signal` is JSON; null once the comment turned out not to be for us. */
  inbox: {
    id: Serial;
    pull_key: string;
    kind: 'effect-result' | 'webhook';
    delivery_id: string | null;
    content_key: string | null;
    signal: string | null;
    received_at: number;
    not_before: number;
    attempts: Generated<number>;
    /** The last consecutive attempts that failed by an internal error. */
    internal_errors: Generated<number>;
    refused_since: number | null;
    error: string | null;
    /** Of a dead letter, shown on GitHub; null otherwise. */
    error_id: string | null;
    reason: string | null;
    done_at: number | null;
    dead_lettered: Generated<boolean>;
  };
  /** One row for each pull request. `state` is JSON of a `PullState` without its run and proposals. */
  pulls: {
    pull_key: string;
    installation_id: number;
    repository_id: number;
    number: number;
    state: string;
    /** Such as `acme/shop`, in lower case; as of the last step, because a repository can be renamed. */
    repository: string;
    run_id: string | null;
    /** A run is active, a task is queued or a proposal is open; also true before the first decision. */
    active: Generated<boolean>;
    /** When the newest kept answer to a question was given; null if none is kept. */
    questions_answered_at: number | null;
    /** Webhooks are held back until this time, because none may overtake one that failed. */
    webhooks_retry_at: Generated<number>;
    fence: Generated<number>;
    lease_until: number | null;
  };
  /** `state` is JSON of a `Run`. */
  runs: {
    run_id: string;
    pull_key: string;
    schema: number;
    state: string;
    created_at: number;
    updated_at: number;
  };
  /** For the daily limits: only the last day counts. */
  run_starts: { pull_key: string; requester_id: number; started_at: number };
  /** `body` is JSON of a `Proposal`, and `state` its `ProposalState`. */
  proposals: {
    seq: Serial;
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
  /** Append-only but for erasing `text`. An answer to a question is a row too: `proposal_id` is the question's id. */
  votes: {
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
    /** JSON of a `StandingApprovalRef`; null for a vote on one proposal alone. */
    standing_approval: string | null;
  };
  /** The final state of a proposal. The database allows no change except erasing `note` and `record`. */
  proposal_outcomes: {
    pull_key: string;
    proposal_id: string;
    run_id: string;
    state: string;
    digest: string;
    commit_sha: string | null;
    note: string | null;
    decided_at: number;
    /** Copied from the proposal, for the order of the ledger. */
    seq: number;
    /** JSON of a `ProposalRecord`; null once erased. */
    record: string | null;
  };
  /** One change in one commit. */
  committed_changes: {
    id: Serial;
    pull_key: string;
    proposal_id: string;
    run_id: string;
    commit_sha: string;
    /** Null if unknown. */
    parent_sha: string | null;
    /**
     * The version that people saw. `digest` is the committed one, which differs if this run's commits moved its lines.
     */
    shown_digest: string;
    digest: string;
    /** As in the commit's trailer; null for a change without lines. */
    range: string | null;
    /** JSON of the people whose approvals counted. */
    approvers: string;
    at: number;
  };
  /** The transcript for the model, in order. */
  messages: { run_id: string; seq: number; body: string };
  /** Requested work. `body` is JSON of an `Effect`. */
  effects: {
    id: Serial;
    pull_key: string;
    lane: 'exclusive' | 'concurrent';
    type: string;
    dedupe_key: string | null;
    once_key: string | null;
    body: string;
    created_at: number;
    not_before: number;
    attempts: Generated<number>;
    /** The last consecutive attempts that failed by an internal error. */
    internal_errors: Generated<number>;
    /** When GitHub first refused it, with no other failure since. */
    refused_since: number | null;
    /** A worker performs it, or died doing so. */
    started: Generated<boolean>;
    lease_until: number | null;
    done_at: number | null;
    error: string | null;
  };
  /** One row: when the next look for lost webhooks may begin. `recovered_until` is GitHub's time. */
  recovery_state: { id: number; recovered_until: number | null; next_look_at: number };
  /** The accounts and repositories where nothing is done: `acme`, `acme/shop`, in lower case. */
  pauses: { name: string; since: number };
  /** Events of installations that their pull requests have got. */
  installation_events: { delivery_id: string; received_at: number; uninstalled_installation_id: number | null };
  migrations: { number: number; name: string; applied_at: Date };
};

/** Version of the stored form of runs and proposals. The App never reads one with another version. */
export const RUN_SCHEMA = 1;

/** An open database. `embedded`: it lives in this process, which is its only client. */
export type Backend = {
  readonly db: Kysely<DatabaseSchema>;
  readonly embedded: boolean;
  readonly close: () => Promise<void>;
};

/**
 * JSON as text instead of PostgreSQL's JSON type, which rejects U+0000 and lone surrogates. A file can hold both, and
 * `JSON.stringify` escapes them.
 */
export function toStored(value: object): string {
  return JSON.stringify(value);
}

/** Parses the JSON of `toStored`; the caller names the type that the column holds. */
export function fromStored<T>(text: string): T {
  return storedAs<T>(parseJson(text));
}

/** Text for a plain column, which rejects U+0000. For reading only: the JSON column has the exact text. */
export function toPlainText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

type Table = keyof DatabaseSchema;

/** Which of the `given` rows are inserted, and what follows. */
type InsertOptions = { readonly where?: RawBuilder<unknown>; readonly ending?: RawBuilder<unknown> };

/**
 * The common table expression `new_<table>`: inserts the rows in order, if the expression `pull` has a row, which is the
 * right to save. None without rows.
 */
export function insertCte<Name extends Table>(
  table: Name,
  rows: readonly Insertable<DatabaseSchema[Name]>[],
  { where = sql`true`, ending = sql`` }: InsertOptions = {},
): readonly RawBuilder<unknown>[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  return [
    sql`${sql.ref(`new_${table}`)} as (
      insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      select ${sql.join(columns.map((name) => sql.ref(`given.${name}`)))} from pull, ${rowsOf(table, rows)}
      where ${where} order by given.ordinality ${ending}
    )`,
  ];
}

/** The rows as `given`. They are one parameter, so that a statement has the same text for any number of them. */
export function rowsOf<Name extends Table>(
  table: Name,
  rows: readonly Partial<Insertable<DatabaseSchema[Name]>>[],
): RawBuilder<unknown> {
  return sql`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
    with ordinality as given`;
}
