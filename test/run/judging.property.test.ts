import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDelete } from '../../src/change/build-delete.ts';
import { buildMove } from '../../src/change/build-move.ts';
import type { Change } from '../../src/change/change.ts';
import { composeFile } from '../../src/change/range.ts';
import { conflictingChange } from '../../src/policy/batch-conflict.ts';
import type { FileAtHead } from '../../src/policy/freshness.ts';
import { verdictOf, withoutLines } from '../../src/policy/judge-push.ts';
import type { OwnEdit } from '../../src/policy/own-history.ts';
import type { Pushed } from '../../src/run/completed-by-push.ts';
import { type Draft, draftOf } from '../../src/run/draft.ts';
import { judgeHead } from '../../src/run/judge-head.ts';
import { type FilesAt, judgedFrom, toJudge } from '../../src/run/judging.ts';
import { newPull, type Pull } from '../../src/run/run.ts';
import { changeOf, stored } from '../change/samples.ts';
import { ana, edit, proposal, run, write } from '../render/sample.ts';
import { REF, SELF } from '../worker/file-site.ts';
import { stepByStep } from './step-by-step.ts';

const PATHS = ['a.txt', 'b.txt'];
const sandbox = 'shop';
const word = fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd\n', 'e\n');
const text = fc.array(word, { minLength: 2, maxLength: 14 });

/** A wish for a path: a run of its lines written anew, all of it, its end, or its move. */
const wish = fc.record({
  kind: fc.constantFrom('edit', 'edit', 'edit', 'edit', 'write', 'delete', 'move'),
  path: fc.constantFrom(...PATHS, 'new.txt'),
  at: fc.nat({ max: 13 }),
  height: fc.integer({ min: 1, max: 3 }),
  fresh: fc.array(word, { maxLength: 3 }),
  approved: fc.boolean(),
});
type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;

/** What somebody does to a path: some of the changes, and lines of their own. */
const deed = fc.record({
  takes: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  own: fc.constantFrom('nothing', 'nothing', 'above', 'below', 'gone', 'windows'),
  known: fc.boolean(),
});
type Deed = typeof deed extends fc.Arbitrary<infer Value> ? Value : never;

function changeFor({ kind, path, at, height, fresh }: Wish, texts: Readonly<Record<string, string>>): Change | null {
  const standing = texts[path];
  if (standing === undefined) return kind === 'write' ? write(path, null, fresh.join('')) : null;
  const file = stored(standing);
  if (kind === 'delete') return changeOf(buildDelete({ path, sandbox, file }));
  if (kind === 'move') return changeOf(buildMove({ from: path, to: `moved-${path}`, sandbox, file }));
  try {
    if (kind === 'write') return write(path, standing, fresh.join(''));
    const lines = standing.split(/(?<=\n)/);
    return edit(path, standing, lines.slice(at, at + height).join(''), fresh.join(''));
  } catch {
    // It stands nowhere or in many places, or changes nothing.
    return null;
  }
}

function fileOf(content: string | null): FileAtHead | null {
  return content === null ? null : { ...stored(content).ref, text: content };
}

function afterDeed(standing: string, changes: readonly Change[], { takes, own }: Deed): string | null {
  if (own === 'gone') return null;
  const taken = changes.flatMap(({ op, region }, at) =>
    op === 'edit' && takes[at] && region !== null ? [region] : [],
  );
  const made = composeFile(standing, taken).text;
  const ended = made === '' || made.endsWith('\n') ? made : `${made}\n`;
  if (own === 'windows') return made.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n');
  return own === 'above' ? `x\n${made}` : own === 'below' ? `${ended}x\n` : made;
}

/** What this run did to a path before, as far as it is known: the whole push, as a commit of its own. */
function ownEdits(before: string, after: string | null, changes: readonly Change[], { takes, known }: Deed): OwnEdit[] {
  if (!known || after === null) return [];
  const taken = changes.flatMap(({ op, region }, at) =>
    op === 'edit' && takes[at] && region !== null ? [region] : [],
  );
  const { text: made, ranges } = composeFile(before, taken);
  return made === after ? [{ before: stored(before).ref.blob, after: stored(after).ref.blob, ranges }] : [];
}

