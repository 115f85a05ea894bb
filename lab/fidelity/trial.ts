import type { GitObjectStore } from '../../fakes/github/git/objects.ts';
import { type VerifiedChange, verifyCommit } from '../../src/cli/verify/check-commit.ts';
import { blobSha } from '../../src/core/edits/text/characters.ts';
import type { ToolCall } from '../../src/core/state/conversation.ts';
import type { Proposal } from '../../src/core/state/proposal.ts';
import { singleChange } from '../shared/single-change.ts';
import { storedCommit, storedRepository } from '../shared/stored-repository.ts';
import {
  type ApplyMethod,
  type ComparisonResult,
  countRefusal,
  countResult,
  type FidelityTotals,
  normalizeReason,
} from './report.ts';
import type { CommitFileChange } from './changes.ts';
import { readCommittedFile, type Session } from './session.ts';
import type { DerivedCalls } from './tool-calls.ts';

/** A change and its posted proposal. */
export type PostedChange = { readonly change: CommitFileChange; readonly proposal: Proposal };

/** A method of applying changes, in one session. Results are counted in `totals`. */
export type Trial = {
  readonly totals: FidelityTotals;
  readonly method: ApplyMethod;
  readonly session: Session;
};

type ChangeLocation = Pick<CommitFileChange, 'commit' | 'path'>;

const LINE_ENDING_REASON = 'line endings, a last newline or a byte order mark that this method cannot express';

function formatLocation({ commit, path }: ChangeLocation): string {
  return `${commit} ${path}`;
}

/** Counts a change that was not proposed or not applied. `answer` is the reply of the App or the output of the tool. */
export function recordRefusal(totals: FidelityTotals, change: ChangeLocation, answer: string): void {
  countRefusal(totals, normalizeReason(answer, change.path), formatLocation(change));
}

/** Compares the file on the branch with the commit and with the shown proposal. Returns false for a mismatch. */
export function compareWithCommit(trial: Trial, posted: PostedChange, head: string): boolean {
  const { result, problem } = classifyResult(trial, posted, head);
  if (result === 'mismatch') recordMismatch(trial, posted.change, problem);
  else countResult(trial.totals, trial.method, result);
  if (result === 'endings') recordRefusal(trial.totals, posted.change, `${trial.method}: ${LINE_ENDING_REASON}`);
  return result !== 'mismatch';
}

/** After an undo, compares bytes and mode with the file before the change. */
export function compareWithOriginal(trial: Trial, { change }: PostedChange, head: string): void {
  const { path, from, before } = change;
  const source = from ?? path;
  const restored = readCommittedFile(trial.session.state(), head, source);
  if (source !== path && readCommittedFile(trial.session.state(), head, path) !== null)
    recordMismatch(trial, change, 'the file is still at its new path');
  else if (!sameBytes(restored?.bytes ?? null, before?.bytes ?? null))
    recordMismatch(trial, change, 'the undo restored other bytes');
  else if (restored?.mode !== before?.mode) recordMismatch(trial, change, `the undo restored mode ${restored?.mode}`);
  else countResult(trial.totals, trial.method, 'exact');
}

function classifyResult(
  { method, session }: Trial,
  { change, proposal }: PostedChange,
  head: string,
): { readonly result: ComparisonResult; readonly problem: string } {
  const state = session.state();
  const file = readCommittedFile(state, head, change.path);
  const actual = file?.bytes ?? null;
  const expected = change.after?.bytes ?? null;
  const isAtOldPath = change.from !== null && readCommittedFile(state, head, change.from) !== null;
  if (isAtOldPath) return { result: 'mismatch', problem: 'the file is still at its old path' };
  // No tool can change a mode: a file keeps its own, and a new one is not executable.
  if (file !== null && file.mode !== (change.before?.mode ?? '100644'))
    return { result: 'mismatch', problem: `the file has mode ${file.mode}` };
  if (sameBytes(actual, expected)) return { result: 'exact', problem: '' };
  // These methods change the file to other bytes than one proposal shows.
  const shownBlob =
    method === 'user edit' || method === 'approve by hunk'
      ? null
      : (singleChange(proposal.change).result?.blob ?? null);
  const problem = `${proposal.change.op} wrote other bytes; the proposal was ${proposal.state} when posted`;
  return { result: classifyInexact(actual, expected, shownBlob), problem };
}

