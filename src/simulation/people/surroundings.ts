import { OPERATIONS } from '../../simulator/world/operations.ts';
import type { Chance } from '../chance.ts';
import type { Hub } from '../hub.ts';
import { BRANCH, OTHER_BASE, type Scene } from '../scene.ts';

/** What is not said on the pull request, and matters to it. */
type Surroundings = { readonly hub: Hub; readonly scene: Scene; readonly chance: Chance };

/** The second writer loses the right to write, or has it back. */
export function grants({ hub, scene }: Surroundings): string {
  const accountId = scene.people.ben;
  const { repositoryId } = scene;
  const writes = hub.world.repositories.get(repositoryId)?.collaborators.get(accountId)?.permission === 'write';
  const permission = writes ? 'read' : 'write';
  hub.apply(OPERATIONS.setPermission, { repositoryId, accountId, permission });
  return `(ben may ${permission} from now on)`;
}

export function configures({ hub, scene, chance }: Surroundings): string {
  const text = chance.pick(['required_approvals: 2\n', 'review_event: request-changes\n', 'broken: [\n', null]);
  const actor = { accountId: scene.people.acme, viaAppId: null };
  const files = new Map([['.github/countersign.yml', text]]);
  const { repositoryId } = scene;
  const outcome = hub.apply(OPERATIONS.pushFiles, { actor, repositoryId, branch: 'main', files });
  return outcome.ok ? `(the settings are ${JSON.stringify(text)} from now on)` : '(the settings stay)';
}

/** Rules for the branch that people need not keep: some refuse the App's commits, some only take approvals away. */
export function addsRule({ hub, scene, chance }: Surroundings): string {
  const type = chance.pick(['update', 'pull_request', 'required_signatures'] as const);
  const everybody = Object.values(scene.people);
  const bypassIds = chance.happens(0.3) ? [...everybody, scene.botId] : everybody;
  const dismissesStaleReviews = chance.happens(0.5);
  const rule = { branches: [BRANCH], types: [type], bypassIds, dismissesStaleReviews };
  hub.apply(OPERATIONS.addRule, { repositoryId: scene.repositoryId, rule });
  return `(the branch has the rule ${type} from now on${bypassIds.includes(scene.botId) ? ', not for the App' : ''})`;
}

/** A second pull request of the same branch. */
export function opensAnother({ hub, scene: { people, repositoryId } }: Surroundings): string | null {
  const actor = { accountId: people.ana, viaAppId: null };
  const given = { actor, repositoryId, title: 'The same work elsewhere', head: BRANCH, base: OTHER_BASE };
  const outcome = hub.apply(OPERATIONS.openPull, given);
  return outcome.ok ? `(#${outcome.value.number} is opened for the same branch)` : null;
}
