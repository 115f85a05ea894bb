import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FilesByPath, openStalenessInput } from '../../../../src/core/actions/head-assessment.ts';
import { applyHeadMove, type HeadMove } from '../../../../src/core/actions/head-moved.ts';
import { type StepBuilder, startStep } from '../../../../src/core/actions/step-builder.ts';
import { buildDelete, buildMove } from '../../../../src/core/edits/build/build-file-ops.ts';
import type { FileChange } from '../../../../src/core/edits/change.ts';
import { composeFile } from '../../../../src/core/edits/region.ts';
import { findConflictingChange } from '../../../../src/core/policy/earlier-changes.ts';
import { toApplicability, toVerdict } from '../../../../src/core/policy/push-impact.ts';
import type { FileAtHead } from '../../../../src/core/state/head-changes.ts';
import { createPullState, type PullState } from '../../../../src/core/state/pull-state.ts';
import type { AppCommit } from '../../../../src/core/state/run.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../src/core/state/settings.ts';
import { REF, SELF } from '../../worker/effects/file-site.ts';
import { changeOf, stored } from '../edits/samples.ts';
import { ana, edit, proposal, run, write } from '../messages/sample.ts';
import { assessStaleness } from '../support/assess-staleness.ts';
import { stepByStep } from '../support/step-by-step.ts';

const PATHS = ['a.txt', 'b.txt'];

const repositoryName = 'shop';

const word = fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd\n', 'e\n');

const text = fc.array(word, { minLength: 2, maxLength: 14 });

/** A change to a path: some lines replaced, or the file written, deleted or moved. */
const wish = fc.record({
  kind: fc.constantFrom('edit', 'edit', 'edit', 'edit', 'write', 'delete', 'move'),
  path: fc.constantFrom(...PATHS, 'new.txt'),
  at: fc.nat({ max: 13 }),
  height: fc.integer({ min: 1, max: 3 }),
  fresh: fc.array(word, { maxLength: 3 }),
  approved: fc.boolean(),
});

type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;

/** A push to a path: some of the proposed changes, and other changes. */
const deed = fc.record({
  takes: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  own: fc.constantFrom('nothing', 'nothing', 'above', 'below', 'gone', 'windows'),
  known: fc.boolean(),
});

type Deed = typeof deed extends fc.Arbitrary<infer Value> ? Value : never;

function changeFor(
  { kind, path, at, height, fresh }: Wish,
  texts: Readonly<Record<string, string>>,
): FileChange | null {
  const baseText = texts[path];
  if (baseText === undefined) return kind === 'write' ? write(path, null, fresh.join('')) : null;
  const file = stored(baseText);
  if (kind === 'delete') return changeOf(buildDelete({ path, repositoryName, file }));
  if (kind === 'move') return changeOf(buildMove({ from: path, to: `moved-${path}`, repositoryName, file }));
  try {
    if (kind === 'write') return write(path, baseText, fresh.join(''));
    const lines = baseText.split(/(?<=\n)/);
    return edit(path, baseText, lines.slice(at, at + height).join(''), fresh.join(''));
  } catch {
    // The lines are missing or ambiguous, or the edit changes nothing.
    return null;
  }
}

function fileOf(content: string | null): FileAtHead | null {
  return content === null ? null : { ...stored(content).ref, text: content };
}

function afterPush(baseText: string, changes: readonly FileChange[], { takes, own }: Deed): string | null {
  if (own === 'gone') return null;
  const taken = changes.flatMap(({ op, region }, at) =>
    op === 'edit' && takes[at] && region !== null ? [region] : [],
  );
  const made = composeFile(baseText, taken).text;
  const ended = made === '' || made.endsWith('\n') ? made : `${made}\n`;
  if (own === 'windows') return made.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n');
  return own === 'above' ? `x\n${made}` : own === 'below' ? `${ended}x\n` : made;
}

/** The push as a known commit of the run, if it can be one. */
function ownEdits(
  before: string,
  after: string | null,
  changes: readonly FileChange[],
  { takes, known }: Deed,
): AppCommit[] {
  if (!known || after === null) return [];
  const taken = changes.flatMap(({ op, region }, at) =>
    op === 'edit' && takes[at] && region !== null ? [region] : [],
  );
  const { text: made, ranges } = composeFile(before, taken);
  return made === after ? [{ blobBefore: stored(before).ref.blob, blobAfter: stored(after).ref.blob, ranges }] : [];
}

type Scene = { readonly pull: PullState; readonly atBase: FilesByPath; readonly atHead: FilesByPath };

