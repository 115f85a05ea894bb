import type { PullRef } from '../../command/intent.ts';
import { isRecord } from '../../trust.ts';
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

/** More than any process needs, whatever breaks meanwhile. */
const HEARD_MS = 60 * 60_000;

/** S90b: nothing goes on for long where GitHub was told that the word of the App's removal is taken. */
export const removalIsHeard: Check = ({ saved, played }) => {
  const removed = new Map(
    played.attempts
      .filter(({ event, action, answered }) => event === 'installation' && action === 'deleted' && answered)
      .map(({ payload, deliveredAt }) => [installationIn(payload), deliveredAt]),
  );
  return saved.flatMap(({ saved: { at, step } }) => {
    const { ref, run } = step.pull;
    const since = removed.get(ref.installationId);
    if (since === undefined || at < since + HEARD_MS || run === null || run.phase.kind === 'ended') return [];
    return [`S90b: a run went on (${step.reason}) long after the App's removal was heard of`];
  });
};

function installationIn(payload: Readonly<Record<string, unknown>>): unknown {
  const { installation } = payload;
  return isRecord(installation) ? installation['id'] : null;
}
