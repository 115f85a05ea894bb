import { runMarker } from '../render/markers.ts';
import { renderRun } from '../render/run-comment.ts';
import { NONE_NAMED } from '../run/named-proposals.ts';
import type { PostedComment } from '../run/proposal.ts';
import type { Pull, Run } from '../run/run.ts';
import type { KnownRun } from '../store/store.ts';
import type { Context } from './context.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import type { GitHub } from './ports.ts';
import { updateStanding } from './update-standing.ts';

/** Makes the run comment true: written once, edited in place ever after, and written again where somebody deleted it. */
export async function showRun({ context, stored, effect, attempts }: Job<'show-run'>): Promise<Outcome> {
  const pull = await context.store.load(stored.pullKey, NONE_NAMED);
  const known = await knownRun(context, stored.pullKey, pull, effect.runId);
  if (known === null) return DONE;
  const { run, proposals, isPast } = known;
  const queued = isPast ? 0 : pull.queue.length;
  const body = renderRun({ run, proposals, queued, links: context.links(pull.ref) });
  const github = context.githubs.for(pull.ref);
  if (run.comment !== null && (await updateStanding(github, run.comment, body)) !== null) return DONE;
  // Later it may stand there although we do not know of it yet: what tells of it is an outcome, and those wait where the
  // database was away.
  const comment = await create(github, run, body, attempts > 1 || effect.first !== true);
  return { kind: 'done', signal: { type: 'run-shown', runId: run.id, comment } };
}

/** The next run may have begun before GitHub took what this one came to: its comment is the only one that tells that. */
async function knownRun(
  { store }: Context,
  pullKey: string,
  { run, proposals }: Pull,
  runId: string,
): Promise<(KnownRun & { readonly isPast: boolean }) | null> {
  if (run?.id === runId)
    return { run, proposals: proposals.filter((proposal) => proposal.runId === runId), isPast: false };
  const past = await store.loadRun(pullKey, runId);
  return past && { ...past, isPast: true };
}

async function create(github: GitHub, { id, task }: Run, body: string, mayStand: boolean): Promise<PostedComment> {
  const marker = runMarker(id);
  const found = mayStand ? (await github.findByMarker([marker], task.askedAt)).get(marker) : undefined;
  if (found === undefined) return github.createComment(body);
  // An earlier try wrote it; since then the run has gone on.
  if (found.body !== body) await github.updateComment(found, body);
  return found;
}