function sceneOf(texts: Readonly<Record<string, string>>, wishes: readonly Wish[], deeds: readonly Deed[]): Scene {
  const waiting: { readonly id: string; readonly change: FileChange; readonly approved: boolean }[] = [];
  for (const [at, one] of wishes.entries()) {
    const change = changeFor(one, texts);
    if (change !== null && findConflictingChange(change, waiting) === null)
      waiting.push({ id: `k7q${at}`, change, approved: one.approved });
  }
  const atBase: Record<string, FileAtHead | null> = {};
  const atHead: Record<string, FileAtHead | null> = {};
  const known: Record<string, AppCommit[]> = {};
  for (const [at, path] of [...PATHS, 'new.txt'].entries()) {
    const before = texts[path] ?? null;
    const done = deeds[at];
    const changes = waiting.flatMap(({ change }) => (change.path === path ? [change] : []));
    const after = done === undefined ? before : afterPush(before ?? '', changes, done);
    atBase[path] = fileOf(before);
    atHead[path] = fileOf(before === null && after === '' ? null : after);
    if (before !== null && done !== undefined) known[path] = ownEdits(before, after, changes, done);
  }
  const proposals = waiting.map(({ id, change, approved }) =>
    proposal(change, { id, state: approved ? 'approved' : 'proposed' }),
  );
  return {
    pull: { ...createPullState(REF), run: run({ assessedHeadSha: 'b', appCommits: known }), proposals },
    atBase,
    atHead,
  };
}

const NOW = '2026-01-02T00:00:00.000Z';

/** Applies a push at once and step by step. */
function bothWays(
  { pull, atBase, atHead }: Scene,
  rules: Partial<Settings>,
): { readonly before: StepBuilder; readonly apart: StepBuilder } {
  const staleness = assessStaleness(openStalenessInput(pull), atBase, atHead);
  const settings = { kind: 'settings', settings: { ...DEFAULT_SETTINGS, ...rules } } as const;
  const facts = { now: NOW, app: SELF, ownerAllowed: true, staleness, settings };
  const pusher = { person: ana, permission: 'write', deliveryId: 'x' } as const;
  const at: HeadMove = { head: 'd', facts, pusher };
  const apart = stepByStep(startStep(pull), { atBase, atHead }, at);
  return { before: applyHeadMove(startStep(pull), 'd', facts, pusher), apart };
}

const scenes = fc.tuple(text, text, fc.array(wish, { maxLength: 5 }), fc.array(deed, { minLength: 3, maxLength: 3 }));

const settings = fc.constantFrom<Partial<Settings>>(
  {},
  { requiredApprovals: 2 },
  { requireNonAuthor: true },
  { requireNonRequester: true },
);

describe('assessing a head at once', () => {
  it('has the same result as assessing one change after the other (H6, S94, S50)', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(scenes, settings, ([first, second, wishes, deeds], rules) => {
        const scene = sceneOf({ 'a.txt': first.join(''), 'b.txt': second.join('') }, wishes, deeds);
        const { before, apart } = bothWays(scene, rules);
        expect(before.pull.proposals).toEqual(apart.pull.proposals);
        expect(before.votes).toEqual(apart.votes);
        expect(before.pull.run?.appCommits).toEqual(apart.pull.run?.appCommits);
        expect(before.pull.run?.batch).toEqual(apart.pull.run?.batch);
        expect(before.effects.slice(0, apart.effects.length)).toEqual(apart.effects);
        for (const { state, currentLine, note } of before.pull.proposals)
          seen.add(note?.includes('another part of') ? 'out of sight' : currentLine === null ? state : 'moved');
      }),
      { numRuns: 3000 },
    );
    expect([...seen].toSorted()).toEqual(['approved', 'completed', 'moved', 'out of sight', 'proposed', 'superseded']);
  });

  it('a verdict survives the round trip without the lines of the change (H6)', () => {
    const { region } = edit('a.txt', 'a\nb\nc\n', 'b', 'd');
    if (region === null) throw new Error('An edit has a region.');
    const placed = { ...region, oldStart: 7, newStart: 7, before: ['x\n'] };
    for (const verdict of [
      { kind: 'applies', region: placed, sameDigest: false, heading: null },
      { kind: 'applies', region: placed, sameDigest: true, heading: 'x' },
      { kind: 'applies', region: placed, sameDigest: true, heading: null },
      { kind: 'stale', path: 'b' },
    ] as const) {
      const sent = toApplicability(verdict);
      expect(JSON.stringify(sent)).not.toContain('d\\n');
      expect(toVerdict({ region }, sent)).toEqual(verdict);
    }
  });
});
