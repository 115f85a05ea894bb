import { decide } from '../../src/core/decide.ts';
import type { FileChange } from '../../src/core/edits/change.ts';
import { NO_OPERATOR_SETTINGS } from '../../src/core/settings/operator-file.ts';
import type { Proposal } from '../../src/core/state/proposal.ts';
import { createPullState, type PullState } from '../../src/core/state/pull-state.ts';
import type { Signal } from '../../src/core/step/signals.ts';
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
import { MAX_REGION_LINES } from './worst-case-calls.ts';

const CHANGE_INDEXES = Array.from({ length: 10 }, (_, index) => index);

const path = 'file.txt';

const [BASE, HEAD, COMMIT] = ['b'.repeat(40), 'd'.repeat(40), 'c'.repeat(40)];

/** Fills the file up to the size limit. */
const UNCHANGED_LINES = 'z\r\n'.repeat(414_000);

/** The lines of one change. `alphabet` has the characters of which they consist. */
function createLines(change: number, alphabet: string): string {
  return Array.from(
    { length: MAX_REGION_LINES },
    (_, line) => `${alphabet[(line * (change + 1)) % alphabet.length]}\r\n`,
  ).join('');
}

function createFileText(alphabet: string): string {
  return (
    CHANGE_INDEXES.map((change) => `some\r\ntop\r\n${change}\r\n${createLines(change, alphabet)}end\r\n`).join('') +
    UNCHANGED_LINES
  );
}

const [OLD_ALPHABET, NEW_ALPHABET] = ['abcdefghijk', 'lmnopqrstuv'];

const [OLD_TEXT, NEW_TEXT] = [createFileText(OLD_ALPHABET), createFileText(NEW_ALPHABET)];

const CHANGES = CHANGE_INDEXES.map((change) =>
  editOf(OLD_TEXT, createLines(change, OLD_ALPHABET), createLines(change, NEW_ALPHABET)),
);

/** The change as the store returns it. */
function reloaded(change: FileChange): FileChange {
  return storedAs<FileChange>(parseJson(JSON.stringify(change)));
}

function createProposals(overrides: Partial<Proposal> = {}): readonly Proposal[] {
  const shown = { headSha: BASE, placement: { kind: 'conversation', path, reason: 'not-in-diff' } } as const;
  return CHANGES.map((change, index) =>
    proposal(reloaded(change), { id: `k7q${index}`, ...shown, comment: commentOf(index + 1), ...overrides }),
  );
}

/** Handles a signal: gathers facts, computes and decides. */
type WorstCaseSignal = (offload: Offload) => Promise<void>;

function createPull(proposals: readonly Proposal[]): PullState {
  return { ...createPullState(REF), run: run({ assessedHeadSha: BASE }), proposals, proposalCount: proposals.length };
}

/** A repository with one file. The last commit is the head. */
function createFileSite(...texts: readonly (readonly [commit: string, text: string])[]): FileSite {
  const commits = Object.fromEntries(texts.map(([commit, text]) => [commit, { [path]: text }]));
  return { commits, head: texts.at(-1)?.[0] ?? '' };
}

/** Throws unless the decision is `expected`: its reason, and the states of the proposals after it. */
function decisionCase(
  site: FileSite,
  proposals: readonly Proposal[],
  signal: Signal,
  expected: string,
): WorstCaseSignal {
  const github = gitHubOf(site);
  const pull = createPull(proposals);
  return async (offload) => {
    const facts = await gatherFacts(contextOf(github, offload), pull, signal);
    // No page can show changes of this size, so their digests stand in for the pages.
    const shownDigests = Object.fromEntries(proposals.map(({ id, change }) => [id, change.digest]));
    const step = decide(pull, signal, { ...facts, shownDigests });
    const states = new Set(step.pull.proposals.map(({ state }) => state));
    const actual = `${step.reason}: ${[...states].toSorted().join(' ')}`;
    if (actual !== expected) throw new Error(`Unexpected decision: ${actual} instead of ${expected}.`);
  };
}

function preflightCase(): WorstCaseSignal {
  const github = gitHubOf(createFileSite([HEAD, `new\r\n${OLD_TEXT}`]));
  const approved = createProposals({ state: 'approved' });
  const pull = createPull(approved);
  return async (offload) => {
    const { checks } = await preflightCommit(
      { github, offload, operatorSettings: () => NO_OPERATOR_SETTINGS },
      pull,
      approved,
      {
        head: HEAD,
        branch: 'topic',
      },
    );
    if (checks.some(({ verdicts }) => verdicts.some(({ kind }) => kind !== 'applies')))
      throw new Error('A change does not apply.');
  };
}

const PUSH = pushed(BASE, HEAD);

const USER_EDIT_LINES = Array.from({ length: 16_000 }, () => 'own');

const [PENDING] = createProposals();

const [COMPLETED] = createProposals({ state: 'completed', commitSha: COMMIT });

/** Signals on a pull request with the largest possible changes. */
export const WORST_CASE_SIGNALS: readonly (readonly [name: string, handleSignal: WorstCaseSignal])[] = [
  [
    'a push that contains ten changes of 24,900 lines',
    decisionCase(
      createFileSite([BASE, OLD_TEXT], [HEAD, NEW_TEXT]),
      createProposals(),
      PUSH,
      'push-assessed: completed',
    ),
  ],
  [
    'a push of a line above ten changes of 24,900 lines',
    decisionCase(
      createFileSite([BASE, OLD_TEXT], [HEAD, `new\r\n${OLD_TEXT}`]),
      createProposals(),
      PUSH,
      'push-assessed: proposed',
    ),
  ],
  [
    'an undo of 24,900 lines',
    decisionCase(
      createFileSite([COMMIT, NEW_TEXT], [HEAD, `new\r\n${NEW_TEXT}`]),
      COMPLETED === undefined ? [] : [COMPLETED],
      undoes('k7q0'),
      'undo-proposed: completed proposed',
    ),
  ],
  [
    "a user's own lines in place of 24,900",
    decisionCase(
      createFileSite([BASE, OLD_TEXT]),
      PENDING === undefined ? [] : [PENDING],
      repliesWith(USER_EDIT_LINES, commentOf(1), path),
      'user-edited: approved',
    ),
  ],
  ['the checks before a commit of ten changes of 24,900 lines', preflightCase()],
];
