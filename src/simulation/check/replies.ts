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
  const { played, happenings } = evidence;
  const standing = Map.groupBy(
    standingsOf(played.hub, played.scene).flatMap((one) => ownComments(one, played.scene)),
    ({ body }) => body,
  );
  // What a process that hung past its lease and its successor had under way in that moment may stand there twice.
  const hung = happenings.some((one) => one.kind === 'fault' && one.fault === 'hang');
  return [...Map.groupBy(wantedOf(evidence), ({ body }) => body)].flatMap(([body, wanted]) => {
    const count = standing.get(body)?.length ?? 0;
    const words = JSON.stringify(body.replace(REPLY_MARKER, '').trim().slice(0, 80));
    if (count === 0 && wanted.some(({ reached }) => reached)) return [`V5: nobody was answered ${words}`];
    if (count <= wanted.length || hung) return [];
    return [`V5: ${words} stands ${count} times, and was wanted ${wanted.length} times`];
  });
};

/** A comment that answers; `reached` where the App can still write it. */
type Wanted = { readonly body: string; readonly reached: boolean };

function wantedOf(evidence: Evidence): readonly Wanted[] {
  const context = { links: { repository: `${SITE}/acme/shop` }, commands: commandTable };
  const told = new Map<string, number>();
  return evidence.saved.flatMap(({ saved: { at, claim, step } }) =>
    step.effects.flatMap((effect) => {
      if (effect.type !== 'answer') return [];
      const key = `${claim.pullKey} ${effect.once ?? ''}`;
      // What was told longer ago than effects are kept may be told again.
      if (effect.once !== null && at - (told.get(key) ?? -Infinity) < DELIVERIES_MS) return [];
      told.set(key, at);
      const reached = isReached(evidence, step.pull.ref);
      const bodies = [renderAnswer(effect.answer, context), ...furtherAnswers(effect.answer)];
      return bodies.map((body) => ({ body, reached }));
    }),
  );
}
