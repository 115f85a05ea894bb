import type { GitHub } from '../../core/state/ports.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';
import { isPermanent } from '../jobs/retries.ts';

/** Posts a reply where the comment is, as several comments if it is long. A retry skips those that exist already. */
export async function postReply({ context, stored, effect, attempts }: Job<'reply'>): Promise<EffectResult> {
  // The reply might report that the rest of the pull request's state cannot be loaded.
  const ref = await context.store.loadRef(stored.pullRequestKey);
  const github = context.githubApp.forPull(ref);
  const pages = await context.offload('renderReplyPages', { reply: effect.reply, links: context.links(ref) });
  for (const body of pages) {
    if (attempts > 1 && (await github.hasPosted(body, stored.requestedAt))) continue;
    await postPage(github, effect.to, body);
  }
  return DONE;
}

async function postPage(github: GitHub, to: Job<'reply'>['effect']['to'], body: string): Promise<void> {
  if (to.at !== 'thread' || !(await tryReplyInThread(github, to.rootId, body))) await github.createComment(body);
}

/** Returns false if GitHub refuses the reply, because the first comment of the thread was deleted. */
async function tryReplyInThread(github: GitHub, rootId: number, body: string): Promise<boolean> {
  try {
    await github.createReply(rootId, body);
    return true;
  } catch (error) {
    if (!isPermanent(error)) throw error;
    return false;
  }
}

export async function postReaction(job: Job<'react'>): Promise<EffectResult> {
  const { context, effect } = job;
  const { ref } = await loadJobPull(job);
  await context.githubApp.forPull(ref).react(effect.location, effect.content);
  return DONE;
}
