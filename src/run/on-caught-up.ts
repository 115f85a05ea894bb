import { settleBatch } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withEffects } from './draft.ts';
import type { Facts } from './facts.ts';
import { judgeHead } from './judge-head.ts';
import { closeDown } from './on-event.ts';
import { withBaseFound } from './on-retargeted.ts';
import { goesOn, type Pull } from './run.ts';
import type { Signal } from './signal.ts';
import type { Step } from './step.ts';

type CaughtUp = Extract<Signal, { type: 'caught-up' }>;

/** How the pull request stands now, whatever webhooks told: closed, onto another base, with another head. Words come after it. */
export function onCaughtUp(pull: Pull, { expiring }: CaughtUp, facts: Facts): Step {
  if (!goesOn(pull)) return ignore(pull, 'outdated-outcome');
  const now = facts.pull;
  if (now !== undefined && now.state !== 'open')
    return finish(closeDown(pull, now.state, null, facts.now), 'pull-closed');
  const based = withBaseKnown(pull, facts);
  const judged = now === undefined ? based : judgeHead(based, now.headSha, facts, null);
  const settled = settleBatch(judged, facts.now);
  return finish(expiring ? withEffects(settled, { type: 'expire' }) : settled, 'caught-up');
}

/** Onto the base that it goes to now: what was proposed for another is withdrawn. */
export function withBaseKnown(pull: Pull, { pull: found, now }: Facts): Draft {
  return found === undefined ? draftOf(pull) : withBaseFound(draftOf(pull), found.baseRef, now);
}
