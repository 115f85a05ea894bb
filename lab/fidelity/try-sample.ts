import { commitSuggestion } from '../../fakes/people/commit-suggestion.ts';
import { decodeText } from '../../src/core/edits/text/characters.ts';
import { splitLines, withoutLineEnding } from '../../src/core/edits/text/lines.ts';
import { fenceFor } from '../../src/core/edits/text/unicode.ts';
import { userEditRange } from '../../src/core/edits/user-edit.ts';
import { addTotals, countPosted, countResult, createTotals, type FidelityTotals } from './report.ts';
import { type CommitFileChange, MAX_CHANGES_PER_SAMPLE, type Sample } from './samples.ts';
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
  requestChange,
  type Trial,
  verifyChanges,
} from './trial.ts';

/** Lets the App propose the changes of a sample, makes each of them in every way that people have, takes back what was made, and counts. */
export async function trySample(sample: Sample): Promise<FidelityTotals> {
  const totals = createTotals();
  try {
    await tryAllMethods(sample, totals);
    return totals;
  } catch (error) {
    return sample.changes.length > 1 ? trySeparately(sample) : recordFailure(sample, error);
  }
}

/** What stopped all of them is the fault of one. */
async function trySeparately({ changes, files: fixture }: Sample): Promise<FidelityTotals> {
  const totals = createTotals();
  for (const change of changes) addTotals(totals, await trySample({ changes: [change], files: fixture }));
  return totals;
}

function recordFailure({ changes }: Sample, error: unknown): FidelityTotals {
  const totals = createTotals();
  const problem = error instanceof Error ? error.message : String(error);
  totals.changes = changes.length;
  for (const { commit, path } of changes) totals.mismatches.push({ commit, path, method: null, problem });
  return totals;
}

async function tryAllMethods(sample: Sample, totals: FidelityTotals): Promise<void> {
  const requested = sample.changes.flatMap((change, at) =>
    requestChange(deriveCalls(change, `c${at}`), change, totals),
  );
  totals.changes += sample.changes.length;
  if (requested.length === 0) return;
  const session = await startSession(
    sample.files,
    requested.flatMap(({ calls }) => calls),
  );
  const put = await findPostedChanges(session, requested);
  const answers = await session.answers();
  for (const { change, callId } of requested) {
    const proposal = put.find(({ proposal: one }) => isFromCall(one, callId))?.proposal;
    if (proposal?.placement != null) countPosted(totals, proposal);
    else recordRefusal(totals, change, answers.get(callId) ?? `not posted: ${proposal?.note}`);
  }
  commitSuggestions(session, put, totals);
  await tryUndo({ tally: totals, method: 'undo', session }, await approveAll(session, put, totals));
  await tryUserEdits(sample, totals);
  await tryHunks(sample, totals);
}

/** Each on the page as it was posted: worlds are values. */
function commitSuggestions(session: Session, posted: readonly PostedChange[], totals: FidelityTotals): void {
  const trial: Trial = { tally: totals, method: 'button', session };
  const [world, pull] = [session.state(), session.pullRequest()];
  for (const { change, proposal } of posted) {
    if (proposal.placement?.kind !== 'suggestion' || proposal.comment === null) continue;
    const here = { actor: session.ana.actor, repositoryId: pull.head.repositoryId, number: pull.number };
    const pressed = commitSuggestion(world, { ...here, commentIds: [proposal.comment.id] }, Date.UTC(2026, 1, 1));
    if (pressed.ok) compareWithCommit(trial, { change, proposal }, pressed.value);
    else recordMismatch(trial, change, pressed.error.message);
  }
}

/** Gives back those that were made. */
async function approveAll(
  session: Session,
  posted: readonly PostedChange[],
  totals: FidelityTotals,
): Promise<readonly PostedChange[]> {
  if (posted.length === 0) return [];
  const trial: Trial = { tally: totals, method: 'approve', session };
  const before = session.pullRequest().head.sha;
  session.ana.says('/approve all');
  await session.settle();
  const made = posted.filter((one) => compareWithCommit(trial, one, session.pullRequest().head.sha));
  await verifyChanges(trial, posted, before);
  return made;
}

/** In a session of its own, where each proposal has one line too many, which the person's own lines leave out. */
async function tryUserEdits(sample: Sample, totals: FidelityTotals): Promise<void> {
  const requested = sample.changes.flatMap((change, at) =>
    // What a variant cannot ask for, the change itself could not either, and that is counted there.
    requestChange(deriveVariant(change, `o${at}`), change, createTotals()),
  );
  if (requested.length === 0) return;
  const session = await startSession(
    sample.files,
    requested.flatMap(({ calls }) => calls),
  );
  for (const one of await findPostedChanges(session, requested)) await postUserEdit(session, one, totals);
}

/** GitHub takes no longer comment. */
const MAX_COMMENT_LENGTH = 65_536;

async function postUserEdit(session: Session, posted: PostedChange, totals: FidelityTotals): Promise<void> {
  const { proposal } = posted;
  const lines = userEditLines(posted);
  if (lines === null || proposal.comment === null || proposal.comment.kind === 'issue-comment') return;
  const trial: Trial = { tally: totals, method: 'user edit', session };
  const before = session.pullRequest().head.sha;
  const fence = fenceFor(lines.join('\n'));
  const words = [`${fence}suggestion`, ...lines, fence].join('\n');
  if (words.length > MAX_COMMENT_LENGTH) return;
  const said = session.ana.replies(proposal.comment.id, words);
  await session.settle();
  const { sha } = session.pullRequest().head;
  if (sha === before) return recordNotApplied(trial, posted, said.id);
  compareWithCommit(trial, posted, sha);
  await verifyChanges(trial, [posted], before);
}

