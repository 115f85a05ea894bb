import { commitSuggestion } from '../../fakes/people/commit-suggestion.ts';
import { userEditRange } from '../../src/core/edits/build/user-edit.ts';
import { decodeText } from '../../src/core/edits/text/characters.ts';
import { splitLines, withoutLineEnding } from '../../src/core/edits/text/lines.ts';
import { fenceFor } from '../../src/core/edits/text/unicode.ts';
import { countResult, createTotals, type FidelityTotals } from './report.ts';
import { type CommitFileChange, MAX_CHANGES_PER_SAMPLE, type Sample } from './changes.ts';
import { type Session, startSession } from './session.ts';
import { deriveCalls, deriveHunkCalls, deriveVariant } from './tool-calls.ts';
import {
  compareWithCommit,
  compareWithOriginal,
  findPostedChanges,
  isFromCall,
  type PostedChange,
  type RequestedChange,
  recordMismatch,
  recordRefusal,
  type Trial,
  toRequestedChanges,
  verifyChanges,
} from './trial.ts';

/**
 * Proposes the changes of a sample, applies each by every method, undoes them, and counts the results. An error of the
 * App counts as a mismatch of all changes.
 */
export async function trySample(sample: Sample): Promise<FidelityTotals> {
  const totals = createTotals();
  try {
    await tryAllMethods(sample, totals);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    for (const { commit, path } of sample.changes) totals.mismatches.push({ commit, path, method: null, problem });
  }
  return totals;
}

async function tryAllMethods(sample: Sample, totals: FidelityTotals): Promise<void> {
  const requested = sample.changes.flatMap((change, index) =>
    toRequestedChanges(deriveCalls(change, `c${index}`), change, totals),
  );
  totals.changes += sample.changes.length;
  if (requested.length === 0) return;
  const session = await startRequestSession(sample, requested);
  const posted = await findPostedChanges(session, requested);
  const toolOutputs = await session.loadToolOutputs();
  for (const { change, callId } of requested) {
    const proposal = posted.find(({ proposal: one }) => isFromCall(one, callId))?.proposal;
    if (proposal === undefined) recordRefusal(totals, change, toolOutputs.get(callId) ?? 'not posted');
  }
  commitSuggestions(session, posted, totals);
  await tryUndo({ totals, method: 'undo', session }, await approveAll(session, posted, totals));
  await tryUserEdits(sample, totals);
  await tryHunks(sample, totals);
}

function startRequestSession({ files }: Sample, requested: readonly RequestedChange[]): Promise<Session> {
  return startSession(
    files,
    requested.flatMap(({ calls }) => calls),
  );
}

/** Commits each suggestion on the unchanged pull request. The state is immutable, so the session does not change. */
function commitSuggestions(session: Session, posted: readonly PostedChange[], totals: FidelityTotals): void {
  const trial: Trial = { totals, method: 'button', session };
  const [state, pull] = [session.state(), session.pullRequest()];
  for (const { change, proposal } of posted) {
    if (proposal.placement?.kind !== 'suggestion' || proposal.comment === null) continue;
    const target = { actor: session.ana.actor, repositoryId: pull.head.repositoryId, number: pull.number };
    const outcome = commitSuggestion(state, { ...target, commentIds: [proposal.comment.id] }, Date.UTC(2026, 1, 1));
    if (outcome.ok) compareWithCommit(trial, { change, proposal }, outcome.value);
    else recordMismatch(trial, change, outcome.error.message);
  }
}

/** Returns the changes that were applied without a mismatch. */
async function approveAll(
  session: Session,
  posted: readonly PostedChange[],
  totals: FidelityTotals,
): Promise<readonly PostedChange[]> {
  if (posted.length === 0) return [];
  const trial: Trial = { totals, method: 'approve', session };
  const before = session.pullRequest().head.sha;
  session.ana.says('/approve all');
  await session.settle();
  const applied = posted.filter((one) => compareWithCommit(trial, one, session.pullRequest().head.sha));
  await verifyChanges(trial, posted, before);
  return applied;
}

