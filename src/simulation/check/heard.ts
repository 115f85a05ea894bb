import type { SaidIntent } from '../../command/intent.ts';
import { interpret } from '../../command/interpret.ts';
import { naturalKey } from '../../command/natural-key.ts';
import { readListed } from '../../command/read-listed.ts';
import { goesOn, goesOnSince } from '../../run/run.ts';
import { REACH_MS } from '../../worker/catch-up.ts';
import type { PlayedCase } from '../case.ts';
import { onPull, pullsOf, standingOf } from '../github/port.ts';
import { saidSince } from '../github/said-since.ts';
import { START } from '../scene.ts';
import type { Check, Evidence } from './evidence.ts';
import { isReached } from './removed.ts';

/** Of what is written in the moment in which something expires nobody can tell which came first. */
const MOMENT_MS = 60_000;

/** What somebody said on that pull request, at that time (ms). */
export type Words = { readonly intent: SaidIntent; readonly number: number; readonly at: number; readonly key: string };

/** What stands on the pages as it was said. */
function saidIn({ hub, scene }: PlayedCase): readonly Words[] {
  return pullsOf(hub, scene).flatMap((number) => {
    const page = onPull(scene, number);
    return saidSince(standingOf(hub, page), new Date(START).toISOString()).flatMap(({ event, comment }) => {
      const intent = readListed(page.ref, { event, comment }, scene)?.intent;
      return intent?.kind === 'said'
        ? [{ intent, number, at: Date.parse(intent.createdAt), key: naturalKey(intent) ?? '' }]
        : [];
    });
  });
}

/** What stands there of what GitHub told nobody when it was said. */
export function saidWhileAbsent({ played }: Evidence): readonly Words[] {
  if (!played.attempts.some(({ event, action }) => event === 'installation' && action === 'unsuspend')) return [];
  const told = new Set(
    played.attempts.map(({ event, payload }) => {
      const meaning = interpret({ event, payload, self: played.scene });
      return meaning.kind === 'intent' ? naturalKey(meaning.intent) : null;
    }),
  );
  return saidIn(played).filter(({ key }) => !told.has(key));
}

function keysHeard({ happenings }: Evidence): ReadonlySet<string> {
  return new Set(happenings.flatMap((one) => (one.kind === 'received' ? (one.delivery.naturalKey ?? []) : [])));
}

/** Whatever webhooks were lost: nothing expires before all is heard that was said while it waited. */
export const whatWasSaidIsHeard: Check = (evidence) => {
  const { saved, played } = evidence;
  const [heard, said] = [keysHeard(evidence), saidIn(played)];
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

/** More than it takes to catch up, whatever breaks meanwhile. */
const CAUGHT_UP_MS = 60 * 60_000;

/** F16: once the App hears that it may act again, all is heard that was said where something goes on, since that began. */
export const absencesAreHeard: Check = (evidence) => {
  const { saved, played } = evidence;
  const { attempts } = played;
  const [heard, said] = [keysHeard(evidence), saidIn(played)];
  const told = attempts.filter(({ event, action }) => event === 'installation' && action !== 'created');
  const answered = told.filter((one) => one.action === 'unsuspend' && one.answered);
  // Told again, it is known already.
  const back = [...Map.groupBy(answered, ({ guid }) => guid).values()].flatMap(([first]) => first ?? []);
  return back.flatMap(({ deliveredAt }) => {
    const until = deliveredAt + CAUGHT_UP_MS;
    if (
      told.some(
        (one) => one.action !== 'unsuspend' && one.deliveredAt > deliveredAt - MOMENT_MS && one.deliveredAt < until,
      )
    )
      return [];
    return [...Map.groupBy(saved, ({ saved: { claim } }) => claim.pullKey).values()].flatMap((steps) => {
      const before = steps.findLast(({ saved: { at } }) => at < deliveredAt)?.saved.step.pull;
      if (before === undefined || !goesOn(before)) return [];
      const since = Math.max(Date.parse(goesOnSince(before) ?? ''), deliveredAt - REACH_MS + MOMENT_MS);
      return said
        .filter(({ number, at }) => number === before.ref.number && at >= since && at < deliveredAt - MOMENT_MS)
        .filter(({ key }) => isReached(evidence, before.ref) && !heard.has(key))
        .map(({ key }) => `F16: ${key} was said before the App could act again, and was never heard`);
    });
  });
};
