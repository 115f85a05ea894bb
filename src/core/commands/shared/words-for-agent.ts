import { redactDiff } from '../../../lib/credentials.ts';
import { withNote, wordsNote } from '../../actions/agent-notes.ts';
import { answerInsteadOfWaiting } from '../../actions/check-wait.ts';
import { runContinueNeeds, runStartNeeds, runStartOf, startSettings } from '../../actions/fact-needs.ts';
import { applyBase } from '../../actions/head-moved.ts';
import { renewCheckRounds, startNextTurn } from '../../actions/next-turn.ts';
import {
  appendMessages,
  endStep,
  recordFeedback,
  type StepBuilder,
  startStep,
  withEffects,
  withReply,
  withRun,
} from '../../actions/step-builder.ts';
import { advanceBatch, deliverNotes, setCallStatus } from '../../actions/tool-batch.ts';
import { escapeDiff } from '../../agent/context/diff-excerpt.ts';
import { cutDiff } from '../../agent/shared/response-size.ts';
import { type Change, changeDiff, pathsOf } from '../../edits/change.ts';
import { wordsKept } from '../../messages/replies.ts';
import { decideReading } from '../../policy/path-policy.ts';
import { callRefOf, type ToolBatch, type TranscriptMessage, toIssuedCall } from '../../state/conversation.ts';
import { NO_IDLE_RESPONSES } from '../../state/limits.ts';
import { isPending, type Proposal, type ProposalState } from '../../state/proposal.ts';
import { activeRun, type PullState } from '../../state/pull-state.ts';
import { type DecidedChange, isAnswering, type Resumption } from '../../state/run.ts';
import { DEFAULT_SETTINGS } from '../../state/settings.ts';
import { priceOf, renewSpending } from '../../state/spending.ts';
import { CONTEXT_LIMITS } from '../../state/task-context.ts';
import type { Facts, Need } from '../../step/facts.ts';
import type { Step } from '../../step/step.ts';
import { acknowledge, type CommandContext, type CommentContext, refuseToRun } from './context.ts';
import { findOpenQuestion } from './targets.ts';

/** Who gets a person's words: the active run, the last one, which goes on with its transcript, or a new one. */
type WordsReceiver = 'active-run' | 'ended-run' | 'new-run';

/** How long after its end a run goes on with a person's words. Later ones begin a run that knows the earlier ones. */
const CONTINUABLE_MS = 7 * 24 * 60 * 60 * 1000;

/** Words about a change reach a finished run only if it is the one that proposed the change. */
function receiverOf(pull: PullState, createdAt: string, about: Proposal | null): WordsReceiver {
  const { run } = pull;
  if (activeRun(pull) !== null) return 'active-run';
  if (run === null || run.phase.kind !== 'ended' || run.messageCount === 0 || pull.queue.length > 0) return 'new-run';
  if (about !== null && about.runId !== run.id) return 'new-run';
  const isRecent = Date.parse(createdAt) - Date.parse(run.phase.at) <= CONTINUABLE_MS;
  return isRecent && isAnswering(run.phase.reason) ? 'ended-run' : 'new-run';
}

/** The next facts to give a person's words to their receiver; `about` is the decided change that they answer. */
export function wordsNeeds({ pull, intent, facts }: CommentContext, about: Proposal | null): readonly Need[] {
  const receiver = receiverOf(pull, intent.createdAt, about);
  if (receiver === 'active-run') return [];
  return receiver === 'ended-run' ? runContinueNeeds(facts, intent.actor) : runStartNeeds(facts, intent.actor);
}

const OUTCOMES: Partial<Record<ProposalState, DecidedChange['outcome']>> = {
  completed: 'applied',
  rejected: 'denied',
  expired: 'expired',
};

/** Whether words that answer the proposal are for the agent: they were written after its change was decided. */
export function isAboutDecided({ state, origin, decidedAt }: Proposal, createdAt: string): boolean {
  if (OUTCOMES[state] === undefined || origin.kind !== 'call' || decidedAt === null) return false;
  return Date.parse(createdAt) > Date.parse(decidedAt);
}

/**
 * Gives a person's words to the active run, or goes on with the last one. What was denied can be
 * proposed again. `startRun` is for words that no run is there for.
 */
export function giveWordsToAgent(
  context: CommandContext,
  text: string,
  proposal: Proposal | null,
  startRun: (context: CommandContext, text: string, about: DecidedChange | null) => Step,
): Step {
  const { pull, intent, person } = context;
  const receiver = receiverOf(pull, intent.createdAt, proposal);
  const about = proposal === null ? null : decidedChange(proposal, context);
  if (receiver === 'new-run') return startRun(context, text, about);
  const refusal = receiver === 'active-run' ? null : refuseToRun(context);
  if (refusal !== null) return refusal;
  const note = wordsNote(person, text, intent.createdAt, about);
  const lifted = recordFeedback(startStep(pull), context.facts.now);
  const noted = acknowledge(withNote(lifted, note), context, 'eyes');
  return receiver === 'active-run'
    ? endStep(answerInsteadOfWaiting(tellWhenRead(noted, context), context.facts.now), 'note-queued')
    : endStep(continueEndedRun(noted, context), 'resumed');
}

