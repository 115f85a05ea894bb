import { waitingKey } from '../policy/waiting.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Settings } from '../state/settings.ts';
import type { Effect } from '../step/effects.ts';
import type { Facts } from '../step/facts.ts';
import type { Signal, SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';
import { endStep, startStep, withPullState } from './step-builder.ts';

/**
 * Requests the update of the check run and the label, once for each step that changed the waiting list. A branch rule can
 * demand the check run, and then every new head needs one.
 */
export function publishChanges(before: PullState, step: Step, signal: Signal, facts: Facts): Step {
  const settings = settingsInForce(step.pull, facts);
  if (step.deferred || settings === null) return step;
  const { checkRun: mode } = settings;
  const isNewHead = mode === 'required' && signal.type === 'intent' && HEAD_EVENTS.has(signal.intent.kind);
  if (!isNewHead && waitingKey(before, mode) === waitingKey(step.pull, mode)) return step;
  const isPublished = step.pull.published?.check != null || step.pull.published?.label === true;
  if (mode === 'off' && !settings.label && !isPublished) return step;
  return { ...step, effects: [...step.effects, publishEffect(settings)] };
}

const HEAD_EVENTS: ReadonlySet<string> = new Set(['opened', 'pushed']);

/** The settings that were read for this step, else those of the run; null where neither is. */
function settingsInForce({ run }: PullState, { settings }: Facts): Settings | null {
  return settings?.settings ?? run?.settings ?? null;
}

/** The effect that shows the waiting list, as these settings want it. */
export function publishEffect({ checkRun: mode, label }: Settings, mergeGroup?: string): Effect {
  return { type: 'publish-waiting', mode, label, ...(mergeGroup === undefined ? {} : { mergeGroup }) };
}

/** Keeps what GitHub shows, so that nothing is written twice. */
export function onWaitingPublished(pull: PullState, { published }: SignalOf<'waiting-published'>): Step {
  return endStep(withPullState(startStep(pull), { published }), 'waiting-published');
}
