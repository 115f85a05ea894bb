import { setImmediate as breath } from 'node:timers/promises';
import { STALE } from '../policy/judge-push.ts';
import type { Tree } from '../policy/tree.ts';
import type { Facts, Need } from '../run/facts.ts';
import { filesWanted } from '../run/files-wanted.ts';
import { type Judged, type JudgedPath, moveAt, pushAt, type WaitingAt } from '../run/judging.ts';
import { NO_PLACE, ownTextOf } from '../run/own-text-of.ts';
import type { SeenOfUndone } from '../run/reverse.ts';
import { isLasting } from './backoff.ts';
import type { GitHub } from './ports.ts';
import { readAll, readFile, withoutText } from './read-files.ts';
import { type Input, type Output, WorkGivenUp, type WorkName, type WorkOut } from './work-out.ts';

/** Where files are read, and what is large is worked out. */
export type Site = { readonly github: GitHub; readonly workOut: WorkOut };

type NeedOf<Kind extends Need['kind']> = Extract<Need, { kind: Kind }>;

/** Works it out; where that takes far more than anything that is meant, it comes to what is safe instead. */
export async function workedOrElse<Name extends WorkName, Otherwise>(
  workOut: WorkOut,
  name: Name,
  input: Input<Name>,
  otherwise: Otherwise,
): Promise<Output<Name> | Otherwise> {
  try {
    return await workOut(name, input);
  } catch (error) {
    if (error instanceof WorkGivenUp) return otherwise;
    throw error;
  }
}

/** How everything that waits stands at a head: one path after the other, so that only one path's files are in memory. */
export async function judgeAt({ github, workOut }: Site, need: NeedOf<'files'>): Promise<Judged> {
  const { paths, moves } = need.judging;
  const trees = { base: await github.tree(need.base), head: await github.tree(need.head) };
  const judged: JudgedPath[] = [];
  for (const at of paths) {
    // Each may take some milliseconds; what waits for the process comes in between.
    await breath();
    judged.push(...(await judgePathAt({ github, workOut }, trees, at)));
  }
  const ends = await readAll(github, trees.head, filesWanted(moves.map(({ change }) => change)));
  return { paths: judged, moves: moves.map((one) => moveAt(one, ends)) };
}

/** Nothing where the path is as it was. What cannot be judged is stale: then nobody's approval holds for it any more. */
async function judgePathAt(
  { github, workOut }: Site,
  { base, head }: { readonly base: Tree; readonly head: Tree },
  at: WaitingAt,
): Promise<readonly JudgedPath[]> {
  const { path, waiting } = at;
  if (pushAt(at, withoutText(base, path), withoutText(head, path)) === null) return [];
  const push = pushAt(at, await readFile(github, base, path), await readFile(github, head, path));
  if (push === null) return [];
  const stale = { contained: [], own: null, others: waiting.map(({ id }) => ({ id, standing: STALE })) };
  return [{ path, ...(await workedOrElse(workOut, 'judgePush', push, stale)) }];
}

/** The reverse of an applied change, from what GitHub has of its files. */
export async function reverseFor(
  { github, workOut }: Site,
  need: NeedOf<'undone'>,
): Promise<NonNullable<Facts['reverse']>> {
  const seen = await undoneAt(github, need);
  const message = 'The reverse of this change could not be worked out.';
  return workedOrElse(workOut, 'reverseOf', { ...need.undoing, seen }, { kind: 'refused', message } as const);
}

async function undoneAt(github: GitHub, { undoing, commit, head }: NeedOf<'undone'>): Promise<SeenOfUndone> {
  const { path, from } = undoing.change;
  const tree = await github.tree(head);
  if (from !== null)
    return {
      atCommit: null,
      atHead: tree.has(path) ? withoutText(tree, path) : null,
      fromAtHead: withoutText(tree, from, path),
    };
  const atHead = await readFile(github, tree, path);
  return { atCommit: await fileOfCommit(github, commit, path), atHead, fromAtHead: null };
}

/** A commit that was pushed away is kept by GitHub for a while, and then it is gone. */
async function fileOfCommit(github: GitHub, commit: string | null, path: string): Promise<SeenOfUndone['atCommit']> {
  if (commit === null) return null;
  try {
    return await readFile(github, await github.tree(commit), path);
  } catch (error) {
    if (!isLasting(error)) throw error;
    return 'gone';
  }
}

/** The change that a person's own lines make of the very file that theirs was proposed for; whether it still fits is judged later. */
export async function ownTextFor(
  { github, workOut }: Site,
  { head, own }: NeedOf<'own-text'>,
): Promise<NonNullable<Facts['ownText']>> {
  const { path, base } = own.change;
  const file = base === null ? null : await readFile(github, await github.tree(head), path);
  const input = ownTextOf(own, file);
  const otherwise = { kind: 'refused', refusal: { why: 'given-up' } } as const;
  return input === null ? NO_PLACE : workedOrElse(workOut, 'ownText', input, otherwise);
}
