import { decide } from '../../src/core/decide.ts';
import type { FileChange } from '../../src/core/edits/change.ts';
import type { Proposal } from '../../src/core/state/proposal.ts';
import { createPullState, type PullState } from '../../src/core/state/run.ts';
import type { Signal } from '../../src/core/state/signals.ts';
import { parseJson, storedAs } from '../../src/lib/trust.ts';
import { preflightCommit } from '../../src/worker/effects/commit-checks.ts';
import { gatherFacts } from '../../src/worker/jobs/gather-facts.ts';
import type { Offload } from '../../src/worker/offload/offload.ts';
import { editOf } from '../../test/unit/core/edits/samples.ts';
import { proposal, run } from '../../test/unit/core/messages/sample.ts';
import {
  commentOf,
  contextOf,
  type FileSite,
  gitHubOf,
  pushed,
  REF,
  repliesWith,
  undoes,
} from '../../test/unit/worker/effects/file-site.ts';

/** As many lines as a region may have on one side, ten of these, and lines that nobody changes up to the size of a file. */
const LINES_PER_CHANGE = 24_900;

const CHANGE_INDEXES = Array.from({ length: 10 }, (_, which) => which);

const path = 'file.txt';

const [BASE, HEAD, MADE] = ['b'.repeat(40), 'd'.repeat(40), 'c'.repeat(40)];

const UNCHANGED_LINES = 'z\r\n'.repeat(414_000);

/** No longer than what may be shown of a change. */
function createLines(which: number, letters: string): string {
  return Array.from(
    { length: LINES_PER_CHANGE },
    (_, at) => `${letters[(at * (which + 1)) % letters.length]}\r\n`,
  ).join('');
}

function createFileText(letters: string): string {
  return (
    CHANGE_INDEXES.map((which) => `some\r\ntop\r\n${which}\r\n${createLines(which, letters)}end\r\n`).join('') +
    UNCHANGED_LINES
  );
}

const [OLD, NEW] = ['abcdefghijk', 'lmnopqrstuv'];

const [BEFORE, AFTER] = [createFileText(OLD), createFileText(NEW)];

const CHANGES = CHANGE_INDEXES.map((which) => editOf(BEFORE, createLines(which, OLD), createLines(which, NEW)));

/** As they come out of the store. */
function reloaded(change: FileChange): FileChange {
  return storedAs<FileChange>(parseJson(JSON.stringify(change)));
}

function pendingProposals(more: Partial<Proposal> = {}): readonly Proposal[] {
  const shown = { headSha: BASE, placement: { kind: 'conversation', path, reason: 'not-in-diff' } } as const;
  return CHANGES.map((change, which) =>
    proposal(reloaded(change), { id: `k7q${which}`, ...shown, comment: commentOf(which + 1), ...more }),
  );
}

/** Everything from a signal to what is decided: facts are read, worked out and applied. */
type WorstCasePush = (workOut: Offload) => Promise<void>;

function createPull(proposals: readonly Proposal[]): PullState {
  return { ...createPullState(REF), run: run({ assessedHeadSha: BASE }), proposals, proposalCount: proposals.length };
}

/** The one file at these commits, of which the last is the head. */
function fileSite(...texts: readonly (readonly [commit: string, text: string])[]): FileSite {
  const commits = Object.fromEntries(texts.map(([commit, text]) => [commit, { [path]: text }]));
  return { commits, head: texts.at(-1)?.[0] ?? '' };
}

function decidePush(site: FileSite, proposals: readonly Proposal[], signal: Signal, expected: string): WorstCasePush {
  const github = gitHubOf(site);
  const pull = createPull(proposals);
  return async (workOut) => {
    const step = decide(pull, signal, await gatherFacts(contextOf(github, workOut), pull, signal));
    const states = new Set(step.pull.proposals.map(({ state }) => state));
    const found = `${step.reason}: ${[...states].toSorted().join(' ')}`;
    if (found !== expected) throw new Error(`It was ${found}, not ${expected}.`);
  };
}

function preflightCommitCase(): WorstCasePush {
  const github = gitHubOf(fileSite([HEAD, `new\r\n${BEFORE}`]));
  const mine = pendingProposals({ state: 'approved' });
  const pull = createPull(mine);
  return async (offload) => {
    const { checks } = await preflightCommit({ github, offload }, pull, mine, { head: HEAD, branch: 'topic' });
    if (checks.some(({ verdict }) => verdict.kind !== 'applies')) throw new Error('They do not apply.');
  };
}

const PUSH = pushed(BASE, HEAD);

const USER_EDIT_LINES = Array.from({ length: 16_000 }, () => 'own');

const [WAITS] = pendingProposals();

const [WAS_MADE] = pendingProposals({ state: 'completed', commitSha: MADE });

/** What people do to a pull request on which the largest changes wait. */
export const WORST_CASE_PUSHES: readonly (readonly [name: string, head: WorstCasePush])[] = [
  [
    'a push that made ten changes of 24,900 lines',
    decidePush(fileSite([BASE, BEFORE], [HEAD, AFTER]), pendingProposals(), PUSH, 'push-assessed: completed'),
  ],
  [
    'a push above ten changes of 24,900 lines, each of which is judged alone',
    decidePush(
      fileSite([BASE, BEFORE], [HEAD, `new\r\n${BEFORE}`]),
      pendingProposals(),
      PUSH,
      'push-assessed: proposed',
    ),
  ],
  [
    'an undo of 24,900 lines',
    decidePush(
      fileSite([MADE, AFTER], [HEAD, `new\r\n${AFTER}`]),
      WAS_MADE === undefined ? [] : [WAS_MADE],
      undoes('k7q0'),
      'undo-proposed: completed proposed',
    ),
  ],
  [
    'own lines in place of 24,900',
    decidePush(
      fileSite([BASE, BEFORE]),
      WAITS === undefined ? [] : [WAITS],
      repliesWith(USER_EDIT_LINES, commentOf(1), path),
      'user-edited: approved',
    ),
  ],
  ['the ground of a commit of ten changes of 24,900 lines', preflightCommitCase()],
];
