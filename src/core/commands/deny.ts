import {
  currentProposal,
  endStep,
  queueCommentUpdate,
  recordVote,
  type StepBuilder,
  startStep,
  withProposal,
} from '../actions/step-builder.ts';
import { advanceBatch, answerProposalCalls } from '../actions/tool-batch.ts';
import { cleanText } from '../agent/shared/clean-text.ts';
import { deniedOutput, readDeniedOutput } from '../agent/shared/tool-results.ts';
import { type CommandNamed, readTargetsAndText } from '../comments/command-line.ts';
import type { Proposal } from '../state/proposal.ts';
import { transition } from '../state/proposal-lifecycle.ts';
import type { Vote } from '../state/vote.ts';
import type { Step } from '../step/step.ts';
import { answerQuestion } from './shared/answer-question.ts';
import { acknowledge, type CommandContext, createVote, withLeftoverReplies } from './shared/context.ts';
import { type ResolvedTargets, resolveDecisionTargets } from './shared/decision-targets.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { findAnsweredQuestion, findDecidedQuestion } from './shared/question-targets.ts';
import { findAnsweredProposal } from './shared/targets.ts';

export const deny = {
  name: 'deny',
  words: ['deny', 'reject', 'dismiss'],
  syntax: '/deny [<id>…|all] [reason]',
  summary: 'do not make this change; the reason goes to the agent',
  allowedTo: 'writer-or-author',
  decidesOn: { states: 'uncommitted', includesUndos: true, quotePoints: true, idsNameLaterPosts: true },
  read: ({ rest, note }) => {
    const { text, ...denied } = readTargetsAndText(rest, note);
    return { name: 'deny', ...denied, reason: text };
  },
  run: runDeny,
} as const satisfies CommandDefinition<'deny'>;

function runDeny(context: CommandContext, command: CommandNamed<'deny'>): Step {
  const { targets, reason } = targetsAndReason(context, command);
  const text = reasonForModel(context, reason);
  const question = findDecidedQuestion(context.pull, deny.decidesOn, targets, context.commentRef);
  if (question !== null) return answerQuestion(context, question, { kind: 'reject' }, text);
  const resolved = resolveDecisionTargets(context, deny, targets);
  const step = resolved.kind === 'replied' ? resolved.step : denyAll(context, resolved, text);
  return recordLateDenial(context, step, resolved.alreadyDecided, { action: 'deny', text });
}

/** In the thread of a proposal or question, a first word that only looks like an id is part of the reason. */
function targetsAndReason(
  { pull, commentRef }: CommandContext,
  command: CommandNamed<'deny'>,
): Pick<CommandNamed<'deny'>, 'targets' | 'reason'> {
  const { targets } = command;
  const isAnswer = findAnsweredProposal(pull, commentRef) !== null || findAnsweredQuestion(pull, commentRef) !== null;
  if (targets.by !== 'ids' || !isAnswer) return command;
  const known = [...pull.proposals, ...(pull.run?.questions ?? [])];
  const isKnown = targets.ids.some((id) => known.some((one) => one.id === id));
  return isKnown ? command : { targets: { by: 'location' }, reason: command.fullText };
}

/** The pull request's author can deny without write access, but can't instruct the agent. */
function reasonForModel({ role }: CommandContext, reason: string): string | null {
  const text = cleanText(reason);
  return role === 'writer' && text !== '' ? text : null;
}

function denyAll(
  context: CommandContext,
  { open, alreadyDecided, postedLater }: ResolvedTargets,
  reason: string | null,
): Step {
  const denied = open.reduce(
    (builder, one) => rejectWithVote(builder, one, createVote(context, one, 'deny', reason), context.intent.createdAt),
    startStep(context.pull),
  );
  const advanced = advanceBatch(acknowledge(denied, context), context.facts.now);
  return endStep(withLeftoverReplies(advanced, context, alreadyDecided, postedLater), 'denied');
}

/** Rejects one proposal with this vote, and answers its call. `at` is the time of the denial. */
export function rejectWithVote(builder: StepBuilder, proposal: Proposal, vote: Vote, at: string): StepBuilder {
  const voted = recordVote(builder, vote);
  const rejected = withProposal(voted, transition(currentProposal(voted, proposal), 'rejected', at));
  const { change } = proposal;
  const output = change.op === 'read' ? readDeniedOutput(change.path, vote) : deniedOutput(vote);
  return queueCommentUpdate(answerProposalCalls(rejected, proposal, output), proposal);
}

/** A denial can't stop a commit already in flight, but it prevents any retry. */
export function recordLateDenial(
  context: CommandContext,
  step: Step,
  alreadyDecided: readonly Proposal[],
  { action, text }: { readonly action: 'deny' | 'edit'; readonly text: string | null },
): Step {
  // An undo has no call that an instruction could go to, so `/edit` does not stop it.
  const executing = alreadyDecided.filter(
    ({ state, origin }) => state === 'executing' && (action === 'deny' || origin.kind === 'call'),
  );
  const { pull, votes } = executing.reduce(
    (builder: StepBuilder, one) => recordVote(builder, createVote(context, one, action, text)),
    step,
  );
  return { ...step, pull, votes };
}
