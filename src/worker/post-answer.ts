import type { Place } from '../command/intent.ts';
import { commandTable } from '../command/table.ts';
import { renderAnswer } from '../render/answer.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import type { GitHub } from './ports.ts';

/** Writes one answer where the words stood; a repetition looks first whether it is there. */
export async function postAnswer({ context, stored, effect, attempts }: Job<'answer'>): Promise<Outcome> {
  const pull = await context.store.load(stored.pullKey, { ids: [], commentId: null });
  const github = context.githubs.for(pull.ref);
  const body = renderAnswer(effect.answer, { links: context.links(pull.ref), commands: commandTable });
  if (attempts > 1 && (await github.wrote(body, stored.since))) return DONE;
  await write(github, effect.to, body);
  return DONE;
}

async function write(github: GitHub, to: Place | { readonly at: 'pull' }, body: string): Promise<void> {
  if (to.at === 'thread') await github.reply(to.rootId, body);
  else await github.createComment(body);
}
