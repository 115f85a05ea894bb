import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { APPLIED_LABEL, REJECTED_LABEL } from '../../src/core/messages/proposal-status.ts';
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

/** What people did, and what came of it. `wrong` has a line for everything that was lost, doubled or not as approved. */
export type ChaosVerdict = {
  readonly tasks: number;
  readonly proposals: number;
  readonly approved: number;
  readonly denied: number;
  readonly commits: number;
  readonly problems: readonly string[];
};

const FINAL_TEXT = { approve: APPLIED_LABEL, deny: REJECTED_LABEL } as const;

/** True once everything that people began has come to its end on the page, right or wrong. */
export function isFinished(site: TestSite, activities: readonly PullActivity[]): boolean {
  return activities.every((one) => {
    const shown = listShownProposals(site, one.pull);
    const ended = shown.filter(({ id, body }) =>
      body.includes(FINAL_TEXT[one.decisions.get(id)?.command ?? 'approve']),
    );
    return ended.length === shown.length && shown.length >= one.tasks * CHANGES_PER_TASK;
  });
}

export function assessRun(site: TestSite, activities: readonly PullActivity[]): ChaosVerdict {
  const all = activities.flatMap(({ decisions }) => [...decisions.values()]);
  const approved = all.filter(({ command }) => command === 'approve').length;
  return {
    tasks: activities.reduce((sum, { tasks }) => sum + tasks, 0),
    proposals: activities.reduce((sum, { pull }) => sum + listShownProposals(site, pull).length, 0),
    approved,
    denied: all.length - approved,
    commits: activities.reduce((sum, { pull }) => sum + countCommitsByProposal(site, pull).size, 0),
    problems: activities.flatMap((one) => findPullProblems(site, one).map((what) => `#${one.pull.number}: ${what}`)),
  };
}

function findPullProblems(site: TestSite, activities: PullActivity): readonly string[] {
  return [
    ...findProposalProblems(site, activities),
    ...findDecisionProblems(site, activities),
    ...findContentProblems(site, activities),
  ];
}

function findProposalProblems(site: TestSite, { pull, tasks }: PullActivity): readonly string[] {
  const shown = listShownProposals(site, pull);
  const byRow = Map.groupBy(shown, ({ row }) => row);
  const doubled = [...byRow].filter(([, those]) => those.length > 1).map(([row]) => `row ${row} was proposed twice`);
  const lost = Array.from({ length: tasks }, (_, task) => task).flatMap((task) => {
    const rows = new Set(shown.filter((one) => one.task === task).map(({ row }) => row)).size;
    return rows === CHANGES_PER_TASK ? [] : [`of task ${task}, ${rows} of ${CHANGES_PER_TASK} changes were proposed`];
  });
  return [...doubled, ...lost];
}

function findDecisionProblems(site: TestSite, { pull, decisions }: PullActivity): readonly string[] {
  const committed = countCommitsByProposal(site, pull);
  const bodies = new Map(listShownProposals(site, pull).map(({ id, body }) => [id, body]));
  const decided = [...decisions].flatMap(([id, { command }]) => {
    const times = committed.get(id) ?? 0;
    const due = command === 'approve' ? 1 : 0;
    const ended = bodies.get(id)?.includes(FINAL_TEXT[command]) ?? false;
    return [
      ...(times === due ? [] : [`${id}: ${command}, and ${times} commits`]),
      ...(ended ? [] : [`${id}: ${command}, and its comment does not say so`]),
    ];
  });
  const alone = [...committed.keys()]
    .filter((id) => !decisions.has(id))
    .map((id) => `${id}: nobody decided, and committed`);
  return [...decided, ...alone];
}

/** The branch holds what was approved and nothing else. */
function findContentProblems(site: TestSite, { pull, decisions }: PullActivity): readonly string[] {
  const done = [...decisions.values()].flatMap(({ command, proposal }) =>
    command === 'approve' ? [[proposal.row, proposal.task] as const] : [],
  );
  return readRowsFile(site, pull) === rowsFileText(new Map(done)) ? [] : ['the file is not what was approved'];
}

const LedgerLineSchema = z.object({
  pullRequest: z.number(),
  proposalId: z.string(),
  state: z.string(),
  writes: z.array(z.object({ commit: z.string() })),
});

/** What the ledger has of one proposal, as far as it is compared. */
type LedgerLine = z.infer<typeof LedgerLineSchema>;

const FINAL_STATES = { approve: 'completed', deny: 'rejected' } as const satisfies Record<
  PersonDecision['command'],
  ProposalState
>;

/** The ledger as an operator gets it. No process may have an embedded database open. Throws where the command fails. */
export async function exportLedger(environment: Readonly<Record<string, string>>): Promise<readonly LedgerLine[]> {
  const child = spawn(process.execPath, [CLI_PATH, 'export'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const [lines, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`countersign export ended with ${code}: ${errors.slice(-500)}`);
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => LedgerLineSchema.parse(JSON.parse(line)));
}

/** A line for everything that was decided or committed and that the ledger does not have, once and so. */
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
      if (line === undefined || lines.length > 1) return [`${name}: the ledger has it ${lines.length} times`];
      const says = decisions.get(id)?.command ?? null;
      const [made, written] = [commits.get(id) ?? [], line.writes.map(({ commit }) => commit)].map((shas) =>
        shas.toSorted().join(', '),
      );
      return [
        ...(made === written ? [] : [`${name}: the branch has the commits ${made}, the ledger ${written}`]),
        ...(says === null || line.state === FINAL_STATES[says]
          ? []
          : [`${name}: ${says}, and the ledger says ${line.state}`]),
      ];
    });
  });
}
