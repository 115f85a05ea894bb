import { endStandingApproval } from '../actions/standing-approvals.ts';
import { endStep, type StepBuilder, showRun, startStep, withPullState, withReply } from '../actions/step-builder.ts';
import { type CommandNamed, readAlone } from '../comments/command-line.ts';
import {
  standingApprovalGranted,
  standingApprovalsShown,
  standingApprovalUnknown,
} from '../messages/approval-replies.ts';
import { findScope, isInForce, MAX_STANDING_APPROVALS } from '../policy/standing-approvals.ts';
import type { AlwaysRequest } from '../state/intent.ts';
import { expiryAfter } from '../state/limits.ts';
import type { Proposal } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { StandingApproval } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import type { StandingObstacle } from '../step/reasons.ts';
import type { Step } from '../step/step.ts';
import {
  acknowledge,
  type CommandContext,
  type CommandDefinition,
  createVote,
  endWithInfo,
  endWithReply,
} from './shared/context.ts';

/** The standing approval that `/approve always` gives, or why it approves this change only. */
export function requestStandingApproval(
  context: CommandContext,
  proposal: Proposal,
  { glob }: AlwaysRequest,
): StandingApproval | StandingObstacle {
  const { pull, facts, intent, person } = context;
  if (facts.settings?.kind !== 'settings') return 'switched-off';
  const { settings } = facts.settings;
  if (pull.run?.task.by.id !== person.id) return 'not-your-run';
  const scope = findScope(proposal, glob, settings);
  if (typeof scope === 'string') return scope;
  if (inForce(pull, facts).length >= MAX_STANDING_APPROVALS) return 'too-many';
  const expiresAt = expiryAfter(intent.createdAt, settings.expiryHours);
  const ref = { ...scope, number: pull.standingApprovalCount + 1, expiresAt };
  const vote = { ...createVote(context, proposal, 'approve-always', null), standingApproval: ref };
  return { ...ref, vote, grantedAt: intent.createdAt };
}

/** Stores the standing approval and replies with it. Expired ones are dropped, so that their number stays bounded. */
export function recordStandingApproval(
  builder: StepBuilder,
  { intent, facts }: CommandContext,
  approval: StandingApproval,
): StepBuilder {
  const given = withPullState(builder, {
    standingApprovals: [...inForce(builder.pull, facts), approval],
    standingApprovalCount: approval.number,
  });
  return showRun(withReply(given, intent.location, standingApprovalGranted(approval)));
}

export const approvals = {
  name: 'approvals',
  words: ['approvals'],
  syntax: '/approvals',
  summary: 'list the standing approvals of this pull request, with what each reaches',
  allowedTo: 'writer-or-author',
  read: readAlone({ name: 'approvals' }),
  run: (context) => endWithInfo(context, standingApprovalsShown(inForce(context.pull, context.facts))),
} as const satisfies CommandDefinition<'approvals'>;

/** The standing approvals that are in force now, oldest first. */
function inForce({ standingApprovals }: PullState, { now }: Facts): readonly StandingApproval[] {
  return standingApprovals.filter((one) => isInForce(one, now));
}

export const revoke = {
  name: 'revoke',
  words: ['revoke'],
  syntax: '/revoke <n>',
  summary: 'take back a standing approval of any person, and its approvals of changes that are not committed yet',
  allowedTo: 'writer',
  read: ({ rest }) => (/^\d{1,6}$/.test(rest) ? { name: 'revoke', number: Number(rest) } : null),
  run: runRevoke,
} as const satisfies CommandDefinition<'revoke'>;

/** Like a denial it needs no rule for approvers, and no fact besides the person's permission. */
function runRevoke(context: CommandContext, { number }: CommandNamed<'revoke'>): Step {
  const { pull, facts, person, intent } = context;
  const standing = inForce(pull, facts);
  const approval = standing.find((one) => one.number === number);
  if (approval === undefined) return endWithReply(context, standingApprovalUnknown(number, standing), 'unknown-ids');
  const acknowledged = acknowledge(startStep(pull), context);
  const cause = { kind: 'revoked', by: person } as const;
  return endStep(endStandingApproval(acknowledged, approval, cause, intent.location), 'standing-approval-revoked');
}
