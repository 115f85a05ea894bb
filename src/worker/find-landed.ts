import { blobSha } from '../change/blob.ts';
import type { Region } from '../change/change.ts';
import { composeFile, type LineRange } from '../change/range.ts';
import { decodeText, encodeText } from '../change/text.ts';
import type { Tree } from '../policy/tree.ts';
import { findTrailers } from '../render/commit-message.ts';
import type { Proposal } from '../run/proposal.ts';
import type { CommittedFile, Signal } from '../run/signal.ts';
import type { CommitNote, GitHub } from './ports.ts';

type Committed = Extract<Signal, { type: 'committed' }>;
/** A change of ours as a commit's trailers tell of it. */
type Landed = { readonly proposal: Proposal; readonly range: LineRange | null };
/** The trees of a commit and of its parent. */
type Trees = { readonly before: Tree; readonly after: Tree };

/** A commit on the branch that carries trailers of these proposals: an earlier attempt whose answer was lost. */
export async function findLanded(
  github: GitHub,
  mine: readonly Proposal[],
  { headSha, botId }: { readonly headSha: string; readonly botId: number },
): Promise<Committed | null> {
  const [first] = mine;
  if (first === undefined) return null;
  for (const note of await github.commits(first.head, headSha)) {
    const landed = note.authorId === botId ? landedIn(note, mine) : [];
    // Author and trailers are whatever somebody writes into a commit. What it does to the files is what proves it ours.
    const files = landed.length === 0 ? null : await filesOf(github, note, landed);
    if (files === null) continue;
    const proposalIds = landed.map(({ proposal }) => proposal.id);
    return { type: 'committed', runId: first.runId, sha: note.sha, proposalIds, files };
  }
  return null;
}

function landedIn({ message }: CommitNote, mine: readonly Proposal[]): readonly Landed[] {
  return findTrailers(message).flatMap(({ proposalId, range }) => {
    const proposal = mine.find((one) => one.id === proposalId);
    return proposal === undefined ? [] : [{ proposal, range }];
  });
}

/** What the commit did to each path; null where that is anything else than the approved changes, all of them. */
async function filesOf(
  github: GitHub,
  note: CommitNote,
  landed: readonly Landed[],
): Promise<readonly CommittedFile[] | null> {
  if (note.parent === null) return null;
  const trees = { before: await github.tree(note.parent), after: await github.tree(note.sha) };
  const byPath = Map.groupBy(landed, ({ proposal }) => proposal.change.path);
  if (!sameElsewhere(trees, new Set(byPath.keys()))) return null;
  const files: CommittedFile[] = [];
  for (const [path, changes] of byPath) {
    const file = await fileOf(github, trees, path, changes);
    if (file === null) return null;
    files.push(file);
  }
  return files;
}

const DIRECTORY = '040000';

function sameElsewhere({ before, after }: Trees, paths: ReadonlySet<string>): boolean {
  const same = (one: Tree, other: Tree): boolean =>
    [...one].every(([path, { sha, mode }]) => mode === DIRECTORY || paths.has(path) || other.get(path)?.sha === sha);
  return same(before, after) && same(after, before);
}

async function fileOf(
  github: GitHub,
  { before, after }: Trees,
  path: string,
  changes: readonly Landed[],
): Promise<CommittedFile | null> {
  const [old, blob] = [before.get(path)?.sha ?? null, after.get(path)?.sha];
  const ranges = changes.flatMap(({ range }) => range ?? []);
  if (blob === undefined || ranges.length < changes.length) return null;
  const text = old === null ? '' : textOf(await github.blob(old));
  if (text === null || composed(text, changes) !== blob) return null;
  return { path, before: old, after: blob, ranges };
}

function textOf(bytes: Uint8Array): string | null {
  const decoded = decodeText(bytes);
  return decoded.kind === 'text' ? decoded.text : null;
}

/** The blob that the approved changes make of the parent's file where the trailers say; null where they do not fit. */
function composed(text: string, changes: readonly Landed[]): string | null {
  const regions = changes.flatMap(regionAt);
  if (regions.length < changes.length) return null;
  try {
    return blobSha(encodeText(composeFile(text, regions).text));
  } catch {
    return null;
  }
}

function regionAt({ proposal, range }: Landed): readonly Region[] {
  const { region } = proposal.change;
  if (region === null || range === null) return [];
  return [{ ...region, oldStart: range.oldStart, newStart: range.newStart }];
}
