import type { Place } from '../command/intent.ts';
import { isLasting } from './backoff.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import type { GitHub } from './ports.ts';

/** Writes one answer where the words stood, in several comments if it takes them; a repetition looks first what is there. */
export async function postAnswer(job: Job<'answer'>): Promise<Outcome> {
  const { stored, effect, attempts } = job;
  // The rest of the pull request may be what cannot be read, and people are to be told just that.
  const ref = await job.context.store.refOf(stored.pullKey);
  const github = job.context.githubs.for(ref);
  const pages = await job.context.workOut('answerPages', { answer: effect.answer, links: job.context.links(ref) });
  for (const body of pages) {
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
