import { blobSha } from '../change/blob.ts';
import { fenceFor } from '../change/fence.ts';
import { bareLine, splitLines } from '../change/lines.ts';
import { ownPlace } from '../change/own-text.ts';
import { decodeText } from '../change/text.ts';
import type { ToolCall } from '../prompt/message.ts';
import type { Proposal } from '../run/proposal.ts';
import { commitSuggestion } from '../simulator/people/commit-suggestion.ts';
import { callsFor, type Derived, variantFor } from './derive-calls.ts';
import type { FileChange } from './history.ts';
import type { Sample } from './packs.ts';
import { bytesAt, openSession, type Session } from './session.ts';
import {
  addTally,
  countRefusal,
  countRung,
  countWay,
  newTally,
  type Outcome,
  reasonOf,
  type Tally,
  type Way,
} from './tally.ts';
import { verifyBranch } from './verify-branch.ts';

type Asked = { readonly change: FileChange; readonly calls: readonly ToolCall[]; readonly callId: string };
type Put = { readonly change: FileChange; readonly proposal: Proposal };

/** Lets the App propose the changes of a sample, makes each of them in every way that people have, and counts. */
export async function trySample(sample: Sample): Promise<Tally> {
  const tally = newTally();
  try {
    await tryWays(sample, tally);
    return tally;
  } catch (error) {
    return sample.changes.length > 1 ? oneByOne(sample) : stopped(sample, error);
  }
}

/** What stopped all of them is the fault of one. */
async function oneByOne({ changes, scene }: Sample): Promise<Tally> {
  const tally = newTally();
  for (const change of changes) addTally(tally, await trySample({ changes: [change], scene }));
  return tally;
}

function stopped({ changes }: Sample, error: unknown): Tally {
  const tally = newTally();
  const what = error instanceof Error ? error.message : String(error);
  tally.changes = changes.length;
  for (const { commit, path } of changes) tally.faults.push({ commit, path, way: null, what });
  return tally;
}

async function tryWays(sample: Sample, tally: Tally): Promise<void> {
  const asked = sample.changes.flatMap((change, at) => askedFor(callsFor(change, `c${at}`), change, tally));
  tally.changes += sample.changes.length;
  if (asked.length === 0) return;
  const session = await openSession(
    sample.scene,
    asked.flatMap(({ calls }) => calls),
  );
  const put = await proposalsOf(session, asked);
  const answers = await session.answers();
  for (const { change, callId } of asked) {
    const proposal = put.find(({ proposal: one }) => isOfCall(one, callId))?.proposal;
    if (proposal?.placement != null) countRung(tally, proposal.placement.kind);
    else refused(tally, change, answers.get(callId) ?? `not posted: ${proposal?.note}`);
  }
  pressButtons(session, put, tally);
  await approveAll(session, put, tally);
  await giveOwnLines(sample, tally);
}

function askedFor(derived: Derived | null, change: FileChange, tally: Tally): readonly Asked[] {
  if (derived === null) return [];
  if (derived.kind === 'calls') return [{ change, calls: derived.calls, callId: derived.callId }];
  countRefusal(tally, derived.why, exampleOf(change));
  return [];
}

function exampleOf({ commit, path }: FileChange): string {
  return `${commit} ${path}`;
}

function refused(tally: Tally, change: FileChange, words: string): void {
  countRefusal(tally, reasonOf(words, change.path), exampleOf(change));
}

async function proposalsOf(session: Session, asked: readonly Asked[]): Promise<readonly Put[]> {
  const { proposals } = await session.pull();
  return asked.flatMap(({ change, callId }) => {
    const proposal = proposals.find((one) => isOfCall(one, callId) && one.comment !== null);
    return proposal === undefined ? [] : [{ change, proposal }];
  });
}

function isOfCall({ origin }: Proposal, callId: string): boolean {
  return origin.kind === 'call' && origin.callId === callId;
}

/** Each on the page as it was posted: worlds are values. */
function pressButtons(session: Session, put: readonly Put[], tally: Tally): void {
  const trial: Trial = { tally, way: 'button', session };
  const [world, pull] = [session.world(), session.onGitHub()];
  for (const { change, proposal } of put) {
    if (proposal.placement?.kind !== 'suggestion' || proposal.comment === null) continue;
    const here = { actor: session.ana.actor, repositoryId: pull.head.repositoryId, number: pull.number };
    const pressed = commitSuggestion(world, { ...here, commentIds: [proposal.comment.id] }, Date.UTC(2026, 1, 1));
    if (pressed.ok) judge(trial, { change, proposal }, pressed.value);
    else fault(trial, change, pressed.error.message);
  }
}

async function approveAll(session: Session, put: readonly Put[], tally: Tally): Promise<void> {
  if (put.length === 0) return;
  const trial: Trial = { tally, way: 'approve', session };
  const before = session.onGitHub().head.sha;
  session.ana.says('/approve all');
  await session.settle();
  for (const one of put) judge(trial, one, session.onGitHub().head.sha);
  await verify(trial, put, before);
}

/** Each change must stand on the branch once, under its trailers, as `countersign verify` sees it. */
async function verify(trial: Trial, put: readonly Put[], since: string): Promise<void> {
  const { session, tally } = trial;
  const rows = await verifyBranch(session.world().store, since, session.onGitHub().head.sha);
  for (const { path, result, problem } of rows) {
    if (result === 'ok') tally.verified += 1;
    else fault(trial, named(put, path), `countersign verify: ${problem}`);
  }
  for (const { change, proposal } of put) {
    const found = rows.some((row) => row.proposal === proposal.id && row.path === change.path);
    if (!found) fault(trial, change, 'countersign verify: no commit names it');
  }
}

