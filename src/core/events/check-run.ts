import { settingsNeeds } from '../actions/fact-needs.ts';
import { endStep, noop, startStep, withEffects, withPullState, withReply } from '../actions/step-builder.ts';
import { COMMANDS } from '../commands/all-commands.ts';
import { listOutdated } from '../messages/change-replies.ts';
import { isAllowed } from '../policy/may-approve.ts';
import { buttonOf, NO_LIST, pressedChanges, waitingKey } from '../policy/waiting.ts';
import type { CommentIntent, IntentOf } from '../state/intent.ts';
import type { PullState } from '../state/pull-state.ts';
import { DEFAULT_SETTINGS, type Settings } from '../state/settings.ts';
import type { Effect } from '../step/effects.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { Signal, SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';
import { createContext, limitReplies, refusePerson } from './comment.ts';

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
function publishEffect({ checkRun: mode, label }: Settings, mergeGroup?: string): Effect {
  return { type: 'publish-waiting', mode, label, ...(mergeGroup === undefined ? {} : { mergeGroup }) };
}

/** Keeps what GitHub shows, so that nothing is written twice. */
export function onWaitingPublished(pull: PullState, { published }: SignalOf<'waiting-published'>): Step {
  return endStep(withPullState(startStep(pull), { published }), 'waiting-published');
}

/**
 * A press as the command that it stands for, with the changes of its list as its targets: none if the list is over, or
 * if the repository has switched the buttons off. GitHub tells no time of a press, so it counts as written now.
 */
export function commandOfPress(pull: PullState, press: IntentOf<'pressed'>, { now, settings }: Facts): CommentIntent {
  const isApproval = buttonOf(press) === 'approve';
  const isOff = isApproval && settings?.settings.checkRun === 'off';
  const { changes, digest } = isOff ? NO_LIST : pressedChanges(press, pull);
  const targets = { by: 'list', digest, ids: changes.map(({ id }) => id) } as const;
  const command = isApproval
    ? ({ name: 'approve', targets, note: '' } as const)
    : ({ name: 'deny', targets, reason: '', fullText: '' } as const);
  return {
    ...{ kind: 'comment', pull: press.pull, actor: press.actor, createdAt: now },
    location: { at: 'check', commentId: press.checkRunId },
    parsed: { kind: 'command', addressedToApp: true, command },
    ...{ quotedIds: [], quote: null, bodyHash: '', reviewState: null },
  };
}

/**
 * A vote of the person who pressed, for exactly the listed changes, by the same path as a command with their ids. A list
 * that has changed since decides nothing and is shown anew: somebody would decide on what they did not read.
 */
export function onPressed(pull: PullState, press: IntentOf<'pressed'>, facts: Facts, deliveryId: string): Step {
  if (buttonOf(press) === null || !facts.ownerAllowed || pull.run === null) return noop(pull, 'not-for-us');
  const intent = commandOfPress(pull, press, facts);
  const context = createContext(pull, intent, facts, deliveryId);
  if (intent.parsed.kind !== 'command') return noop(pull, 'not-for-us');
  const { command } = intent.parsed;
  if (command.name !== 'approve' && command.name !== 'deny') return noop(pull, 'not-for-us');
  if (!isAllowed(context.role, COMMANDS[command.name].allowedTo))
    return refusePerson(context, { silent: false, command: command.name });
  if ('ids' in command.targets && command.targets.ids.length === 0) {
    const renewed = withEffects(startStep(pull), publishEffect(facts.settings?.settings ?? pull.run.settings));
    const reply = listOutdated(context.person.login, facts.settings?.settings.checkRun === 'off');
    return limitReplies(context, endStep(withReply(renewed, intent.location, reply), 'list-outdated'));
  }
  const step =
    command.name === 'approve' ? COMMANDS.approve.run(context, command) : COMMANDS.deny.run(context, command);
  return limitReplies(context, step);
}

/** The commit of a merge queue gets the state of the pull request where a branch rule can demand it. */
export function onMergeQueued(
  pull: PullState,
  { headSha }: IntentOf<'merge-queued'>,
  { settings, ownerAllowed }: Facts,
): Step {
  const inForce = settings?.settings ?? DEFAULT_SETTINGS;
  if (!ownerAllowed || inForce.checkRun !== 'required') return noop(pull, 'merge-queued');
  return endStep(withEffects(startStep(pull), publishEffect(inForce, headSha)), 'merge-queued');
}

/** The settings say whether a head without anything that waits gets a check run. */
export function requiredCheckNeeds(facts: Facts): readonly Need[] {
  return facts.ownerAllowed ? settingsNeeds(facts) : [];
}
