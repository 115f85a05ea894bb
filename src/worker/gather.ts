import type { Rules } from '../policy/branch-rules.ts';
import { withCurrentNames } from '../run/current-names.ts';
import type { Facts, Need } from '../run/facts.ts';
import { needs } from '../run/needs.ts';
import type { Permission, Person } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { Context } from './context.ts';
import type { GitHub } from './ports.ts';
import { judgeAt, ownTextFor, reverseFor, type Site } from './work-facts.ts';

/** Fetches and works out facts until the signal can be decided. Throws `GitHubFault`: then nothing is decided. */
export async function gather(context: Context, stored: Pull, signal: Signal): Promise<Facts> {
  const pull = withCurrentNames(stored, signal);
  const site = { github: context.githubs.for(pull.ref), workOut: context.workOut };
  let facts = baseFacts(context, pull);
  for (;;) {
    const [need] = needs(pull, signal, facts);
    if (need === undefined) return facts;
    facts = { ...facts, ...(await fetchFact(site, need, facts)) };
  }
}

/** What is known without asking anybody. */
export function baseFacts(context: Context, pull: Pull): Facts {
  const now = new Date(context.clock.now() + context.githubs.ahead()).toISOString();
  return { now, self: context.self, served: context.serves(pull.ref.owner) };
}

async function fetchFact(site: Site, need: Need, facts: Facts): Promise<Partial<Facts>> {
  const { github } = site;
  switch (need.kind) {
    case 'permission':
      return { permission: await permissionOf(github, need) };
    case 'pull-request':
      return { pull: await github.pull() };
    case 'settings':
      return { settings: readSettings(await github.settingsFile()) };
    case 'rules':
      return { rules: await rulesOf(github, need) };
    case 'same-branch':
      return { sameBranch: await github.othersOn(need.headRef) };
    case 'changed-paths':
      return { changedPaths: (await github.files(facts.pull?.headSha ?? '')).map((file) => file.path) };
    case 'review-comments':
      return { reviewComments: await github.reviewComments(need.reviewId) };
    case 'comments':
      return { bodyHashes: await github.bodyHashes(need.comments) };
    case 'undone':
      return { reverse: await reverseFor(site, need) };
    case 'files':
      return { judged: await judgeAt(site, need) };
    case 'own-text':
      return { ownText: await ownTextFor(site, need) };
  }
}

/** Approvals are counted only where a commit would dismiss them. */
async function rulesOf(github: GitHub, { headRef, baseRef }: Extract<Need, { kind: 'rules' }>): Promise<Rules> {
  const head = headRef === null ? [] : await github.rules(headRef);
  const base = await github.rules(baseRef);
  const counts = headRef !== null && base.some((rule) => rule.dismissesReviews);
  return { head, base, approvals: counts ? await github.approvals() : 0 };
}

/** A login that now belongs to another account is nobody's permission. */
export async function permissionOf(github: GitHub, person: Person): Promise<Permission> {
  const { permission, userId } = await github.permission(person.login);
  return userId === null || userId === person.id ? permission : 'none';
}