/** In a new session each proposal has an extra line, and the person replaces it by a suggestion without that line. */
async function tryUserEdits(sample: Sample, totals: FidelityTotals): Promise<void> {
  const requested = sample.changes.flatMap((change, index) =>
    // The original change was counted with the same reason already.
    toRequestedChanges(deriveVariant(change, `o${index}`), change, createTotals()),
  );
  if (requested.length === 0) return;
  const session = await startRequestSession(sample, requested);
  for (const one of await findPostedChanges(session, requested)) await postUserEdit(session, one, totals);
}

/** GitHub's limit, in characters. */
const MAX_COMMENT_LENGTH = 65_536;

async function postUserEdit(session: Session, posted: PostedChange, totals: FidelityTotals): Promise<void> {
  const { proposal } = posted;
  const lines = userEditLines(posted);
  if (lines === null || proposal.comment === null || proposal.comment.kind === 'issue-comment') return;
  const trial: Trial = { totals, method: 'user edit', session };
  const before = session.pullRequest().head.sha;
  const fence = fenceFor(lines.join('\n'));
  const body = [`${fence}suggestion`, ...lines, fence].join('\n');
  if (body.length > MAX_COMMENT_LENGTH) return;
  const reply = session.ana.replies(proposal.comment.id, body);
  await session.settle();
  const { sha } = session.pullRequest().head;
  if (sha === before) return recordNotApplied(trial, posted, reply.id);
  compareWithCommit(trial, posted, sha);
  await verifyChanges(trial, [posted], before);
}

/** A refusal is no mismatch: the App answers with the reason. */
function recordNotApplied({ totals, session }: Trial, { change }: PostedChange, replyId: number): void {
  const answer = [...session.pullRequest().reviewComments.values()].findLast(({ id }) => id > replyId);
  countResult(totals, 'user edit', 'refused');
  recordRefusal(totals, change, `user edit: ${visibleText(answer)}`);
}

/** The text of a comment without the App's marker. */
function visibleText(comment: { readonly body: string } | undefined): string {
  return comment?.body.replace(/^<!--.*-->\s*/, '') ?? 'no answer';
}

/** The commit's lines in the proposal's range; null if other lines differ too, or a comment cannot express them. */
function userEditLines({ change, proposal }: PostedChange): readonly string[] | null {
  const range = proposal.placement === null ? null : userEditRange(proposal.placement);
  const [before, after] = [versionLines(change.before), versionLines(change.after)];
  if (range === null || before === null || after === null) return null;
  const linesAfterRange = before.length - range.index - range.count;
  const lines = after.slice(range.index, after.length - linesAfterRange);
  const edited = [...before.slice(0, range.index), ...lines, ...before.slice(before.length - linesAfterRange)];
  if (linesAfterRange < 0 || edited.join('') !== after.join('')) return null;
  const withoutEndings = lines.map(withoutLineEnding);
  // In a comment a lone CR ends a line.
  return withoutEndings.some((line) => line.includes('\r')) ? null : withoutEndings;
}

function versionLines(version: CommitFileChange['before']): readonly string[] | null {
  if (version === null) return [];
  const decoded = decodeText(version.bytes);
  return decoded.kind === 'text' ? splitLines(decoded.text) : null;
}

