import { fenceFor } from '../change/fence.ts';
import { bareLine, splitLines } from '../change/lines.ts';
import { ownPlace } from '../change/own-text.ts';
import { decodeText } from '../change/text.ts';
import { askedFor, proposalsOf } from './ask.ts';
import { variantFor } from './derive-calls.ts';
import type { FileChange } from './history.ts';
import type { Sample } from './packs.ts';
import { openSession, type Session } from './session.ts';
import { countWay, newTally, type Tally } from './tally.ts';
import { judge, type Put, refused, type Trial } from './trial.ts';
import { verify } from './verify-branch.ts';

/** In a session of its own, where each proposal has one line too many, which the person's own lines leave out. */
export async function giveOwnLines(sample: Sample, tally: Tally): Promise<void> {
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

/** The lines of the commit that stand where the proposal's would; null where they are not all that differs, or nobody can write them. */
function ownLines({ change, proposal }: Put): readonly string[] | null {
  const place = proposal.placement === null ? null : ownPlace(proposal.change, proposal.placement);
  const [before, after] = [linesOf(change.before), linesOf(change.after)];
  if (place === null || before === null || after === null) return null;
  const rest = before.length - place.index - place.count;
  const lines = after.slice(place.index, after.length - rest);
  const whole = [...before.slice(0, place.index), ...lines, ...before.slice(before.length - rest)];
  if (rest < 0 || whole.join('') !== after.join('')) return null;
  const bare = lines.map(bareLine);
  // In a comment a lone CR ends a line.
  return bare.some((line) => line.includes('\r')) ? null : bare;
}

function linesOf(version: FileChange['before']): readonly string[] | null {
  if (version === null) return [];
  const decoded = decodeText(version.bytes);
  return decoded.kind === 'text' ? splitLines(decoded.text) : null;
}
