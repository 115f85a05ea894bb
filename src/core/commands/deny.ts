import { currentProposal, endStep, recordVote, type StepBuilder, startStep } from '../actions/step-builder.ts';
import { advanceBatch, rejectProposal } from '../actions/tool-batch.ts';
import { cleanText } from '../agent/shared/clean-text.ts';
import { type CommandNamed, readLeadingGlob, readTargetsAndText } from '../comments/command-line.ts';
import type { Proposal } from '../state/proposal.ts';
import type { Vote } from '../state/vote.ts';
import type { Step } from '../step/step.ts';
import { answerQuestion } from './answer.ts';
import {
  acknowledge,
  type CommandContext,
  type CommandDefinition,
  createVote,
  type ResolvedTargets,
  withLeftoverReplies,
} from './shared/context.ts';
import { findDecidedQuestion, meantTargets, resolveDecisionTargets } from './shared/targets.ts';

export const deny = {
  name: 'deny',
  words: ['deny', 'reject', 'dismiss'],
  syntax: '/deny [<id>…|all|<glob>] [reason]',
  summary: 'do not make this change, or those on the paths of a glob; the reason goes to the agent',
  allowedTo: 'writer-or-author',
  decidesOn: { states: 'uncommitted', includesUndos: true },
  read: ({ rest, note }) => {
    const { text, ...denied } = readLeadingGlob(rest, note) ?? readTargetsAndText(rest, note);
    return { name: 'deny', ...denied, reason: text };
  },
  run: runDeny,
} as const satisfies CommandDefinition<'deny'>;

function runDeny(context: CommandContext, command: CommandNamed<'deny'>): Step {
  const { targets, text: reason } = meantTargets(context, command.targets, command.reason, command.fullText);
  const text = reasonForModel(context, reason);
  const question = findDecidedQuestion(context.pull, deny.decidesOn, targets, context.commentRef);
  if (question !== null) return answerQuestion(context, question, { kind: 'reject' }, text);
  const resolved = resolveDecisionTargets(context, deny, targets);
  if (!('open' in resolved)) return resolved;
  return rejectAll(context, startStep(context.pull), resolved, { action: 'deny', text });
}

/** The pull request's author can deny without write access, but can't instruct the agent. */
function reasonForModel({ role }: CommandContext, reason: string): string | null {
  const text = cleanText(reason);
  return role === 'writer' && text !== '' ? text : null;
}

/** Rejects one proposal with this vote, and answers its call. `at` is the time of the vote. */
export function rejectWithVote(builder: StepBuilder, proposal: Proposal, vote: Vote, at: string): StepBuilder {
  const voted = recordVote(builder, vote);
  return rejectProposal(voted, currentProposal(voted, proposal), vote, at);
}

/** Rejects the open proposals. It can't stop a commit already in flight, but prevents any retry. */
export function rejectAll(
  context: CommandContext,
  started: StepBuilder,
  resolved: ResolvedTargets,
  { action, text }: { readonly action: 'deny' | 'edit'; readonly text: string | null },
): Step {
  const { open, alreadyDecided } = resolved;
  const rejected = open.reduce(
    (builder, one) => rejectWithVote(builder, one, createVote(context, one, action, text), context.intent.createdAt),
    started,
  );
  // An undo has no call that an instruction could go to, so `/edit` does not stop it.
  const executing = alreadyDecided.filter(
    ({ state, origin }) => state === 'executing' && (action === 'deny' || origin.kind === 'call'),
  );
  const voted = executing.reduce(
    (builder, one) => recordVote(builder, createVote(context, one, action, text)),
    rejected,
  );
  const advanced = open.length === 0 ? voted : advanceBatch(acknowledge(voted, context), context.facts.now);
  const reason = open.length === 0 ? 'already-decided' : action === 'deny' ? 'denied' : 'edit-requested';
  return endStep(withLeftoverReplies(advanced, context, resolved), reason);
}
