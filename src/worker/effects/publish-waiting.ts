import { renderCheckRun, renderOutdatedCheckRun } from '../../core/messages/check-run.ts';
import { findWaiting, numberInExternalId, type Waiting } from '../../core/policy/waiting.ts';
import {
  hasActiveWork,
  NOTHING_PUBLISHED,
  type Published,
  type PublishedCheck,
  type PullState,
  WAITING_LABEL,
} from '../../core/state/pull-state.ts';
import type { PullFacts } from '../../core/step/facts.ts';
import type { GitHub } from '../../core/step/ports.ts';
import { DONE, type EffectResult, type Job, loadJobPull, resultIfClosed } from '../jobs/job.ts';

/** What the check run and the label are brought to. */
type Target = {
  readonly job: Job<'publish-waiting'>;
  readonly pull: PullState;
  readonly github: GitHub;
  readonly waiting: Waiting;
  readonly facts: PullFacts;
};

/**
 * Brings the label and the check run to the present list. The label is compared with GitHub's, and the check run with the
 * stored one, so that a repetition writes nothing.
 */
export async function publishWaiting(job: Job<'publish-waiting'>): Promise<EffectResult> {
  const { context, effect } = job;
  const pull = await loadJobPull(job);
  const github = context.githubApp.forPull(pull.ref);
  const waiting = findWaiting(pull);
  if (effect.mergeGroup !== undefined) return answerMergeGroup({ job, pull, github, waiting }, effect.mergeGroup);
  // A required check run belongs to the newest head, which no other read may have seen yet.
  const facts = await (effect.mode === 'required' ? github.fetchPull() : github.fetchRecentPull());
  const closed = hasActiveWork(pull) ? resultIfClosed(facts) : null;
  if (closed !== null) return closed;
  const target = { job, pull, github, waiting, facts };
  const before = pull.published ?? NOTHING_PUBLISHED;
  const label = await publishLabel(target, before);
  const check = await publishCheck(target, before.check);
  const published: Published = { label, check };
  if (JSON.stringify(published) === JSON.stringify(before)) return DONE;
  return { kind: 'done', signal: { type: 'waiting-published', published } };
}

/** A label that a person takes off comes back with the next change of the list. A label put there by hand stays. */
async function publishLabel({ job, github, waiting, facts }: Target, before: Published): Promise<boolean> {
  const isThere = facts.labels.includes(WAITING_LABEL);
  const isWanted = job.effect.label && (waiting.changes.length > 0 || waiting.hasQuestion);
  if (isWanted && !isThere && !(await github.addLabel(WAITING_LABEL))) {
    job.context.log.warn({ label: WAITING_LABEL }, 'label does not exist and cannot be created, create it once');
    return false;
  }
  if (!isWanted && isThere && before.label) await github.removeLabel(WAITING_LABEL);
  return isWanted;
}

/** Each list has a check run of its own. The older one loses its buttons first, so that never two have some. */
async function publishCheck(target: Target, before: PublishedCheck | null): Promise<PublishedCheck | null> {
  const { job, pull, github, waiting, facts } = target;
  const { mode } = job.effect;
  const links = job.context.links(pull.ref);
  const head = facts.headSha;
  if (mode === 'off') {
    await outdate(target, before);
    return null;
  }
  const page = renderCheckRun({ pull, waiting, mode, links });
  if (waiting.digest === '' && before !== null && (before.head === head || facts.state !== 'open')) {
    // Nothing waits any more, which the run of the last list says.
    if (before.digest === '') return before;
    await github.updateCheckRun(before.id, page);
    await letNewestTell(target, before);
    return { ...before, digest: '' };
  }
  if (before?.head === head && before.digest === waiting.digest) return before;
  await outdate(target, before);
  if (facts.state !== 'open' || (waiting.digest === '' && mode !== 'required')) return null;
  const own = job.attempts > 1 ? await findOwnRuns(target, before) : [];
  const made = own.find(({ externalId }) => externalId === page.externalId);
  for (const { id } of own) if (id !== made?.id) await github.updateCheckRun(id, outdatedPage(target, head));
  const id = made?.id ?? (await github.createCheckRun(head, page));
  if (id === null) return null;
  if (waiting.digest === '') await letNewestTell(target, { id, head });
  return { id, head, digest: waiting.digest, hasButtons: page.actions.length > 0 };
}

/**
 * Two pull requests can have one commit, and a branch rule looks at its newest run. Where this one, which lists nothing
 * any more, hides the list of the other one, or the newest run still tells of such a list, another run tells what holds.
 */
async function letNewestTell(target: Target, { id, head }: Pick<PublishedCheck, 'id' | 'head'>): Promise<void> {
  const { job, pull, github } = target;
  const { mode } = job.effect;
  if (mode !== 'required') return;
  const found = (await github.findCheckRuns(head)) ?? [];
  const holding = found.filter(({ conclusion }) => conclusion === 'action_required');
  const lists = holding.filter(({ externalId }) => !externalId.endsWith(':'));
  const numbers = lists.map(({ externalId }) => numberInExternalId(externalId));
  const elsewhere = numbers.find((number) => number !== pull.ref.number) ?? null;
  const newer = found.find((run) => run.id > id);
  const isHeldUp = newer !== undefined && holding.includes(newer);
  if (isHeldUp === (elsewhere !== null)) return;
  const [waiting, links] = [findWaiting(pull, () => false), job.context.links(pull.ref)];
  await github.createCheckRun(head, renderCheckRun({ pull, waiting, mode, links, elsewhere }));
}

async function outdate(target: Target, before: PublishedCheck | null): Promise<void> {
  if (before === null || before.digest === '') return;
  await target.github.updateCheckRun(before.id, outdatedPage(target, before.head));
  if (before.head !== target.facts.headSha) await letNewestTell(target, before);
}

function outdatedPage({ job, pull }: Target, head: string) {
  return renderOutdatedCheckRun(pull, head, job.context.links(pull.ref));
}

/** The runs of this pull request that an earlier attempt made, whose result was lost. */
async function findOwnRuns({ pull, github, facts }: Target, before: PublishedCheck | null) {
  const found = (await github.findCheckRuns(facts.headSha)) ?? [];
  const newest = before?.id ?? 0;
  return found.filter(({ id, externalId }) => id > newest && numberInExternalId(externalId) === pull.ref.number);
}

/** A merge queue's own commit gets the state of the pull request, so that the queue does not wait for ever. */
async function answerMergeGroup({ job, pull, github, waiting }: Omit<Target, 'facts'>, head: string) {
  const page = renderCheckRun({ pull, waiting, mode: 'required', links: job.context.links(pull.ref) });
  const own = job.attempts > 1 ? ((await github.findCheckRuns(head)) ?? []) : [];
  if (own.length === 0) await github.createCheckRun(head, { ...page, actions: [] });
  return DONE;
}
