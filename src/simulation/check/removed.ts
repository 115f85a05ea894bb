import type { PullRef } from '../../command/intent.ts';
import type { Check, Evidence } from './evidence.ts';

/** The App may still speak there. What it was removed from has nobody to be told anything, and nothing to be read. */
export function isReached({ played }: Pick<Evidence, 'played'>, { installationId }: PullRef): boolean {
  return played.hub.world.installations.has(installationId);
}

const RISEN: ReadonlySet<string> = new Set(['proposed', 'approved', 'executing']);

/** S90b: once a pull request has heard that the App was removed, nothing goes on there, whatever is installed later. */
export const removalIsFinal: Check = ({ saved }) => {
  const over = new Set<string>();
  return saved.flatMap(({ saved: { claim, signal, step, before } }) => {
    if (signal.type === 'access-lost' && signal.loss === 'uninstalled') over.add(claim.pullKey);
    if (!over.has(claim.pullKey)) return [];
    const risen = step.pull.proposals.filter(({ id, state }) => state !== before.get(id) && RISEN.has(state));
    return risen.map(({ id, state }) => `S90b: ${id} became ${state} (${step.reason}) after the App was removed`);
  });
};
