import { type GitObjectStore, readGitCommit } from '../../fakes/github/git/objects.ts';
import { type VerifiedChange, verifyCommit } from '../../src/cli/verify/check-commit.ts';
import { blobSha } from '../../src/core/edits/text/characters.ts';
import type { ToolCall } from '../../src/core/state/conversation.ts';
import type { Proposal } from '../../src/core/state/proposal.ts';
import { toGitObjects } from '../simulation/world/simulated-github.ts';
import {
  type ApplyMethod,
  type ComparisonResult,
  countRefusal,
  countResult,
  type FidelityTotals,
  normalizeReason,
} from './report.ts';
import type { CommitFileChange } from './samples.ts';
import { readCommittedFile, type Session } from './session.ts';
import type { DerivedCalls } from './tool-calls.ts';

/** A change with the proposal that came of it. */
export type PostedChange = { readonly change: CommitFileChange; readonly proposal: Proposal };

/** One way to make changes, in the session where they are made. */
export type Trial = {
  readonly tally: FidelityTotals;
  readonly method: ApplyMethod;
  readonly session: Session;
};

/** A change as people would look for it. */
type ChangeLocation = Pick<CommitFileChange, 'commit' | 'path'>;

const LINE_ENDING_REASON = 'line ends, a last newline or a byte order mark that this way cannot say';

function formatLocation({ commit, path }: ChangeLocation): string {
  return `${commit} ${path}`;
}

/** Counts what was not proposed or not made, with the words that people were told. */
export function recordRefusal(totals: FidelityTotals, change: ChangeLocation, words: string): void {
  countRefusal(totals, normalizeReason(words, change.path), formatLocation(change));
}

/** Compares a file on the branch with the commit's, and with what the App showed. False for a mismatch. */
export function compareWithCommit(trial: Trial, posted: PostedChange, head: string): boolean {
  const { outcome, what } = classifyResult(trial, posted, head);
  if (outcome === 'mismatch') recordMismatch(trial, posted.change, what);
  else countResult(trial.tally, trial.method, outcome);
  if (outcome === 'endings') recordRefusal(trial.tally, posted.change, `${trial.method}: ${LINE_ENDING_REASON}`);
  return outcome !== 'mismatch';
}

/** Compares all that a change touched with what stood there before it, the mode too. */
export function compareWithOriginal(trial: Trial, { change }: PostedChange, head: string): void {
  const { path, from, before } = change;
  const source = from ?? path;
  const back = readCommittedFile(trial.session.state(), head, source);
  if (source !== path && readCommittedFile(trial.session.state(), head, path) !== null)
    recordMismatch(trial, change, 'the file is still where it was moved to');
  else if (!sameBytes(back?.bytes ?? null, before?.bytes ?? null))
    recordMismatch(trial, change, 'other bytes came back');
  else if (back?.mode !== before?.mode) recordMismatch(trial, change, `it came back with the mode ${back?.mode}`);
  else countResult(trial.tally, trial.method, 'exact');
}

function classifyResult(
  { method, session }: Trial,
  { change, proposal }: PostedChange,
  head: string,
): { readonly outcome: ComparisonResult; readonly what: string } {
  const world = session.state();
  const stands = readCommittedFile(world, head, change.path);
  const made = stands?.bytes ?? null;
  const wanted = change.after?.bytes ?? null;
  const isLeft = change.from !== null && readCommittedFile(world, head, change.from) !== null;
  if (isLeft) return { outcome: 'mismatch', what: 'the file is still at its old path' };
  // No tool can change a mode: a file keeps its own, and a new one is not executable.
  if (stands !== null && stands.mode !== (change.before?.mode ?? '100644'))
    return { outcome: 'mismatch', what: `the file has the mode ${stands.mode}` };
  if (sameBytes(made, wanted)) return { outcome: 'exact', what: '' };
  const shown = method === 'user edit' || method === 'approve by hunk' ? null : (proposal.change.result?.blob ?? null);
  const what = `${proposal.change.op} made other bytes; when it was posted it was ${proposal.state}`;
  return { outcome: classifyInexact(made, wanted, shown), what };
}