/** People were told why, which is no fault of the bytes. */
function recordNotApplied({ tally: totals, session }: Trial, { change }: PostedChange, saidId: number): void {
  const answer = [...session.pullRequest().reviewComments.values()].findLast(({ id }) => id > saidId);
  countResult(totals, 'user edit', 'refused');
  recordRefusal(totals, change, `own lines: ${answer?.body.replace(/^<!--.*-->\s*/, '') ?? 'no answer'}`);
}

/** The lines of the commit that stand where the proposal's would; null where they are not all that differs, or nobody can write them. */
function userEditLines({ change, proposal }: PostedChange): readonly string[] | null {
  const place = proposal.placement === null ? null : userEditRange(proposal.change, proposal.placement);
  const [before, after] = [versionLines(change.before), versionLines(change.after)];
  if (place === null || before === null || after === null) return null;
  const rest = before.length - place.index - place.count;
  const lines = after.slice(place.index, after.length - rest);
  const whole = [...before.slice(0, place.index), ...lines, ...before.slice(before.length - rest)];
  if (rest < 0 || whole.join('') !== after.join('')) return null;
  const bare = lines.map(withoutLineEnding);
  // In a comment a lone CR ends a line.
  return bare.some((line) => line.includes('\r')) ? null : bare;
}

function versionLines(version: CommitFileChange['before']): readonly string[] | null {
  if (version === null) return [];
  const decoded = decodeText(version.bytes);
  return decoded.kind === 'text' ? splitLines(decoded.text) : null;
}

/** In a session of its own, each hunk of a change is a proposal, and each is approved alone: every commit moves the others. */
async function tryHunks(sample: Sample, totals: FidelityTotals): Promise<void> {
  const requested = requestHunks(sample);
  const calls = requested.flatMap((one) => one.calls);
  if (calls.length === 0) return;
  const session = await startSession(sample.files, calls);
  const trial: Trial = { tally: totals, method: 'approve by hunk', session };
  const posted = await keepCompleteChanges(trial, requested);
  if (posted.length === 0) return;
  const before = session.pullRequest().head.sha;
  for (const { proposal } of shuffleOrder(posted)) {
    session.ana.says(`/approve ${proposal.id}`);
    await session.settle();
  }
  const made = posted.filter(
    (one) => isFirstOfChange(one, posted) && compareWithCommit(trial, one, session.pullRequest().head.sha),
  );
  await verifyChanges(trial, posted, before);
  const changes = made.map(({ change }) => change);
  const undone = posted.filter(({ change }) => changes.includes(change));
  await tryUndo({ ...trial, method: 'undo by hunk' }, undone);
}

/** As many changes as one response may hold the hunks of. */
function requestHunks({ changes }: Sample): readonly RequestedChange[] {
  const requested: RequestedChange[] = [];
  for (const [at, change] of changes.entries()) {
    const calls = deriveHunkCalls(change, `h${at}`);
    if (requested.length + calls.length > MAX_CHANGES_PER_SAMPLE) break;
    requested.push(...calls.map((call) => ({ change, calls: [call], callId: call.id })));
  }
  return requested;
}

/** The proposals of changes all of whose hunks were posted; of others, why not. */
async function keepCompleteChanges(
  trial: Trial,
  requested: readonly RequestedChange[],
): Promise<readonly PostedChange[]> {
  const { session, tally: totals } = trial;
  const [put, answers] = [await findPostedChanges(session, requested), await session.answers()];
  const posted = new Set(put.map(({ proposal: { origin } }) => (origin.kind === 'call' ? origin.callId : '')));
  const partial = new Set<CommitFileChange>();
  for (const { change, callId } of requested) {
    if (posted.has(callId)) continue;
    if (!partial.has(change)) recordRefusal(totals, change, `by hunk: ${answers.get(callId) ?? 'not posted'}`);
    partial.add(change);
  }
  return put.filter(({ change }) => !partial.has(change));
}

/** Every other one, then those between them from the last to the first. */
function shuffleOrder(posted: readonly PostedChange[]): readonly PostedChange[] {
  return [...posted.filter((_, at) => at % 2 === 1), ...posted.filter((_, at) => at % 2 === 0).reverse()];
}

function isFirstOfChange({ change, proposal }: PostedChange, posted: readonly PostedChange[]): boolean {
  return posted.find((other) => other.change === change)?.proposal === proposal;
}

/** Undoes each of the changes that were made, all of them with one approval, and compares with what stood there before. */
async function tryUndo(trial: Trial, made: readonly PostedChange[]): Promise<void> {
  const { session } = trial;
  const undos: PostedChange[] = [];
  for (const one of made) undos.push(...(await requestUndo(trial, one)));
  if (undos.length === 0) return;
  const before = session.pullRequest().head.sha;
  session.ana.says('/approve all');
  await session.settle();
  for (const one of undos) compareWithOriginal(trial, one, session.pullRequest().head.sha);
  await verifyChanges(trial, undos, before);
}

/** The same change with the proposal of its reverse; none where people were told why there is none. */
async function requestUndo(trial: Trial, { change, proposal: { id } }: PostedChange): Promise<readonly PostedChange[]> {
  const { session, tally: totals, method } = trial;
  const said = session.ana.says(`/undo ${id}`);
  await session.settle();
  const { proposals } = await session.pull();
  const undo = proposals.find(
    ({ origin, comment }) => origin.kind === 'undo' && origin.undoneProposalId === id && comment !== null,
  );
  if (undo !== undefined) return [{ change, proposal: undo }];
  const answer = [...session.pullRequest().comments.values()].findLast((comment) => comment.id > said.id);
  countResult(totals, method, 'refused');
  recordRefusal(totals, change, `${method}: ${answer?.body.replace(/^<!--.*-->\s*/, '') ?? 'no answer'}`);
  return [];
}
