import { type Asked, proposalsOf } from './ask.ts';
import { hunkCalls } from './derive-hunks.ts';
import type { FileChange } from './history.ts';
import { MOST_CHANGES, type Sample } from './packs.ts';
import { openSession } from './session.ts';
import { takeBack } from './take-back.ts';
import type { Tally } from './tally.ts';
import { judge, type Put, refused, type Trial } from './trial.ts';
import { verify } from './verify-branch.ts';

/** In a session of its own, each hunk of a change is a proposal, and each is approved alone: every commit moves the others. */
export async function approveHunks(sample: Sample, tally: Tally): Promise<void> {
  const asked = askedIn(sample);
  const calls = asked.flatMap((one) => one.calls);
  if (calls.length === 0) return;
  const session = await openSession(sample.scene, calls);
  const trial: Trial = { tally, way: 'approve by hunk', session };
  const put = await wholeChanges(trial, asked);
  if (put.length === 0) return;
  const before = session.onGitHub().head.sha;
  for (const { proposal } of outOfOrder(put)) {
    session.ana.says(`/approve ${proposal.id}`);
    await session.settle();
  }
  const made = put.filter((one) => isFirst(one, put) && judge(trial, one, session.onGitHub().head.sha));
  await verify(trial, put, before);
  const changes = made.map(({ change }) => change);
  const undone = put.filter(({ change }) => changes.includes(change));
  await takeBack({ ...trial, way: 'undo by hunk' }, undone);
}

/** As many changes as one response may hold the hunks of. */
function askedIn({ changes }: Sample): readonly Asked[] {
  const asked: Asked[] = [];
  for (const [at, change] of changes.entries()) {
    const calls = hunkCalls(change, `h${at}`);
    if (asked.length + calls.length > MOST_CHANGES) break;
    asked.push(...calls.map((call) => ({ change, calls: [call], callId: call.id })));
  }
  return asked;
}

/** The proposals of changes all of whose hunks were posted; of others, why not. */
async function wholeChanges(trial: Trial, asked: readonly Asked[]): Promise<readonly Put[]> {
  const { session, tally } = trial;
  const [put, answers] = [await proposalsOf(session, asked), await session.answers()];
  const posted = new Set(put.map(({ proposal: { origin } }) => (origin.kind === 'call' ? origin.callId : '')));
  const partial = new Set<FileChange>();
  for (const { change, callId } of asked) {
    if (posted.has(callId)) continue;
    if (!partial.has(change)) refused(tally, change, `by hunk: ${answers.get(callId) ?? 'not posted'}`);
    partial.add(change);
  }
  return put.filter(({ change }) => !partial.has(change));
}

/** Every other one, then those between them from the last to the first. */
function outOfOrder(put: readonly Put[]): readonly Put[] {
  return [...put.filter((_, at) => at % 2 === 1), ...put.filter((_, at) => at % 2 === 0).reverse()];
}

function isFirst({ change, proposal }: Put, put: readonly Put[]): boolean {
  return put.find((other) => other.change === change)?.proposal === proposal;
}
