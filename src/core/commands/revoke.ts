import { endStandingApproval } from '../actions/standing-approvals.ts';
import { endStep, startStep } from '../actions/step-builder.ts';
import type { CommandNamed } from '../comments/command-grammar.ts';
import { isInForce } from '../policy/standing-approvals.ts';
import type { Step } from '../state/step.ts';
import { listInForce } from './approvals.ts';
import { acknowledge, type CommandContext, endWithReply } from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';

export const revoke = {
  name: 'revoke',
  words: ['revoke'],
  syntax: '/revoke <n>',
  summary: 'take back a standing approval of any person, and its approvals of changes that are not committed yet',
  allowedTo: 'writer',
  argument: 'number',
  read: ({ text }) => ({ name: 'revoke', number: Number(text) }),
  run: runRevoke,
} as const satisfies CommandDefinition<'revoke'>;

/** Like a denial it needs no rule for approvers, and no fact besides the person's permission. */
function runRevoke(context: CommandContext, { number }: CommandNamed<'revoke'>): Step {
  const { pull, facts, person, intent } = context;
  const approval = pull.standingApprovals.find((one) => one.number === number && isInForce(one, facts.now));
  if (approval === undefined)
    return endWithReply(
      context,
      { kind: 'standing-unknown', number, approvals: listInForce(context) },
      'standing-approval-unknown',
    );
  const acknowledged = acknowledge(startStep(pull), context);
  const cause = { kind: 'revoked', by: person } as const;
  return endStep(
    endStandingApproval(acknowledged, approval, cause, facts.now, intent.location),
    'standing-approval-revoked',
  );
}
