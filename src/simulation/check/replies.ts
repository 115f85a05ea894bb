import { commandTable } from '../../command/table.ts';
import { furtherAnswers, renderAnswer } from '../../render/answer.ts';
import { REPLY_MARKER } from '../../render/markers.ts';
import { DELIVERIES_MS } from '../../store/prune.ts';
import { ownComments } from '../github/own-words.ts';
import { standingsOf } from '../github/port.ts';
import { SITE } from '../scene.ts';
import type { Check, Evidence } from './evidence.ts';
import { isReached } from './removed.ts';

/** V5: every answer that a decision wants stands on the page, and as often as it was wanted at most. */
export const answersStand: Check = (evidence) => {
  const { played } = evidence;
  const standing = Map.groupBy(
    standingsOf(played.hub, played.scene).flatMap((one) => ownComments(one, played.scene)),
    ({ body }) => body,
  );
  return [...Map.groupBy(wantedOf(evidence), ({ body }) => body)].flatMap(([body, wanted]) => {
    const count = standing.get(body)?.length ?? 0;
    const words = JSON.stringify(body.replace(REPLY_MARKER, '').trim().slice(0, 80));
    if (count === 0 && wanted.some(({ reached }) => reached)) return [`V5: nobody was answered ${words}`];
    if (count <= wanted.length) return [];
    return [`V5: ${words} stands ${count} times, and was wanted ${wanted.length} times`];
  });
};

/** A comment that answers; `reached` where it has to be written: the App can, and what is told only once was not yet. */
type Wanted = { readonly body: string; readonly reached: boolean };

function wantedOf(evidence: Evidence): readonly Wanted[] {
  const context = { links: { repository: `${SITE}/acme/shop` }, commands: commandTable };
  const told = new Map<string, number>();
  return evidence.saved.flatMap(({ saved: { at, claim, step } }) =>
    step.effects.flatMap((effect) => {
      if (effect.type !== 'answer') return [];
      const key = `${claim.pullKey} ${effect.once ?? ''}`;
      const toldAt = effect.once === null ? undefined : told.get(key);
      // What was told longer ago than effects are kept may be told again, where it was forgotten.
      if (toldAt !== undefined && at - toldAt < DELIVERIES_MS) return [];
      told.set(key, at);
      const reached = toldAt === undefined && isReached(evidence, step.pull.ref);
      const bodies = [renderAnswer(effect.answer, context), ...furtherAnswers(effect.answer)];
      return bodies.map((body) => ({ body, reached }));
    }),
  );
}
