import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { APPLIED_LABEL, REJECTED_LABEL } from '../../src/core/messages/proposal/proposal-status.ts';
import type { ProposalState } from '../../src/core/state/proposal.ts';
import { CLI_PATH } from './app-process.ts';
import {
  countCommitsByProposal,
  listCommitsByProposal,
  listShownProposals,
  type PersonDecision,
  type PullActivity,
  readRowsFile,
} from './people.ts';
import { CHANGES_PER_TASK, rowsFileText, type TestSite } from './site.ts';

/** Counts of a run. `problems` has a line for each lost, duplicated or wrong action. */
export type ChaosVerdict = {
  readonly tasks: number;
  readonly proposals: number;
  readonly approved: number;
  readonly denied: number;
  readonly commits: number;
  readonly problems: readonly string[];
};

const FINAL_TEXT = { approve: APPLIED_LABEL, deny: REJECTED_LABEL } as const;

/** Whether every task has its proposals, and the comment of every proposal shows its end. */
export function isFinished(site: TestSite, activities: readonly PullActivity[]): boolean {
  return activities.every(({ pull, decisions, tasks }) => {
    const shown = listShownProposals(site, pull);
    const ended = shown.filter(({ id, body }) => body.includes(FINAL_TEXT[decisions.get(id)?.command ?? 'approve']));
    return ended.length === shown.length && shown.length >= tasks * CHANGES_PER_TASK;
  });
}

export function assessRun(site: TestSite, activities: readonly PullActivity[]): ChaosVerdict {
  const allDecisions = activities.flatMap(({ decisions }) => [...decisions.values()]);
  const approved = allDecisions.filter(({ command }) => command === 'approve').length;
  return {
    tasks: activities.reduce((sum, { tasks }) => sum + tasks, 0),
    proposals: activities.reduce((sum, { pull }) => sum + listShownProposals(site, pull).length, 0),
    approved,
    denied: allDecisions.length - approved,
    commits: activities.reduce((sum, { pull }) => sum + countCommitsByProposal(site, pull).size, 0),
    problems: activities.flatMap((activity) =>
      findPullProblems(site, activity).map((problem) => `#${activity.pull.number}: ${problem}`),
    ),
  };
}

function findPullProblems(site: TestSite, activity: PullActivity): readonly string[] {
  return [
    ...findProposalProblems(site, activity),
    ...findDecisionProblems(site, activity),
    ...findContentProblems(site, activity),
  ];
}

function findProposalProblems(site: TestSite, { pull, tasks }: PullActivity): readonly string[] {
  const shown = listShownProposals(site, pull);
  const byRow = Map.groupBy(shown, ({ row }) => row);
  const duplicated = [...byRow]
    .filter(([, proposals]) => proposals.length > 1)
    .map(([row]) => `row ${row} was proposed twice`);
  const lost = Array.from({ length: tasks }, (_, task) => task).flatMap((task) => {
    const rows = new Set(shown.filter((one) => one.task === task).map(({ row }) => row)).size;
    return rows === CHANGES_PER_TASK ? [] : [`task ${task}: ${rows} of ${CHANGES_PER_TASK} changes were proposed`];
  });
  return [...duplicated, ...lost];
}

function findDecisionProblems(site: TestSite, { pull, decisions }: PullActivity): readonly string[] {
  const committed = countCommitsByProposal(site, pull);
  const bodies = new Map(listShownProposals(site, pull).map(({ id, body }) => [id, body]));
  const decided = [...decisions].flatMap(([id, { command }]) => {
    const commits = committed.get(id) ?? 0;
    const expected = command === 'approve' ? 1 : 0;
    const isShown = bodies.get(id)?.includes(FINAL_TEXT[command]) ?? false;
    return [
      ...(commits === expected ? [] : [`${id}: ${command}, but ${commits} commits`]),
      ...(isShown ? [] : [`${id}: ${command}, but its comment does not show it`]),
    ];
  });
  const undecided = [...committed.keys()]
    .filter((id) => !decisions.has(id))
    .map((id) => `${id}: committed without a decision`);
  return [...decided, ...undecided];
}

/** The branch must have the approved changes and no others. */
function findContentProblems(site: TestSite, { pull, decisions }: PullActivity): readonly string[] {
  const approvedRows = [...decisions.values()].flatMap(({ command, proposal }) =>
    command === 'approve' ? [[proposal.row, proposal.task] as const] : [],
  );
  return readRowsFile(site, pull) === rowsFileText(new Map(approvedRows))
    ? []
    : ['the file differs from the approved changes'];
}

const LedgerLineSchema = z.object({
  pullRequest: z.number(),
  proposalId: z.string(),
  state: z.string(),
  writes: z.array(z.object({ commit: z.string() })),
});

/** The compared fields of a proposal in the ledger. */
type LedgerLine = z.infer<typeof LedgerLineSchema>;

const FINAL_STATES = { approve: 'completed', deny: 'rejected' } as const satisfies Record<
  PersonDecision['command'],
  ProposalState
>;

/** Runs `countersign export`. No process may have an embedded database open. Throws if the command fails. */
export async function exportLedger(environment: Readonly<Record<string, string>>): Promise<readonly LedgerLine[]> {
  const child = spawn(process.execPath, [CLI_PATH, 'export'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  if (exitCode !== 0) throw new Error(`countersign export ended with ${exitCode}: ${errors.slice(-500)}`);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => LedgerLineSchema.parse(JSON.parse(line)));
}

/** A line for each decided or committed proposal that the ledger lacks, repeats or describes differently. */
export function findLedgerProblems(
  site: TestSite,
  activities: readonly PullActivity[],
  ledger: readonly LedgerLine[],
): readonly string[] {
  const byName = Map.groupBy(ledger, ({ pullRequest, proposalId }) => `#${pullRequest}: ${proposalId}`);
  return activities.flatMap(({ pull, decisions }) => {
    const commits = listCommitsByProposal(site, pull);
    return [...new Set([...decisions.keys(), ...commits.keys()])].flatMap((id) => {
      const name = `#${pull.number}: ${id}`;
      const lines = byName.get(name) ?? [];
      const [line] = lines;
      if (line === undefined || lines.length > 1) return [`${name}: ${lines.length} entries in the ledger`];
      const command = decisions.get(id)?.command ?? null;
      const [onBranch, inLedger] = [commits.get(id) ?? [], line.writes.map(({ commit }) => commit)].map((shas) =>
        shas.toSorted().join(', '),
      );
      return [
        ...(onBranch === inLedger ? [] : [`${name}: commits on the branch: ${onBranch}; in the ledger: ${inLedger}`]),
        ...(command === null || line.state === FINAL_STATES[command]
          ? []
          : [`${name}: ${command}, but ${line.state} in the ledger`]),
      ];
    });
  });
}