/** In a new session each hunk is a proposal that is approved alone, so that each commit moves the others. */
async function tryHunks(sample: Sample, totals: FidelityTotals): Promise<void> {
  const requested = requestHunks(sample);
  if (requested.length === 0) return;
  const session = await startRequestSession(sample, requested);
  const trial: Trial = { totals, method: 'approve by hunk', session };
  const posted = await keepCompleteChanges(trial, requested);
  if (posted.length === 0) return;
  const before = session.pullRequest().head.sha;
  for (const { proposal } of shuffleOrder(posted)) {
    session.ana.says(`/approve ${proposal.id}`);
    await session.settle();
  }
  const applied = posted.filter(
    (one) => isFirstOfChange(one, posted) && compareWithCommit(trial, one, session.pullRequest().head.sha),
  );
  await verifyChanges(trial, posted, before);
  const appliedChanges = applied.map(({ change }) => change);
  const toUndo = posted.filter(({ change }) => appliedChanges.includes(change));
  await tryUndo({ ...trial, method: 'undo by hunk' }, toUndo);
}

/** The hunks of the first changes, as many as one response may contain. */
function requestHunks({ changes }: Sample): readonly RequestedChange[] {
  const requested: RequestedChange[] = [];
  for (const [index, change] of changes.entries()) {
    const calls = deriveHunkCalls(change, `h${index}`);
    if (requested.length + calls.length > MAX_CHANGES_PER_SAMPLE) break;
    requested.push(...calls.map((call) => ({ change, calls: [call], callId: call.id })));
  }
  return requested;
}

/** Keeps changes whose hunks were all posted, and records the refusal of the others. */
async function keepCompleteChanges(
  trial: Trial,
  requested: readonly RequestedChange[],
): Promise<readonly PostedChange[]> {
  const { session, totals } = trial;
  const posted = await findPostedChanges(session, requested);
  const toolOutputs = await session.loadToolOutputs();
  const postedCalls = new Set(
    posted.flatMap(({ proposal: { origin } }) =>
      origin.kind === 'call' ? origin.calls.map(({ callId }) => callId) : [],
    ),
  );
  const partial = new Set<CommitFileChange>();
  for (const { change, callId } of requested) {
    if (postedCalls.has(callId)) continue;
    if (!partial.has(change)) recordRefusal(totals, change, `by hunk: ${toolOutputs.get(callId) ?? 'not posted'}`);
    partial.add(change);
  }
  return posted.filter(({ change }) => !partial.has(change));
}

/** Every second one first, then the others in reverse order. */
function shuffleOrder(posted: readonly PostedChange[]): readonly PostedChange[] {
  return [...posted.filter((_, index) => index % 2 === 1), ...posted.filter((_, index) => index % 2 === 0).reverse()];
}

function isFirstOfChange({ change, proposal }: PostedChange, posted: readonly PostedChange[]): boolean {
  return posted.find((other) => other.change === change)?.proposal === proposal;
}

/** Undoes the applied changes, with one approval for all, and compares the files with those before the changes. */
async function tryUndo(trial: Trial, applied: readonly PostedChange[]): Promise<void> {
  const { session } = trial;
  const undos: PostedChange[] = [];
  for (const one of applied) undos.push(...(await requestUndo(trial, one)));
  if (undos.length === 0) return;
  const before = session.pullRequest().head.sha;
  session.ana.says('/approve all');
  await session.settle();
  for (const one of undos) compareWithOriginal(trial, one, session.pullRequest().head.sha);
  await verifyChanges(trial, undos, before);
}

/** The change with the proposal of its undo; none if the App refused it. */
async function requestUndo(trial: Trial, { change, proposal: { id } }: PostedChange): Promise<readonly PostedChange[]> {
  const { session, totals, method } = trial;
  const command = session.ana.says(`/undo ${id}`);
  await session.settle();
  const { proposals } = await session.loadPull();
  const undo = proposals.find(
    ({ origin, comment }) => origin.kind === 'undo' && origin.undoneProposalId === id && comment !== null,
  );
  if (undo !== undefined) return [{ change, proposal: undo }];
  const answer = [...session.pullRequest().comments.values()].findLast((comment) => comment.id > command.id);
  countResult(totals, method, 'refused');
  recordRefusal(totals, change, `${method}: ${visibleText(answer)}`);
  return [];
}
