import { blobSha } from '../change/blob.ts';
import type { Proposal } from '../run/proposal.ts';
import type { FileChange } from './history.ts';
import { fileAt, type Session } from './session.ts';
import { countRefusal, countWay, type Outcome, reasonOf, type Tally, type Way } from './tally.ts';

/** A change with the proposal that came of it. */
export type Put = { readonly change: FileChange; readonly proposal: Proposal };

/** One way to make changes, in the session where they are made. */
export type Trial = {
  readonly tally: Tally;
  readonly way: Way;
  readonly session: Session;
};

/** A change as people would look for it. */
export type Place = Pick<FileChange, 'commit' | 'path'>;

const ENDINGS = 'line ends, a last newline or a byte order mark that this way cannot say';

export function exampleOf({ commit, path }: Place): string {
  return `${commit} ${path}`;
}

/** Counts what was not proposed or not made, with the words that people were told. */
export function refused(tally: Tally, change: Place, words: string): void {
  countRefusal(tally, reasonOf(words, change.path), exampleOf(change));
}

/** Compares a file on the branch with the commit's, and with what the App showed. False for a mismatch. */
export function judge(trial: Trial, put: Put, head: string): boolean {
  const { outcome, what } = verdictOn(trial, put, head);
  if (outcome === 'mismatch') fault(trial, put.change, what);
  else countWay(trial.tally, trial.way, outcome);
  if (outcome === 'endings') refused(trial.tally, put.change, `${trial.way}: ${ENDINGS}`);
  return outcome !== 'mismatch';
}

/** Compares all that a change touched with what stood there before it, the mode too. */
export function judgeUndone(trial: Trial, { change }: Put, head: string): void {
  const { path, from, before } = change;
  const source = from ?? path;
  const back = fileAt(trial.session.world(), head, source);
  if (source !== path && fileAt(trial.session.world(), head, path) !== null)
    fault(trial, change, 'the file is still where it was moved to');
  else if (!isSame(back?.bytes ?? null, before?.bytes ?? null)) fault(trial, change, 'other bytes came back');
  else if (back?.mode !== before?.mode) fault(trial, change, `it came back with the mode ${back?.mode}`);
  else countWay(trial.tally, trial.way, 'exact');
}

function verdictOn(
  { way, session }: Trial,
  { change, proposal }: Put,
  head: string,
): { readonly outcome: Outcome; readonly what: string } {
  const world = session.world();
  const stands = fileAt(world, head, change.path);
  const made = stands?.bytes ?? null;
  const wanted = change.after?.bytes ?? null;
  const isLeft = change.from !== null && fileAt(world, head, change.from) !== null;
  if (isLeft) return { outcome: 'mismatch', what: 'the file is still at its old path' };
  // No tool can change a mode: a file keeps its own, and a new one is not executable.
  if (stands !== null && stands.mode !== (change.before?.mode ?? '100644'))
    return { outcome: 'mismatch', what: `the file has the mode ${stands.mode}` };
  if (isSame(made, wanted)) return { outcome: 'exact', what: '' };
  const shown = way === 'own lines' || way === 'approve by hunk' ? null : (proposal.change.result?.blob ?? null);
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
      .replaceAll('\r\n', '\n');
  const asShown = shown === null || blobSha(made) === shown;
  const [left, right] = [bare(made), bare(wanted)];
  const isLike = left === right || `${left}\n` === right || left === `${right}\n`;
  return asShown && isLike ? 'endings' : 'mismatch';
}

/** Counts what must not be. */
export function fault({ tally, way }: Trial, { commit, path }: Place, what: string): void {
  countWay(tally, way, 'mismatch');
  tally.faults.push({ commit, path, way, what });
}
