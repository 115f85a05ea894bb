import { type CommandNamed, readOneId, splitWords } from '../comments/command-line.ts';
import { changeShown, idMissing } from '../messages/replies.ts';
import type { Step } from '../step/step.ts';
import { type CommandContext, type CommandDefinition, endWithInfo, endWithReply } from './shared/context.ts';
import { replyUnresolved, resolveTargets } from './shared/targets.ts';

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
  const scope = { states: 'uncommitted', includesUndos: true } as const;
  const resolution = resolveTargets(context.pull, scope, targets, context.commentRef);
  const [proposal] = resolution.kind === 'resolved' ? resolution.proposals : [];
  if (proposal !== undefined) return endWithInfo(context, changeShown(proposal));
  if (resolution.kind === 'ambiguous' || resolution.kind === 'unknown-ids')
    return replyUnresolved(context, 'show', resolution);
  // Decided changes can be shown too, so the reply names them.
  const posted = context.pull.proposals.filter(({ comment }) => comment !== null);
  return endWithReply(context, idMissing('show', posted.toReversed()), 'nothing-pending');
}