type Scene = { readonly pull: Pull; readonly atBase: FilesAt; readonly atHead: FilesAt };

function sceneOf(texts: Readonly<Record<string, string>>, wishes: readonly Wish[], deeds: readonly Deed[]): Scene {
  const waiting: { readonly id: string; readonly change: Change; readonly approved: boolean }[] = [];
  for (const [at, one] of wishes.entries()) {
    const change = changeFor(one, texts);
    if (change !== null && conflictingChange(change, waiting) === null)
      waiting.push({ id: `k7q${at}`, change, approved: one.approved });
  }
  const atBase: Record<string, FileAtHead | null> = {};
  const atHead: Record<string, FileAtHead | null> = {};
  const known: Record<string, OwnEdit[]> = {};
  for (const [at, path] of [...PATHS, 'new.txt'].entries()) {
    const before = texts[path] ?? null;
    const done = deeds[at];
    const changes = waiting.flatMap(({ change }) => (change.path === path ? [change] : []));
    const after = done === undefined ? before : afterDeed(before ?? '', changes, done);
    atBase[path] = fileOf(before);
    atHead[path] = fileOf(before === null && after === '' ? null : after);
    if (before !== null && done !== undefined) known[path] = ownEdits(before, after, changes, done);
  }
  const proposals = waiting.map(({ id, change, approved }) =>
    proposal(change, { id, state: approved ? 'approved' : 'proposed' }),
  );
  return { pull: { ...newPull(REF), run: run({ head: 'b', ownEdits: known }), proposals }, atBase, atHead };
}

const NOW = '2026-01-02T00:00:00.000Z';

/** Both ways to decide a push; the effects of what follows after all are left out of the first. */
function bothWays({ pull, atBase, atHead }: Scene): { readonly before: Draft; readonly apart: Draft } {
  const judged = judgedFrom(toJudge(pull), atBase, atHead);
  const facts = { now: NOW, self: SELF, served: true, judged };
  const pusher = { person: ana, permission: 'write', deliveryId: 'x' } as const;
  const at: Pushed = { head: 'd', facts, pusher };
  const apart = stepByStep(draftOf(pull), { atBase, atHead }, at);
  return { before: judgeHead(draftOf(pull), 'd', facts, pusher), apart };
}

const scenes = fc.tuple(text, text, fc.array(wish, { maxLength: 5 }), fc.array(deed, { minLength: 3, maxLength: 3 }));

describe('judging a head before it is decided', () => {
  it('H6, S94, S50: comes to what judging one change after the other comes to', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(scenes, ([first, second, wishes, deeds]) => {
        const scene = sceneOf({ 'a.txt': first.join(''), 'b.txt': second.join('') }, wishes, deeds);
        const { before, apart } = bothWays(scene);
        expect(before.pull.proposals).toEqual(apart.pull.proposals);
        expect(before.votes).toEqual(apart.votes);
        expect(before.pull.run?.ownEdits).toEqual(apart.pull.run?.ownEdits);
        expect(before.pull.run?.batch).toEqual(apart.pull.run?.batch);
        expect(before.effects.slice(0, apart.effects.length)).toEqual(apart.effects);
        for (const { state, movedTo } of before.pull.proposals) seen.add(movedTo === null ? state : 'moved');
      }),
      { numRuns: 3000 },
    );
    expect([...seen].toSorted()).toEqual(['approved', 'completed', 'moved', 'proposed', 'superseded']);
  });

  it('H6: a verdict loses nothing when it is sent about without the change’s own lines', () => {
    const { region } = edit('a.txt', 'a\nb\nc\n', 'b', 'd');
    if (region === null) throw new Error('An edit has a region.');
    const placed = { ...region, oldStart: 7, newStart: 7, before: ['x\n'] };
    for (const verdict of [
      { kind: 'applies', region: placed, sameDigest: false },
      { kind: 'stale', path: 'b' },
    ] as const) {
      const sent = withoutLines(verdict);
      expect(JSON.stringify(sent)).not.toContain('d\\n');
      expect(verdictOf({ region }, sent)).toEqual(verdict);
    }
  });
});
