import type { CommandNamed } from '../comments/command-grammar.ts';
import { changeDiff } from '../edits/change.ts';
import type { Proposal } from '../state/proposal.ts';
import { proposalLink, proposalOutcome } from '../state/replies.ts';
import type { Step } from '../state/step.ts';
import { type CommandContext, endWithInfo, endWithReply } from './shared/context.ts';
import { replyAmbiguous, replyUnknownIds } from './shared/decision-targets.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { resolveTargets } from './shared/targets.ts';

export const show = {
  name: 'show',
  words: ['show'],
  syntax: '/show [<id>]',
  summary: 'show the full diff of a change; in its thread the id may be left out',
  allowedTo: 'writer-or-author',
  argument: 'one-id',
  read: ({ targets }) => ({ name: 'show', targets }),
  run: runShow,
} as const satisfies CommandDefinition<'show'>;

function runShow(context: CommandContext, { targets }: CommandNamed<'show'>): Step {
  const scope = { states: 'pending', includesUndos: true, quote: 'piece' } as const;
  const resolution = resolveTargets(context.pull, scope, targets, context.commentRef);
  switch (resolution.kind) {
    case 'resolved':
      return replyDetails(context, resolution.proposals);
    case 'ambiguous':
      return replyAmbiguous(context, 'show', resolution.pending);
    case 'unknown-ids':
      return replyUnknownIds(context, resolution.ids);
    case 'decided-in-threads':
    case 'no-match':
      return replyNothingPending(context);
  }
}

function replyNothingPending(context: CommandContext): Step {
  return endWithReply(context, { kind: 'nothing-pending', command: 'show' }, 'nothing-pending');
}

function replyDetails(context: CommandContext, [proposal]: readonly Proposal[]): Step {
  if (proposal === undefined) return replyNothingPending(context);
  return endWithInfo(context, {
    kind: 'proposal-details',
    proposal: proposalLink(proposal),
    outcome: proposalOutcome(proposal),
    digest: proposal.change.digest,
    diff: changeDiff(proposal.change),
  });
}
