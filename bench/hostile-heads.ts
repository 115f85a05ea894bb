import type { Change } from '../src/change/change.ts';
import { decide } from '../src/run/decide.ts';
import type { Proposal } from '../src/run/proposal.ts';
import { newPull, type Pull } from '../src/run/run.ts';
import type { Signal } from '../src/run/signal.ts';
import { parseJson, storedAs } from '../src/trust.ts';
import { layGround } from '../src/worker/commit-ground.ts';
import { gather } from '../src/worker/gather.ts';
import type { WorkOut } from '../src/worker/work-out.ts';
import { editOf } from '../test/change/samples.ts';
import { proposal, run } from '../test/render/sample.ts';
import {
  commentOf,
  contextOf,
  type FileSite,
  gitHubOf,
  pushed,
  REF,
  repliesWith,
  undoes,
} from '../test/worker/file-site.ts';

/** As many lines as a region may have on one side, ten of these, and lines that nobody changes up to the size of a file. */
const MANY = 24_900;
const TEN = Array.from({ length: 10 }, (_, which) => which);
const path = 'file.txt';
const [BASE, HEAD, MADE] = ['b'.repeat(40), 'd'.repeat(40), 'c'.repeat(40)];
const REST = 'z\r\n'.repeat(414_000);

/** No longer than what may be shown of a change. */
function linesOf(which: number, letters: string): string {
  return Array.from({ length: MANY }, (_, at) => `${letters[(at * (which + 1)) % letters.length]}\r\n`).join('');
}

function fileOf(letters: string): string {
  return TEN.map((which) => `some\r\ntop\r\n${which}\r\n${linesOf(which, letters)}end\r\n`).join('') + REST;
}

const [OLD, NEW] = ['abcdefghijk', 'lmnopqrstuv'];
const [BEFORE, AFTER] = [fileOf(OLD), fileOf(NEW)];
const CHANGES = TEN.map((which) => editOf(BEFORE, linesOf(which, OLD), linesOf(which, NEW)));

/** As they come out of the store. */
function kept(change: Change): Change {
  return storedAs<Change>(parseJson(JSON.stringify(change)));
}

function waiting(more: Partial<Proposal> = {}): readonly Proposal[] {
  const shown = { head: BASE, placement: { kind: 'conversation', path, why: 'not-in-diff' } } as const;
  return CHANGES.map((change, which) =>
    proposal(kept(change), { id: `k7q${which}`, ...shown, comment: commentOf(which + 1), ...more }),
  );
}

/** Everything from a signal to what is decided: facts are read, worked out and applied. */
export type HostileHead = (workOut: WorkOut) => Promise<void>;

function pullOf(proposals: readonly Proposal[]): Pull {
  return { ...newPull(REF), run: run({ head: BASE }), proposals, proposalCount: proposals.length };
}

/** The one file at these commits, of which the last is the head. */
function siteOf(...texts: readonly (readonly [commit: string, text: string])[]): FileSite {
  const commits = Object.fromEntries(texts.map(([commit, text]) => [commit, { [path]: text }]));
  return { commits, head: texts.at(-1)?.[0] ?? '' };
}

function decided(site: FileSite, proposals: readonly Proposal[], signal: Signal, expected: string): HostileHead {
  const github = gitHubOf(site);
  const pull = pullOf(proposals);
  return async (workOut) => {
    const step = decide(pull, signal, await gather(contextOf(github, workOut), pull, signal));
    const states = new Set(step.pull.proposals.map(({ state }) => state));
    const found = `${step.reason}: ${[...states].toSorted().join(' ')}`;
    if (found !== expected) throw new Error(`It was ${found}, not ${expected}.`);
  };
}

function ground(): HostileHead {
  const github = gitHubOf(siteOf([HEAD, `new\r\n${BEFORE}`]));
  const mine = waiting({ state: 'approved' });
  const pull = pullOf(mine);
  return async (workOut) => {
    const { checks } = await layGround({ github, workOut }, pull, mine, { head: HEAD, branch: 'topic' });
    if (checks.some(({ verdict }) => verdict.kind !== 'applies')) throw new Error('They do not apply.');
  };
}

const PUSH = pushed(BASE, HEAD);
const BLOCK = Array.from({ length: 16_000 }, () => 'own');
const [WAITS] = waiting();
const [WAS_MADE] = waiting({ state: 'completed', commit: MADE });

/** What people do to a pull request on which the largest changes wait. */
export const HOSTILE_HEADS: readonly (readonly [name: string, head: HostileHead])[] = [
  [
    'a push that made ten changes of 24,900 lines',
    decided(siteOf([BASE, BEFORE], [HEAD, AFTER]), waiting(), PUSH, 'push-judged: completed'),
  ],
  [
    'a push above ten changes of 24,900 lines, each of which is judged alone',
    decided(siteOf([BASE, BEFORE], [HEAD, `new\r\n${BEFORE}`]), waiting(), PUSH, 'push-judged: proposed'),
  ],
  [
    'an undo of 24,900 lines',
    decided(
      siteOf([MADE, AFTER], [HEAD, `new\r\n${AFTER}`]),
      WAS_MADE === undefined ? [] : [WAS_MADE],
      undoes('k7q0'),
      'undo-proposed: completed proposed',
    ),
  ],
  [
    'own lines in place of 24,900',
    decided(
      siteOf([BASE, BEFORE]),
      WAITS === undefined ? [] : [WAITS],
      repliesWith(BLOCK, commentOf(1), path),
      'modified: approved',
    ),
  ],
  ['the ground of a commit of ten changes of 24,900 lines', ground()],
];