function sameBytes(left: Uint8Array | null, right: Uint8Array | null): boolean {
  return left === null || right === null ? left === right : Buffer.compare(left, right) === 0;
}

/** Tools and people cannot express line endings, the last newline and the byte order mark. */
function classifyInexact(
  actual: Uint8Array | null,
  expected: Uint8Array | null,
  shownBlob: string | null,
): ComparisonResult {
  if (actual === null || expected === null) return 'mismatch';
  const normalize = (bytes: Uint8Array): string =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/^\u{EF}\u{BB}\u{BF}/u, '')
      .replaceAll('\r\n', '\n');
  const isAsShown = shownBlob === null || blobSha(actual) === shownBlob;
  const [left, right] = [normalize(actual), normalize(expected)];
  const isEqual = left === right || `${left}\n` === right || left === `${right}\n`;
  return isAsShown && isEqual ? 'endings' : 'mismatch';
}

export function recordMismatch({ totals, method }: Trial, { commit, path }: ChangeLocation, problem: string): void {
  countResult(totals, method, 'mismatch');
  totals.mismatches.push({ commit, path, method, problem });
}

/** A change and the tool calls that request it. The call `callId` becomes the proposal. */
export type RequestedChange = {
  readonly change: CommitFileChange;
  readonly calls: readonly ToolCall[];
  readonly callId: string;
};

/** None if the change has no calls; the reason is counted. */
export function toRequestedChanges(
  derived: DerivedCalls | null,
  change: CommitFileChange,
  totals: FidelityTotals,
): readonly RequestedChange[] {
  if (derived === null) return [];
  if (derived.kind === 'calls') return [{ change, calls: derived.calls, callId: derived.callId }];
  countRefusal(totals, derived.reason, formatLocation(change));
  return [];
}

/** The requested changes whose proposals were posted. */
export async function findPostedChanges(
  session: Session,
  requested: readonly RequestedChange[],
): Promise<readonly PostedChange[]> {
  const { proposals } = await session.loadPull();
  return requested.flatMap(({ change, callId }) => {
    const proposal = proposals.find((one) => isFromCall(one, callId) && one.comment !== null);
    return proposal === undefined ? [] : [{ change, proposal }];
  });
}

export function isFromCall({ origin }: Proposal, callId: string): boolean {
  return origin.kind === 'call' && origin.calls.some((call) => call.callId === callId);
}

/** Runs `countersign verify` on the commits after `since` up to `head`. */
async function verifyBranch(store: GitObjectStore, since: string, head: string): Promise<readonly VerifiedChange[]> {
  const rows: VerifiedChange[] = [];
  for (let id = head; id !== since; ) {
    const commit = storedCommit(store, id);
    rows.push(...(await verifyCommit(storedRepository(store), commit, { slug: 'countersign', host: 'github.com' })));
    const [parent] = commit.parents;
    if (parent === undefined) break;
    id = parent;
  }
  return rows;
}

/** Checks with `countersign verify` that commit trailers name each change, and records mismatches. */
export async function verifyChanges(trial: Trial, posted: readonly PostedChange[], since: string): Promise<void> {
  const { session, totals } = trial;
  const rows = await verifyBranch(session.state().store, since, session.pullRequest().head.sha);
  for (const { path, result, problem } of rows) {
    if (result === 'ok') totals.verified += 1;
    else recordMismatch(trial, findChangeAt(posted, path), `countersign verify: ${problem}`);
  }
  for (const { change, proposal } of posted) {
    const found = rows.some((row) => row.proposal === proposal.id && row.path === singleChange(proposal.change).path);
    if (!found) recordMismatch(trial, change, 'countersign verify: no commit names it');
  }
}

/** The commit is `?` if no posted change has this path. */
function findChangeAt(posted: readonly PostedChange[], path: string | null): ChangeLocation {
  const found = posted.find(({ change }) => change.path === path || (path !== null && change.from === path));
  return found?.change ?? { commit: '?', path: path ?? '?' };
}
