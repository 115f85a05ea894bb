import { answerInsteadOfWaiting, checkWaitOf, endInsteadOfWaiting } from '../actions/check-wait.ts';
import { wasAskedBefore } from '../actions/close-question.ts';
import { withdrawQuestions } from '../actions/questions.ts';
import { endStep, startStep, withRun } from '../actions/step-builder.ts';
import { advanceBatch, withdrawExpiredCalls, withdrawProposal } from '../actions/tool-batch.ts';
import { WITHDRAWN_OUTPUT } from '../agent/shared/tool-results.ts';
import type { CommandNamed } from '../comments/command-line.ts';
import { nothingPending } from '../messages/replies.ts';
import { activeRun } from '../state/pull-state.ts';
import { nextQuestion } from '../state/question.ts';
import type { Step } from '../step/step.ts';
import { acknowledge, type CommandContext, type CommandDefinition, endWithReply } from './shared/context.ts';
import { findOpenQuestion, replyUnresolved, resolveAll } from './shared/targets.ts';
import { withWords } from './shared/words-for-agent.ts';

export const continueCommand = {
  name: 'continue',
  words: ['continue'],
  syntax: '/continue',
  summary:
    'send the decisions so far to the agent and withdraw all undecided changes and open questions; lines below are a note for the agent',
  allowedTo: 'writer',
  decidesOn: { states: 'pending', includesUndos: false },
  read: ({ rest, below }) => (rest === '' ? { name: 'continue', text: below.trim() } : null),
  run: runContinue,
} as const satisfies CommandDefinition<'continue'>;

function runContinue(context: CommandContext, { text }: CommandNamed<'continue'>): Step {
  const run = activeRun(context.pull);
  if (checkWaitOf(context.pull) !== null) return stopWaiting(context, text);
  const pending = resolveAll(context.pull, continueCommand.decidesOn, context.commentRef);
  const question = findOpenQuestion(context.pull);
  const isAsking = question !== null && wasAskedBefore(question, context.intent.createdAt);
  // One that waits for the pending changes is withdrawn with them.
  const isWaiting = question === null && nextQuestion(run?.questions ?? []) !== null;
  if (pending.kind !== 'resolved' && !isAsking) return replyUnresolved(context, 'continue', pending);
  if (run?.batch == null) return endWithReply(context, nothingPending('continue'), 'nothing-pending');
  const batch = { ...run.batch, continued: true };
  const continued = withdrawExpiredCalls(withRun(withWords(startStep(context.pull), context, text), { batch }));
  const note = `${context.person.login} went on without it with /continue`;
  const proposals = pending.kind === 'resolved' ? pending.proposals : [];
  const withdrawn = proposals.reduce(
    (builder, one) => withdrawProposal(builder, one, { note, output: WITHDRAWN_OUTPUT }, context.intent.createdAt),
    isAsking || isWaiting ? withdrawQuestions(continued, note, WITHDRAWN_OUTPUT) : continued,
  );
  return endStep(advanceBatch(acknowledge(withdrawn, context), context.facts.now), 'continued');
}

/** The run does not wait for checks any longer: with words it goes on, without any it ends. */
function stopWaiting(context: CommandContext, text: string): Step {
  const { now } = context.facts;
  const noted = acknowledge(withWords(startStep(context.pull), context, text), context);
  return endStep(text === '' ? endInsteadOfWaiting(noted, now) : answerInsteadOfWaiting(noted, now), 'continued');
}
