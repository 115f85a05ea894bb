import { withNote } from '../actions/agent-notes.ts';
import { appendMessages, endStep, noop, startStep, withEffects, withRun } from '../actions/step-builder.ts';
import { advanceBatch, deliverNotes, isBatchComplete } from '../actions/tool-batch.ts';
import { buildFirstMessage } from '../agent/context/first-message.ts';
import { buildSystemPrompt } from '../agent/system-prompt.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Facts } from '../step/facts.ts';
import type { Signal } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/** Begins the conversation with the model: the system prompt, the first message, and what people said meanwhile. */
export function onContextRead(pull: PullState, signal: Extract<Signal, { type: 'context-read' }>, facts: Facts): Step {
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId || run.phase.kind !== 'reading-context')
    return noop(pull, 'outdated-result');
  const { pull: summary, context } = signal;
  const content = buildFirstMessage({ task: run.task, ref: pull.ref, pull: summary, context });
  const prompt = buildSystemPrompt(run.settings.limits);
  const opened = appendMessages(startStep(pull), { role: 'system', content: prompt }, { role: 'user', content });
  const told = deliverNotes(opened);
  const awaiting = withRun(told, { phase: { kind: 'awaiting-model', turn: 1, since: facts.now, delay: null } });
  return endStep(withEffects(awaiting, { type: 'ask-model', runId: run.id, turn: 1 }), 'context-read');
}

/** Keeps what another person pushed for the next request to the model, which results can have waited for. */
export function onPushRead(pull: PullState, signal: Extract<Signal, { type: 'push-read' }>, { now }: Facts): Step {
  const { runId, by, before, after, content } = signal;
  const run = activeRun(pull);
  if (run?.id !== runId) return noop(pull, 'outdated-result');
  const note = { kind: 'push', by, before, after, content } as const;
  const unreadPushes = run.unreadPushes.filter((sha) => sha !== after);
  const noted = withRun(withNote(startStep(pull), note), { unreadPushes });
  const isAwaited = run.batch !== null && isBatchComplete(run.batch);
  return endStep(isAwaited ? advanceBatch(noted, now) : noted, 'push-read');
}
