import { countWay } from './tally.ts';
import { judgeUndone, type Put, refused, type Trial } from './trial.ts';
import { verify } from './verify-branch.ts';

/** Undoes each of the changes that were made, all of them with one approval, and compares with what stood there before. */
export async function takeBack(trial: Trial, made: readonly Put[]): Promise<void> {
  const { session } = trial;
  const undos: Put[] = [];
  for (const one of made) undos.push(...(await undoOf(trial, one)));
  if (undos.length === 0) return;
  const before = session.onGitHub().head.sha;
  session.ana.says('/approve all');
  await session.settle();
  for (const one of undos) judgeUndone(trial, one, session.onGitHub().head.sha);
  await verify(trial, undos, before);
}

/** The same change with the proposal of its reverse; none where people were told why there is none. */
async function undoOf(trial: Trial, { change, proposal: { id } }: Put): Promise<readonly Put[]> {
  const { session, tally, way } = trial;
  const said = session.ana.says(`/undo ${id}`);
  await session.settle();
  const { proposals } = await session.pull();
  const undo = proposals.find(({ origin, comment }) => origin.kind === 'undo' && origin.of === id && comment !== null);
  if (undo !== undefined) return [{ change, proposal: undo }];
  const answer = [...session.onGitHub().comments.values()].findLast((comment) => comment.id > said.id);
  countWay(tally, way, 'refused');
  refused(tally, change, `${way}: ${answer?.body.replace(/^<!--.*-->\s*/, '') ?? 'no answer'}`);
  return [];
}
