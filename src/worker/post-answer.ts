import type { Place } from '../command/intent.ts';
import { commandTable } from '../command/table.ts';
import { furtherAnswers, renderAnswer } from '../render/answer.ts';
import { isLasting } from './backoff.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import type { GitHub } from './ports.ts';

/** Writes one answer where the words stood, in several comments if it takes them; a repetition looks first what is there. */
export async function postAnswer(job: Job<'answer'>): Promise<Outcome> {
  const { stored, effect, attempts } = job;
  const pull = await job.context.store.load(stored.pullKey, { ids: [], commentId: null });
  const github = job.context.githubs.for(pull.ref);
  const context = { links: job.context.links(pull.ref), commands: commandTable };
  for (const body of [renderAnswer(effect.answer, context), ...furtherAnswers(effect.answer)]) {
    if (attempts > 1 && (await github.wrote(body, stored.since))) continue;
    await write(github, effect.to, body);
  }
  return DONE;
}

async function write(github: GitHub, to: Place | { readonly at: 'pull' }, body: string): Promise<void> {
  if (to.at !== 'thread' || !(await replied(github, to.rootId, body))) await github.createComment(body);
}

/** Whether the thread took the answer: one whose first comment is gone takes none. */
async function replied(github: GitHub, rootId: number, body: string): Promise<boolean> {
  try {
    await github.reply(rootId, body);
    return true;
  } catch (error) {
    if (!isLasting(error)) throw error;
    return false;
  }
}
