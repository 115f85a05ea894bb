import { blobSha } from '../change/blob.ts';
import type { BlobRef, Change, Region } from '../change/change.ts';
import { composeFile, formatRange, rangeOf } from '../change/range.ts';
import { decodeText, encodeText } from '../change/text.ts';
import { restores, sourcePath, takesWhole, touchedPaths } from '../change/touched.ts';
import { changedPaths } from '../policy/as-approved.ts';
import type { Tree, TreeEntry } from '../policy/tree.ts';
import { findTrailers } from '../render/read-trailers.ts';
import type { PullFacts } from '../run/facts.ts';
import type { Made, Proposal } from '../run/proposal.ts';
import type { CommittedFile, Signal } from '../run/signal.ts';
import { type CommitNote, type GitHub, GitHubFault } from './ports.ts';

type Committed = Extract<Signal, { type: 'committed' }>;
/** A change of ours as a commit's trailers tell of it. */
type Landed = { readonly proposal: Proposal } & Made;
/** Changes that are looked for, and all of their pull request that are known. */
type Sought = { readonly mine: readonly Proposal[]; readonly all: readonly Proposal[] };
/** The trees of a commit and of its parent. */
type Trees = { readonly before: Tree; readonly after: Tree };

/**
 * A commit on the branch that carries trailers of these proposals: an earlier attempt whose answer was lost, perhaps of
 * another effect, which made more than these. What a pull request shows as its head stays as it was when it was closed, and
 * a commit that was under way may land after that: then the branch itself is looked at too.
 */
export async function findLanded(
  github: GitHub,
  sought: Sought,
  { pull, botId }: { readonly pull: PullFacts; readonly botId: number },
): Promise<Committed | null> {
  const shown = await landedBefore(github, sought, pull.headSha, botId);
  if (shown !== null || pull.state === 'open') return shown;
  return landedBefore(github, sought, pull.headRef, botId).catch(unlessGone);
}

/** The branch of a closed pull request is often deleted. */
function unlessGone(error: unknown): null {
  if (error instanceof GitHubFault && error.status === 404) return null;
  throw error;
}

/** The same among the commits up to `tip`, a commit or a branch. */
export async function landedBefore(
  github: GitHub,
  sought: Sought,
  tip: string,
  botId: number,
): Promise<Committed | null> {
  const [first] = sought.mine;
  if (first === undefined) return null;
  for (const note of await github.commits(first.head, tip)) {
    const landed = note.authorId === botId ? landedIn(note, sought) : [];
    // Author and trailers are whatever somebody writes into a commit. What it does to the files is what proves it ours.
    const files = landed.length === 0 ? null : await filesOf(github, note, landed);
    if (files === null) continue;
    const proposalIds = landed.map(({ proposal }) => proposal.id);
    const made = Object.fromEntries(landed.map(({ proposal, digest, range }) => [proposal.id, { digest, range }]));
    return { type: 'committed', runId: first.runId, sha: note.sha, ...parentOf(note), proposalIds, made, files };
  }
  return null;
}

/** A commit's parent, as a signal tells of it. */
export function parentOf({ parent }: CommitNote): Pick<Committed, 'parent'> {
  return parent === null ? {} : { parent };
}

/** All changes of the pull request that the commit tells of, where one of those that are sought is among them. */
function landedIn({ message }: CommitNote, { mine, all }: Sought): readonly Landed[] {
  const landed = findTrailers(message).flatMap(({ proposalId, digest, range }) => {
    const proposal = all.find((one) => one.id === proposalId);
    return proposal === undefined ? [] : [{ proposal, digest, range }];
  });
  return landed.some(({ proposal }) => mine.some(({ id }) => id === proposal.id)) ? landed : [];
}

/** What the commit did to each path; null where that is anything else than the approved changes, all of them. */
async function filesOf(
  github: GitHub,
  note: CommitNote,
  landed: readonly Landed[],
): Promise<readonly CommittedFile[] | null> {
  if (note.parent === null) return null;
  const trees = { before: await github.tree(note.parent), after: await github.tree(note.sha) };
  const touched = new Set(landed.flatMap(({ proposal }) => touchedPaths(proposal.change)));
  if (changedPaths(trees.before, trees.after).some((path) => !touched.has(path))) return null;
  const whole = landed.filter(({ proposal }) => takesWhole(proposal.change)).map((one) => wholeFilesOf(trees, one));
  const byPath = Map.groupBy(
    landed.filter(({ proposal }) => !takesWhole(proposal.change)),
    ({ proposal }) => proposal.change.path,
  );
  const files: (readonly CommittedFile[] | null)[] = [...whole];
  for (const [path, changes] of byPath) {
    const file = await fileOf(github, trees, path, changes);
    files.push(file === null ? null : [file]);
  }
  return files.includes(null) ? null : files.flatMap((some) => some ?? []);
}

/** What a deletion, a move or a file's return did; null where it is not exactly the one that was approved. */
function wholeFilesOf({ before, after }: Trees, { proposal, range }: Landed): readonly CommittedFile[] | null {
  const { path, base, result, region } = proposal.change;
  if (restores(proposal.change)) return range === null ? cameBack(before, after, proposal.change) : null;
  const source = sourcePath(proposal.change);
  const gone = isFile(before.get(source), base) && !after.has(source);
  const ranges = range === null ? [] : [range];
  const shown =
    region === null ? range === null : range !== null && formatRange(range) === formatRange(rangeOf(region));
  if (base === null || !gone || !shown) return null;
  const left = { path: source, before: base.blob, after: null, ranges };
  if (result === null) return [left];
  const moved = !before.has(path) && isFile(after.get(path), result);
  return moved ? [left, { path, before: null, after: result.blob, ranges: [] }] : null;
}

function cameBack(before: Tree, after: Tree, { path, result }: Change): readonly CommittedFile[] | null {
  if (before.has(path) || !isFile(after.get(path), result)) return null;
  return [{ path, before: null, after: result?.blob ?? null, ranges: [] }];
}

function isFile(entry: TreeEntry | undefined, ref: BlobRef | null): boolean {
  return entry !== undefined && entry.sha === ref?.blob && entry.mode === ref.mode;
}

async function fileOf(
  github: GitHub,
  { before, after }: Trees,
  path: string,
  changes: readonly Landed[],
): Promise<CommittedFile | null> {
  const [old, blob] = [before.get(path)?.sha ?? null, after.get(path)?.sha];
  const ranges = changes.flatMap(({ range }) => range ?? []);
  if (blob === undefined || ranges.length < changes.length || !keepsMode(before.get(path), after.get(path), changes))
    return null;
  const text = old === null ? '' : textOf(await github.blob(old));
  if (text === null || composed(text, changes) !== blob) return null;
  return { path, before: old, after: blob, ranges };
}

/** A file keeps its mode; a new one has that of its change. */
function keepsMode(before: TreeEntry | undefined, after: TreeEntry | undefined, changes: readonly Landed[]): boolean {
  const mode = before?.mode ?? changes[0]?.proposal.change.result?.mode;
  return after?.mode === mode;
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
