import { settingsNeeds } from '../actions/fact-needs.ts';
import { publishEffect } from '../actions/publish-waiting.ts';
import { endStep, noop, startStep, withEffects, withReply } from '../actions/step-builder.ts';
import { COMMANDS } from '../commands/all-commands.ts';
import { listOutdated } from '../messages/change-replies.ts';
import { isAllowed } from '../policy/may-approve.ts';
import { buttonOf, NO_LIST, pressedChanges } from '../policy/waiting.ts';
import type { CommentIntent, IntentOf } from '../state/intent.ts';
import type { PullState } from '../state/pull-state.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import { createContext, limitReplies, refusePerson } from './comment.ts';

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
