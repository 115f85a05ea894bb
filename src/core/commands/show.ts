import { type CommandNamed, readOneId, splitWords } from '../comments/command-line.ts';
import { changeShown, idMissing } from '../messages/replies.ts';
import type { Proposal } from '../state/proposal.ts';
import type { Step } from '../step/step.ts';
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
  read: ({ rest }) => {
    const targets = readOneId(splitWords(rest));
    return targets === null ? null : { name: 'show', targets };
  },
  run: runShow,
} as const satisfies CommandDefinition<'show'>;

function runShow(context: CommandContext, { targets }: CommandNamed<'show'>): Step {
  const scope = { states: 'pending', includesUndos: true, quotePoints: true, idsNameLaterPosts: false } as const;
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
      return replyIdMissing(context);
  }
}

/** Decided changes can be shown too, so the reply names them. */
function replyIdMissing(context: CommandContext): Step {
  const posted = context.pull.proposals.filter(({ comment }) => comment !== null);
  return endWithReply(context, idMissing('show', posted.toReversed()), 'nothing-pending');
}

function replyDetails(context: CommandContext, [proposal]: readonly Proposal[]): Step {
  return proposal === undefined ? replyIdMissing(context) : endWithInfo(context, changeShown(proposal));
}
