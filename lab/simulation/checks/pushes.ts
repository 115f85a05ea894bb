import { shortSha } from '../../../src/lib/format.ts';
import type { CaseCheck, SavedStep } from './evidence.ts';

type Push = { readonly runId: string; readonly before: string; readonly after: string };

/** S140: results of a run come with a note about each push before them, which can be what made them stale. */
export const resultsComeWithPushes: CaseCheck = ({ saved }) => {
  const untold = new Map<string, readonly Push[]>();
  return saved.flatMap(({ saved: { step } }) => {
    const { run } = step.pull;
    if (run === null) return [];
    const pushes = [...(untold.get(run.id) ?? []), ...pushesOf(step, run.id)];
    const told = userWords(step);
    const missing = pushes.filter((push) => !told.includes(`(${shortSha(push.before)} to ${shortSha(push.after)})`));
    const areUnlisted = told.includes('earlier pushes are not listed');
    untold.set(run.id, run.phase.kind === 'ended' || areUnlisted ? [] : missing);
    if (run.phase.kind === 'ended' || areUnlisted || !step.messages.some(({ role }) => role === 'tool')) return [];
    return missing.map(
      ({ after }) => `S140: results came without the note about the push of ${after} (${step.reason})`,
    );
  });
};

function pushesOf({ effects }: SavedStep['step'], runId: string): readonly Push[] {
  return effects.flatMap((effect) => (effect.type === 'read-push' && effect.runId === runId ? [effect] : []));
}

function userWords({ messages }: SavedStep['step']): string {
  return messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join('\n');
}
