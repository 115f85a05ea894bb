import type { Installation, World } from '../../simulator/world/state.ts';
import { GitHubFault } from '../../worker/ports.ts';
import type { Hub } from '../hub.ts';
import type { Scene } from '../scene.ts';

/** As the adapter has it: what its owner suspended is seldom asked again. */
const AT_REST_MS = 10 * 60_000;

/** The App's installation on the account; undefined while there is none. */
export function installationNow(world: World, { appId }: Pick<Scene, 'appId'>): Installation | undefined {
  return [...world.installations.values()].find((one) => one.appId === appId);
}

/** Throws what GitHub answers where this installation was removed or is suspended. */
export function refuseUnlessActing({ world, now }: Hub, { installationId }: Scene['ref']): void {
  const installation = world.installations.get(installationId);
  if (installation === undefined) throw new GitHubFault('no such installation', 404, null);
  if (installation.suspendedAt !== null) throw new GitHubFault('the installation is suspended', 403, now + AT_REST_MS);
}
