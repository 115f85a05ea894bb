import type { StoredEffect } from '../adapters/store/store.ts';
import { NO_USAGE } from '../core/state/spending.ts';
import { UNREADABLE_CONTEXT } from '../core/state/task-context.ts';
import type { Effect, EffectType } from '../core/step/effects.ts';
import type { CallResult, Signal } from '../core/step/signals.ts';

/** An effect that is not attempted again. `errorId` is set only if an internal error was the cause, else null. */
type Abandoned<Type extends EffectType> = {
  readonly effect: Extract<Effect, { type: Type }>;
  readonly attempts: number;
  readonly errorId: string | null;
};

/** The signal that replaces the result of an abandoned effect; null if nothing waits for its result. */
export function signalForAbandoned(
  { effect, attempts }: Pick<StoredEffect, 'effect' | 'attempts'>,
  errorId: string | null,
): Signal | null {
  return signalByType(effect.type, { effect, attempts, errorId });
}

/** The type parameter ties the replacement to its effect. */
function signalByType<Type extends EffectType>(type: Type, abandoned: Abandoned<Type>): Signal | null {
  return REPLACEMENTS[type](abandoned);
}

const nothingWaits = (): null => null;

const REPLACEMENTS: { readonly [Type in EffectType]: (abandoned: Abandoned<Type>) => Signal | null } = {
  'read-context': ({ effect: { runId, pull } }) => ({
    type: 'context-read',
    runId,
    pull,
    context: UNREADABLE_CONTEXT,
  }),
  'read-push': ({ effect: { runId, by, before, after } }) => ({
    type: 'push-read',
    runId,
    by,
    before,
    after,
    content: null,
  }),
  'ask-model': ({ effect: { runId, turn }, errorId }) => ({
    type: 'model-failed',
    runId,
    turn,
    failure: null,
    message: failureText(errorId, 'it could not be asked'),
  }),
  'answer-side-question': ({ effect: { questionId }, errorId }) => ({
    type: 'side-question-answered',
    questionId,
    outcome: { kind: 'failed', message: failureText(errorId, 'The question could not be put to the model.') },
    usage: NO_USAGE,
  }),
  'run-tools': ({ effect: { runId, turn, calls } }) => ({
    type: 'tools-finished',
    runId,
    turn,
    headSha: null,
    results: calls.map(
      (call): CallResult => ({
        turn: call.turn,
        callId: call.toolCall.id,
        kind: 'output',
        output: 'The repository could not be read.',
        readBlob: null,
      }),
    ),
  }),
  'post-proposals': ({ effect: { runId, turn, proposalIds }, errorId }) => ({
    type: 'posting-failed',
    runId,
    turn,
    proposalIds,
    message: failureText(errorId, 'GitHub did not accept them'),
  }),
  'post-question': ({ effect: { runId, turn }, errorId }) => ({
    type: 'posting-failed',
    runId,
    turn,
    proposalIds: [],
    message: failureText(errorId, 'GitHub did not accept a question of the agent'),
  }),
  commit: commitAbandoned,
  'dismiss-review': ({ effect: { runId, reviewId } }) => ({ type: 'review-dismiss-refused', runId, reviewId }),
  'update-question-comment': nothingWaits,
  'update-proposal-comment': nothingWaits,
  'update-run-comment': nothingWaits,
  react: nothingWaits,
  reply: nothingWaits,
  'check-deadlines': nothingWaits,
  'start-next-task': nothingWaits,
};

/** An earlier attempt might have succeeded, and neither a look at the branch nor a comment is possible. */
function commitAbandoned({ effect: { runId, proposalIds }, attempts }: Abandoned<'commit'>): Signal {
  if (attempts > 1) return { type: 'access-lost', cause: 'unreachable' };
  const message = 'GitHub did not take the commit';
  return { type: 'commit-failed', runId, proposalIds, message, refusedByRule: false };
}

/** With an error id, the text refers to the log. */
function failureText(errorId: string | null, otherwise: string): string {
  return errorId === null ? otherwise : `Countersign gave up because of an internal error (error id ${errorId})`;
}
