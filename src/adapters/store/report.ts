import { type Kysely, sql } from 'kysely';
import type { Run } from '../../core/state/run.ts';
import type { ProposalRecord } from '../../core/step/ledger-record.ts';
import { type DatabaseSchema, fromStored, RUN_SCHEMA } from './engine/schema.ts';

/** What a report has a row for. A person counts as the author of tasks. */
export const REPORT_GROUPS = ['repo', 'person', 'model'] as const;

export type ReportGroup = (typeof REPORT_GROUPS)[number];

/** Times in ms since the epoch; null for no bound. */
export type ReportInput = { readonly since: number | null; readonly until: number | null; readonly by: ReportGroup };

/** One repository, person or model; `-` where it is not stored any more. */
export type ReportRow = {
  readonly name: string;
  readonly tasks: number;
  /** Changes that were committed; `changed` of them with people's own lines. */
  readonly accepted: number;
  readonly changed: number;
  readonly denied: number;
  /** Changes instead of which people asked for something else. */
  readonly instructed: number;
  /** Dollars of the runs that began in this time; null if a price is unknown. */
  readonly costUsd: number | null;
};

const UNKNOWN = '-';

type OutcomeRow = {
  readonly run_id: string;
  readonly state: string;
  readonly record: string | null;
  readonly repository: string | null;
};

/** Counts the tasks that began in this time, and the changes that were decided in it. */
export async function report(
  db: Kysely<DatabaseSchema>,
  { since, until, by }: ReportInput,
): Promise<readonly ReportRow[]> {
  const [from, to] = [since ?? 0, until ?? Number.MAX_SAFE_INTEGER];
  const runs = await sql<{ readonly run_id: string; readonly state: string; readonly repository: string | null }>`
    select runs.run_id, runs.state, pulls.repository from runs left join pulls on pulls.pull_key = runs.pull_key
    where runs.schema = ${RUN_SCHEMA} and runs.created_at >= ${from} and runs.created_at < ${to}
  `.execute(db);
  const outcomes = await sql<OutcomeRow & { readonly run: string | null }>`
    select proposal_outcomes.run_id, proposal_outcomes.state, proposal_outcomes.record, pulls.repository,
      ${by === 'model' ? sql`runs.state` : sql`null`} as run
    from proposal_outcomes
      left join pulls on pulls.pull_key = proposal_outcomes.pull_key
      left join runs on runs.run_id = proposal_outcomes.run_id and runs.schema = ${RUN_SCHEMA}
    where proposal_outcomes.decided_at >= ${from} and proposal_outcomes.decided_at < ${to}
      and proposal_outcomes.state in ('completed', 'rejected')
  `.execute(db);
  const counted = [
    ...runs.rows.map(({ state, repository }) => countRun(fromStored<Run>(state), repository, by)),
    ...outcomes.rows.flatMap((row) => countOutcome(row, row.run, by)),
  ];
  return sumByName(counted);
}

function countRun({ task, settings, spending }: Run, repository: string | null, by: ReportGroup): ReportRow {
  const name = { repo: repository, person: task.by.login, model: settings.model }[by] ?? UNKNOWN;
  return { ...NOTHING, name, tasks: 1, costUsd: spending.costUsd };
}

function countOutcome(row: OutcomeRow, run: string | null, by: ReportGroup): readonly ReportRow[] {
  const record = row.record === null ? null : fromStored<ProposalRecord>(row.record);
  // The agent reads the file, and nothing is changed.
  if (record?.tool === 'read_file') return [];
  const model = run === null ? null : fromStored<Run>(run).settings.model;
  const name = { repo: row.repository, person: record?.requester?.login, model }[by] ?? UNKNOWN;
  if (row.state === 'completed')
    return [{ ...NOTHING, name, accepted: 1, changed: record?.response === 'modify' ? 1 : 0 }];
  return [{ ...NOTHING, name, ...(record?.response === 'custom' ? { instructed: 1 } : { denied: 1 }) }];
}

const NOTHING = { tasks: 0, accepted: 0, changed: 0, denied: 0, instructed: 0, costUsd: 0 } as const;

/** In order of the names. */
function sumByName(rows: readonly ReportRow[]): readonly ReportRow[] {
  const sums = new Map<string, ReportRow>();
  for (const row of rows) {
    const { name } = row;
    const sum = sums.get(name) ?? { ...NOTHING, name };
    sums.set(name, {
      name,
      tasks: sum.tasks + row.tasks,
      accepted: sum.accepted + row.accepted,
      changed: sum.changed + row.changed,
      denied: sum.denied + row.denied,
      instructed: sum.instructed + row.instructed,
      costUsd: sum.costUsd === null || row.costUsd === null ? null : sum.costUsd + row.costUsd,
    });
  }
  return [...sums.values()].toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}