/** The change of a path; of one that nobody asked for there is no commit. */
function named(put: readonly Put[], path: string | null): Pick<FileChange, 'commit' | 'path'> {
  const found = put.find(({ change }) => change.path === path || (path !== null && change.from === path));
  return found?.change ?? { commit: '?', path: path ?? '?' };
}

/** In a session of its own, where each proposal has one line too many, which the person's own lines leave out. */
async function giveOwnLines(sample: Sample, tally: Tally): Promise<void> {
  const asked = sample.changes.flatMap((change, at) =>
    // What a variant cannot ask for, the change itself could not either, and that is counted there.
    askedFor(variantFor(change, `o${at}`), change, newTally()),
  );
  if (asked.length === 0) return;
  const session = await openSession(
    sample.scene,
    asked.flatMap(({ calls }) => calls),
  );
  for (const one of await proposalsOf(session, asked)) await giveLines(session, one, tally);
}

/** GitHub takes no longer comment. */
const MOST_WORDS = 65_536;

async function giveLines(session: Session, put: Put, tally: Tally): Promise<void> {
  const { proposal } = put;
  const lines = ownLines(put);
  if (lines === null || proposal.comment === null || proposal.comment.kind === 'issue-comment') return;
  const trial: Trial = { tally, way: 'own lines', session };
  const before = session.onGitHub().head.sha;
  const fence = fenceFor(lines.join('\n'));
  const words = [`${fence}suggestion`, ...lines, fence].join('\n');
  if (words.length > MOST_WORDS) return;
  const said = session.ana.replies(proposal.comment.id, words);
  await session.settle();
  const { sha } = session.onGitHub().head;
  if (sha === before) return notApplied(trial, put, said.id);
  judge(trial, put, sha);
  await verify(trial, [put], before);
}

/** People were told why, which is no fault of the bytes. */
function notApplied({ tally, session }: Trial, { change }: Put, saidId: number): void {
  const answer = [...session.onGitHub().reviewComments.values()].findLast(({ id }) => id > saidId);
  countWay(tally, 'own lines', 'refused');
  refused(tally, change, `own lines: ${answer?.body.replace(/^<!--.*-->\s*/, '') ?? 'no answer'}`);
}

/** The lines of the commit that stand where the proposal's would; null where they are not all that differs. */
function ownLines({ change, proposal }: Put): readonly string[] | null {
  const place = proposal.placement === null ? null : ownPlace(proposal.change, proposal.placement);
  const [before, after] = [linesOf(change.before), linesOf(change.after)];
  if (place === null || before === null || after === null) return null;
  const rest = before.length - place.index - place.count;
  const lines = after.slice(place.index, after.length - rest);
  const whole = [...before.slice(0, place.index), ...lines, ...before.slice(before.length - rest)];
  return rest < 0 || whole.join('') !== after.join('') ? null : lines.map(bareLine);
}

function linesOf(version: FileChange['before']): readonly string[] | null {
  if (version === null) return [];
  const decoded = decodeText(version.bytes);
  return decoded.kind === 'text' ? splitLines(decoded.text) : null;
}

const ENDINGS = 'line ends, a last newline or a byte order mark that this way cannot say';

type Trial = {
  readonly tally: Tally;
  readonly way: Way;
  readonly session: Session;
};

/** Compares a file on the branch with the commit's, and with what the App showed. */
function judge(trial: Trial, put: Put, head: string): void {
  const { outcome, what } = verdictOn(trial, put, head);
  if (outcome === 'mismatch') return void fault(trial, put.change, what);
  countWay(trial.tally, trial.way, outcome);
  if (outcome === 'endings') refused(trial.tally, put.change, `${trial.way}: ${ENDINGS}`);
}

function verdictOn(
  { way, session }: Trial,
  { change, proposal }: Put,
  head: string,
): { readonly outcome: Outcome; readonly what: string } {
  const world = session.world();
  const made = bytesAt(world, head, change.path);
  const wanted = change.after?.bytes ?? null;
  const isLeft = change.from !== null && bytesAt(world, head, change.from) !== null;
  if (isLeft) return { outcome: 'mismatch', what: 'the file is still at its old path' };
  if (isSame(made, wanted)) return { outcome: 'exact', what: '' };
  const shown = way === 'own lines' ? null : (proposal.change.result?.blob ?? null);
  const what = `${proposal.change.op} made other bytes; when it was posted it was ${proposal.state}`;
  return { outcome: lessThanExact(made, wanted, shown), what };
}

function isSame(left: Uint8Array | null, right: Uint8Array | null): boolean {
  return left === null || right === null ? left === right : Buffer.compare(left, right) === 0;
}

/** Line endings, the last newline and the byte order mark are what tools and people cannot say. */
function lessThanExact(made: Uint8Array | null, wanted: Uint8Array | null, shown: string | null): Outcome {
  if (made === null || wanted === null) return 'mismatch';
  const bare = (bytes: Uint8Array): string =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/^\u{EF}\u{BB}\u{BF}/u, '')
      .replaceAll('\r\n', '\n')
      .replace(/\n$/, '');
  const asShown = shown === null || blobSha(made) === shown;
  return asShown && bare(made) === bare(wanted) ? 'endings' : 'mismatch';
}

function fault({ tally, way }: Trial, { commit, path }: Pick<FileChange, 'commit' | 'path'>, what: string): void {
  countWay(tally, way, 'mismatch');
  tally.faults.push({ commit, path, way, what });
}
