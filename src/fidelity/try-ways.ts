import { commitSuggestion } from '../simulator/people/commit-suggestion.ts';
import { askedFor, isOfCall, proposalsOf } from './ask.ts';
import { approveHunks } from './by-hunks.ts';
import { callsFor } from './derive-calls.ts';
import { giveOwnLines } from './own-lines.ts';
import type { Sample } from './packs.ts';
import { openSession, type Session } from './session.ts';
import { takeBack } from './take-back.ts';
import { addTally, countPosted, newTally, type Tally } from './tally.ts';
import { fault, judge, type Put, refused, type Trial } from './trial.ts';
import { verify } from './verify-branch.ts';

/** Lets the App propose the changes of a sample, makes each of them in every way that people have, takes back what was made, and counts. */
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
    if (proposal?.placement != null) countPosted(tally, proposal);
    else refused(tally, change, answers.get(callId) ?? `not posted: ${proposal?.note}`);
  }
  pressButtons(session, put, tally);
  await takeBack({ tally, way: 'undo', session }, await approveAll(session, put, tally));
  await giveOwnLines(sample, tally);
  await approveHunks(sample, tally);
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

/** Gives back those that were made. */
async function approveAll(session: Session, put: readonly Put[], tally: Tally): Promise<readonly Put[]> {
  if (put.length === 0) return [];
  const trial: Trial = { tally, way: 'approve', session };
  const before = session.onGitHub().head.sha;
  session.ana.says('/approve all');
  await session.settle();
  const made = put.filter((one) => judge(trial, one, session.onGitHub().head.sha));
  await verify(trial, put, before);
  return made;
}
