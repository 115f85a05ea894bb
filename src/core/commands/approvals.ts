import { isInForce } from '../policy/standing-approvals.ts';
import { type StandingApprovalLine, standingApprovalLine } from '../state/replies.ts';
import { type CommandContext, endWithInfo } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';

export const approvals = {
  name: 'approvals',
  words: ['approvals'],
  syntax: '/approvals',
  summary: 'list the standing approvals of this pull request, with what each reaches',
  allowedTo: 'writer-or-author',
  argument: 'nothing',
  read: () => ({ name: 'approvals' }),
  run: (context) => endWithInfo(context, { kind: 'standing-approvals', approvals: listInForce(context) }),
} as const satisfies CommandDefinition<'approvals'>;

/** The standing approvals that are in force now, oldest first. */
export function listInForce({ pull, facts }: Pick<CommandContext, 'pull' | 'facts'>): readonly StandingApprovalLine[] {
  return pull.standingApprovals.filter((one) => isInForce(one, facts.now)).map(standingApprovalLine);
}
