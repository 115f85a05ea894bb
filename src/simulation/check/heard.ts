import { naturalKey } from '../../command/natural-key.ts';
import { readListed } from '../../command/read-listed.ts';
import { onPull, pullsOf, standingOf } from '../github/port.ts';
import { saidSince } from '../github/said-since.ts';
import { START } from '../scene.ts';
import type { Check } from './evidence.ts';
import { isReached } from './removed.ts';

/** Of what is written in the moment in which something expires nobody can tell which came first. */
const MOMENT_MS = 60_000;

/** Whatever webhooks were lost: nothing expires before all is heard that was said while it waited. */
export const whatWasSaidIsHeard: Check = ({ happenings, saved, played }) => {
  const { hub, scene } = played;
  const heard = new Set(happenings.flatMap((one) => (one.kind === 'received' ? (one.delivery.naturalKey ?? []) : [])));
  const said = pullsOf(hub, scene).flatMap((number) => {
    const page = onPull(scene, number);
    return saidSince(standingOf(hub, page), new Date(START).toISOString()).flatMap(({ event, comment }) => {
      const intent = readListed(page.ref, { event, comment }, scene)?.intent;
      return intent?.kind === 'said'
        ? [{ number, at: Date.parse(intent.createdAt), key: naturalKey(intent) ?? '' }]
        : [];
    });
  });
  return saved.flatMap(({ saved: { at, before, step } }) => {
    if (!isReached({ played }, step.pull.ref)) return [];
    const gone = step.pull.proposals.filter(({ id, state }) => state === 'expired' && before.get(id) !== state);
    return gone.flatMap(({ id, proposedAt }) =>
      said
        .filter(({ number }) => number === step.pull.ref.number)
        .filter((one) => one.at >= Date.parse(proposedAt ?? '') && one.at < at - MOMENT_MS && !heard.has(one.key))
        .map(({ key }) => `${id} expired, and ${key} was never heard`),
    );
  });
};
