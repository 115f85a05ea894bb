import type { PullRef } from '../../command/intent.ts';
import type { Check, Evidence } from './evidence.ts';

/** The App may still speak there. What it was removed from has nobody to be told anything, and nothing to be read. */
export function isReached({ played }: Pick<Evidence, 'played'>, { installationId }: PullRef): boolean {
  return played.hub.world.installations.has(installationId);
}

/** S90b: what went on when the App was removed is over for good once that is stored, whatever is installed later. */
export const removalIsFinal: Check = (evidence) =>
  evidence.happenings.flatMap((happening, place) => {
    if (happening.kind !== 'told' || happening.receipt !== 'stored' || happening.notice.loss !== 'uninstalled')
      return [];
    const { installationId } = happening.notice;
    const later = evidence.saved.filter((one) => one.place > place).map(({ saved }) => saved);
    return later.flatMap(({ step: { pull, reason }, before }) => {
      if (pull.ref.installationId !== installationId) return [];
      const risen = pull.proposals.filter(({ id, state }) => state !== before.get(id) && RISEN.has(state));
      return risen.map(({ id, state }) => `S90b: ${id} became ${state} (${reason}) after the App was removed`);
    });
  });

const RISEN: ReadonlySet<string> = new Set(['proposed', 'approved', 'executing']);