function sameBytes(left: Uint8Array | null, right: Uint8Array | null): boolean {
  return left === null || right === null ? left === right : Buffer.compare(left, right) === 0;
}

/** Line endings, the last newline and the byte order mark are what tools and people cannot say. */
function classifyInexact(made: Uint8Array | null, wanted: Uint8Array | null, shown: string | null): ComparisonResult {
  if (made === null || wanted === null) return 'mismatch';
  const bare = (bytes: Uint8Array): string =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/^\u{EF}\u{BB}\u{BF}/u, '')
      .replaceAll('\r\n', '\n');
  const asShown = shown === null || blobSha(made) === shown;
  const [left, right] = [bare(made), bare(wanted)];
  const isLike = left === right || `${left}\n` === right || left === `${right}\n`;
  return asShown && isLike ? 'endings' : 'mismatch';
}

/** Counts what must not be. */
export function recordMismatch(
  { tally: totals, method }: Trial,
  { commit, path }: ChangeLocation,
  problem: string,
): void {
  countResult(totals, method, 'mismatch');
  totals.mismatches.push({ commit, path, method, problem });
}

/** A change with the calls that ask for it; `callId` is the one that becomes the proposal. */
export type RequestedChange = {
  readonly change: CommitFileChange;
  readonly calls: readonly ToolCall[];
  readonly callId: string;
};

/** What a model asks for; where there is nothing, it is counted why. */
export function requestChange(
  derived: DerivedCalls | null,
  change: CommitFileChange,
  totals: FidelityTotals,
): readonly RequestedChange[] {
  if (derived === null) return [];
  if (derived.kind === 'calls') return [{ change, calls: derived.calls, callId: derived.callId }];
  countRefusal(totals, derived.reason, formatLocation(change));
  return [];
}

/** The proposals that were posted. */
export async function findPostedChanges(
  session: Session,
  requested: readonly RequestedChange[],
): Promise<readonly PostedChange[]> {
  const { proposals } = await session.pull();
  return requested.flatMap(({ change, callId }) => {
    const proposal = proposals.find((one) => isFromCall(one, callId) && one.comment !== null);
    return proposal === undefined ? [] : [{ change, proposal }];
  });
}

/** Whether a proposal is what became of a call. */
export function isFromCall({ origin }: Proposal, callId: string): boolean {
  return origin.kind === 'call' && origin.callId === callId;
}

/** What `countersign verify` says of the commits from `since` (left out) to `head` of a simulated repository. */
async function verifyBranch(store: GitObjectStore, since: string, head: string): Promise<readonly VerifiedChange[]> {
  const rows: VerifiedChange[] = [];
  for (let id = head; id !== since; ) {
    const parents = readGitCommit(store, id)?.parents ?? [];
    rows.push(...(await verifyCommit(toGitObjects(store), { id, parents }, { slug: 'countersign', strict: false })));
    const [parent] = parents;
    if (parent === undefined) break;
    id = parent;
  }
  return rows;
}

/** Each change must stand on the branch once, under its trailers, as `countersign verify` sees it. */
export async function verifyChanges(trial: Trial, posted: readonly PostedChange[], since: string): Promise<void> {
  const { session, tally: totals } = trial;
  const rows = await verifyBranch(session.state().store, since, session.pullRequest().head.sha);
  for (const { path, result, problem } of rows) {
    if (result === 'ok') totals.verified += 1;
    else recordMismatch(trial, findChangeAt(posted, path), `countersign verify: ${problem}`);
  }
  for (const { change, proposal } of posted) {
    const found = rows.some((row) => row.proposal === proposal.id && row.path === proposal.change.path);
    if (!found) recordMismatch(trial, change, 'countersign verify: no commit names it');
  }
}

/** The change of a path; of one that nobody asked for there is no commit. */
function findChangeAt(posted: readonly PostedChange[], path: string | null): ChangeLocation {
  const found = posted.find(({ change }) => change.path === path || (path !== null && change.from === path));
  return found?.change ?? { commit: '?', path: path ?? '?' };
}
