import { sourcePath } from '../change/touched.ts';
import { type FileAtHead, judge, judgeable } from '../policy/freshness.ts';
import {
  judgePush,
  type Push,
  type PushJudged,
  type Stands,
  type Waiting,
  withoutLines,
} from '../policy/judge-push.ts';
import type { OwnEdit } from '../policy/own-history.ts';
import { openProposals } from './open-proposals.ts';
import { ownEditsOf } from './own-edit.ts';
import type { Proposal } from './proposal.ts';
import type { Pull } from './run.ts';

/** What is judged where a head moved: what waits for each path, with what this run did there, and the moves. */
export type Judging = {
  readonly paths: readonly WaitingAt[];
  readonly moves: readonly Waiting[];
};
export type WaitingAt = {
  readonly path: string;
  readonly waiting: readonly Waiting[];
  readonly ownEdits: readonly OwnEdit[];
};

/** What came of it, in the order in which it is applied: paths that are as they were are left out. */
export type Judged = { readonly paths: readonly JudgedPath[]; readonly moves: readonly Stands[] };
export type JudgedPath = PushJudged & { readonly path: string };

/** Files by path. */
export type FilesAt = Readonly<Record<string, FileAtHead | null>>;

/** What the open proposals of a pull request ask to be judged. */
export function toJudge({ run, proposals }: Pull): Judging {
  return judgingOf(run, openProposals(proposals));
}

/** What these proposals of a pull request with that run ask to be judged. A move comes after all paths. */
export function judgingOf(run: Pull['run'], proposals: readonly Pick<Proposal, 'id' | 'change'>[]): Judging {
  const waiting = proposals.map(({ id, change }) => ({ id, change: judgeable(change) }));
  const moves = waiting.filter(({ change }) => change.op === 'move');
  const byPath = Map.groupBy(
    waiting.filter((one) => !moves.includes(one)),
    ({ change }) => change.path,
  );
  const paths = [...byPath].map(([path, those]) => ({ path, waiting: those, ownEdits: ownEditsOf(run, path) }));
  return { paths, moves };
}

/** What somebody did to a path; null where it is as it was. */
export function pushAt(
  { waiting, ownEdits }: WaitingAt,
  before: FileAtHead | null,
  now: FileAtHead | null,
): Push | null {
  return before?.blob === now?.blob && before?.mode === now?.mode ? null : { before, now, waiting, ownEdits };
}

/** How a move stands at a head: blobs and modes tell. */
export function moveAt({ id, change }: Waiting, files: FilesAt): Stands {
  const [file, source] = [files[change.path] ?? null, files[sourcePath(change)] ?? null];
  return { id, standing: withoutLines(judge({ change, file, source, ownEdits: [] })) };
}

/** All of it at once, where the files are at hand. */
export function judgedFrom({ paths, moves }: Judging, atBase: FilesAt, atHead: FilesAt): Judged {
  return {
    paths: paths.flatMap((at) => {
      const push = pushAt(at, atBase[at.path] ?? null, atHead[at.path] ?? null);
      return push === null ? [] : [{ path: at.path, ...judgePush(push) }];
    }),
    moves: moves.map((one) => moveAt(one, atHead)),
  };
}