/** While people are to decide something, the agent reads nothing else, which each person is told once per response. */
function tellWhenRead(builder: StepBuilder, { pull, person, intent: { location } }: CommandContext): StepBuilder {
  const pending = pull.proposals.filter((one) => isPending(one) && one.origin.kind === 'call');
  const question = findOpenQuestion(pull);
  if (pending.length === 0 && question === null) return builder;
  const once = `words-kept:${pull.run?.id}:${pull.run?.turns}:${person.id}`;
  return withReply(builder, location, wordsKept(pending, question), once);
}

/** Half a secret is not recognized, so the diff is cut last. */
function decidedChange({ state, runId, change }: Proposal, context: CommandContext): DecidedChange | null {
  const outcome = OUTCOMES[state];
  if (outcome === undefined) return null;
  const whole = readableDiff(context, change);
  const diff = whole === null ? null : cutDiff(whole, CONTEXT_LIMITS.hunk);
  return { path: pathsOf(change).join(', '), outcome, isOwn: runId === context.pull.run?.id, diff };
}

/**
 * The diff of a change that people write about, as the model gets it. Null if there is none, or if one of its files is
 * denied to the model or needs an approval to be read: that was for the run that proposed the change. The rules are
 * those of the last run, and those of now where they are known, with which the next run begins.
 */
export function readableDiff({ pull, facts }: Pick<CommandContext, 'pull' | 'facts'>, change: Change): string | null {
  const diff = changeDiff(change);
  const rules = [pull.run?.settings ?? DEFAULT_SETTINGS, startSettings(facts)];
  const isReadable = (path: string) => rules.every((one) => decideReading(one, 'read_diff', path).kind === 'allow');
  return diff === null || !pathsOf(change).every(isReadable) ? null : escapeDiff(redactDiff(diff));
}

/** Gives the words of a command about the whole to the agent, with the outcomes that it waits for. */
export function withWords(builder: StepBuilder, { person, intent, facts }: CommandContext, text: string): StepBuilder {
  if (text === '') return builder;
  return withNote(recordFeedback(builder, facts.now), wordsNote(person, text, intent.createdAt));
}

/** The end is then told to the person where they wrote, and only what came of their words. */
function continueEndedRun(builder: StepBuilder, { person, intent, facts }: CommandContext): StepBuilder {
  const { run } = builder.pull;
  if (run === null) return builder;
  const spoken = { by: person, location: intent.location, turns: run.turns, commits: run.commits.length };
  return continueRun(builder, { by: person, requestedAt: intent.createdAt, spoken }, [], facts);
}

/**
 * Goes on with an ended run from its transcript, which gets the notes and then `messages`. Where its changes expired,
 * they are proposed again first.
 */
export function continueRun(
  builder: StepBuilder,
  lastResumption: Resumption,
  messages: readonly TranscriptMessage[],
  facts: Facts,
): StepBuilder {
  const { now, pullRequest, modelPrices } = facts;
  const { run } = builder.pull;
  if (run === null) return builder;
  const resumed = withRun(applyBase(builder, pullRequest?.baseRef ?? run.assessed.baseRef, now), {
    lastResumption,
    summary: null,
    idleResponses: NO_IDLE_RESPONSES,
    spending: renewSpending(run.spending, priceOf(modelPrices, run.settings.model)),
  });
  const counted = { ...renewCheckRounds(resumed), runStart: runStartOf(facts, lastResumption.by) };
  return run.batch === null
    ? startNextTurn(appendMessages(deliverNotes(counted), ...messages), now)
    : advanceBatch(retryExpiredCalls(counted, run.id, run.batch), now);
}

/** Repeats the model's own calls that expired undecided, on the current head; the model does not notice. */
function retryExpiredCalls(builder: StepBuilder, runId: string, { turn, calls }: ToolBatch): StepBuilder {
  const expired = calls.filter(({ status }) => status.kind === 'expired');
  const running = withRun(builder, { phase: { kind: 'running-tools', turn } });
  if (expired.length === 0) return running;
  const restarted = expired.reduce((next, call) => setCallStatus(next, callRefOf(call), { kind: 'running' }), running);
  return withEffects(restarted, { type: 'run-tools', runId, turn, calls: expired.map(toIssuedCall) });
}
