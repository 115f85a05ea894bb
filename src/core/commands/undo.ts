import { withNeeded } from '../actions/approvals.ts';
import { pullRequestNeeds, stalenessNeeds } from '../actions/fact-needs.ts';
import { appCommitsTo, proposalsBeforeCommit } from '../actions/head-assessment.ts';
import { applyHeadMove } from '../actions/head-moved.ts';
import { endStep, type StepBuilder, startStep, withPullState, withRun } from '../actions/step-builder.ts';
import { advanceBatch, queuePosting } from '../actions/tool-batch.ts';
import type { CommandNamed } from '../comments/command-grammar.ts';
import { createProposalId } from '../comments/ids.ts';
import { membersOf, pathsOf } from '../edits/change.ts';
import { needsCommittedFile } from '../policy/compute-undo.ts';
import { countMembers, findConflictingChange } from '../policy/earlier-changes.ts';
import { findChangeRule, findDeniedPath } from '../policy/path-policy.ts';
import type { Targets } from '../state/intent.ts';
import { LIMITS } from '../state/limits.ts';
import { NEW_PROPOSAL, type Proposal } from '../state/proposal.ts';
import { isOpen } from '../state/proposal-lifecycle.ts';
import { type PullState, pullRequestKey } from '../state/pull-state.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { UndoRefusal } from '../step/refusals.ts';
import { proposalLink, proposalOutcome } from '../step/reply-links.ts';
import type { Step } from '../step/step.ts';
import type { UndoContext, UndoResult } from '../step/undo.ts';
import {
  acknowledge,
  type CommandContext,
  type CommentContext,
  endWithReply,
  refuseIfClosed,
} from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { type CommentRef, findAnsweredProposal } from './shared/targets.ts';

export const undo = {
  name: 'undo',
  words: ['undo'],
  syntax: '/undo [<id>]',
  summary: 'propose the exact reverse of an applied change; in its thread the id may be left out',
  allowedTo: 'writer',
  argument: 'one-id',
  read: ({ targets }) => ({ name: 'undo', targets }),
  needs: {
    condition: 'it means an applied change',
    kinds: ['pull-request', 'staleness', 'undo'],
    next: needsToUndo,
  },
  run: runUndo,
} as const satisfies CommandDefinition<'undo'>;

/** The head, how the open proposals apply to it, and the reverse of the change. */
function needsToUndo({ pull, intent, facts }: CommentContext): readonly Need[] {
  const { parsed } = intent;
  const isUndo = parsed.kind === 'command' && parsed.command.name === 'undo';
  const applied = isUndo ? findUndoable(pull, parsed.command.targets, intent) : null;
  if (applied === null) return [];
  if (facts.pullRequest === undefined) return pullRequestNeeds(facts);
  if (facts.pullRequest.state !== 'open') return [];
  const head = facts.pullRequest.headSha;
  const staleness = stalenessNeeds(pull, head, facts);
  if (staleness.length > 0) return staleness;
  const { id, change } = applied.proposal;
  if (facts.undo !== undefined) return [];
  const commit = membersOf(change).some(needsCommittedFile) ? applied.commitSha : null;
  return [{ kind: 'undo', id, change, commit, head, members: undoContextsOf(pull, applied) }];
}

/** The input of each member's reverse, in order. */
function undoContextsOf(
  { run }: PullState,
  { proposal, commitSha }: AppliedChange,
): readonly Omit<UndoContext, 'files'>[] {
  const { id, change, committed } = proposal;
  const versions = change.op === 'set' ? (committed?.members ?? []) : [committed];
  return membersOf(change).map((member, index) => {
    const range = versions[index]?.range ?? null;
    return { id, change: member, commitSha, range, appCommits: appCommitsTo(run, member.path) };
  });
}

/** A completed proposal and the commit that contains it. */
type AppliedChange = { readonly proposal: Proposal; readonly commitSha: string };

type UndoCommentRef = Pick<CommentRef, 'location' | 'quotedIds'>;

/** The applied change that a `/undo` names; null if it names none, or if another undo of it is open. */
function findUndoable(pull: PullState, targets: Targets, commentRef: UndoCommentRef): AppliedChange | null {
  const proposal = findUndoTarget(pull, targets, commentRef);
  if (proposal?.state !== 'completed' || proposal.commitSha === null) return null;
  return findOpenUndo(pull, proposal) === null ? { proposal, commitSha: proposal.commitSha } : null;
}

function findUndoTarget(pull: PullState, targets: Targets, commentRef: UndoCommentRef): Proposal | null {
  if (targets.by !== 'ids') return findAnsweredProposal(pull, commentRef);
  return pull.proposals.find((one) => targets.ids.includes(one.id) && one.comment !== null) ?? null;
}

function findOpenUndo({ proposals }: PullState, { id }: Proposal): Proposal | null {
  return (
    proposals.find((one) => one.origin.kind === 'undo' && one.origin.undoneProposalId === id && isOpen(one)) ?? null
  );
}

/** Proposes the exact reverse of an applied change, to be decided like every other proposal. */
function runUndo(context: CommandContext, { targets }: CommandNamed<'undo'>): Step {
  const { pull, commentRef, facts } = context;
  const proposal = findUndoTarget(pull, targets, commentRef);
  if (proposal === null) return replyNoTarget(context, targets);
  const openUndo = findOpenUndo(pull, proposal);
  if (openUndo !== null)
    return replyUndoRefused(context, proposal.id, { kind: 'already-proposed', undo: proposalLink(openUndo) });
  const applied = findUndoable(pull, targets, commentRef);
  if (applied === null)
    return replyUndoRefused(context, proposal.id, { kind: 'never-applied', outcome: proposalOutcome(proposal) });
  const refusal = refuseIfClosed(context);
  if (refusal !== null) return refusal;
  const result = checkUndo(pull, applied, facts.undo);
  return result.kind === 'change'
    ? proposeUndo(context, proposal, result)
    : replyUndoRefused(context, proposal.id, result);
}

function replyNoTarget(context: CommandContext, targets: Targets): Step {
  const [id] = targets.by === 'ids' ? targets.ids : [];
  const applied = context.pull.proposals
    .filter(({ state, change }) => state === 'completed' && change.op !== 'read')
    .map(proposalLink);
  const changes = applied.toReversed();
  return id === undefined
    ? endWithReply(context, { kind: 'id-missing', command: 'undo', changes }, 'malformed-command')
    : replyUndoRefused(context, id, { kind: 'unknown-id', applied: changes });
}

function replyUndoRefused(context: CommandContext, proposalId: string, refusal: UndoRefusal): Step {
  return endWithReply(context, { kind: 'undo-refused', proposalId, refusal }, 'undo-refused');
}

/** Checks the reverse against protected paths and open proposals. */
function checkUndo(
  pull: PullState,
  { proposal, commitSha }: AppliedChange,
  result: UndoResult | undefined,
): UndoResult {
  const rules = pull.run?.settings ?? DEFAULT_SETTINGS;
  for (const path of pathsOf(proposal.change)) {
    const rule = findChangeRule(rules, [], path);
    if (rule !== null) return { kind: 'denied-path', path, rule };
  }
  if (result === undefined) return { kind: 'commit-missing', sha: commitSha };
  if (result.kind !== 'change') return result;
  const denied = findDeniedPath(rules, { ...result, origin: { kind: 'undo' } });
  if (denied !== null) return { kind: 'denied-path', ...denied };
  const other = findConflictingChange(result.change, pull.proposals.filter(isOpen));
  if (other !== null) return { kind: 'overlaps', other: proposalLink(other) };
  const places = countMembers([...proposalsBeforeCommit(pull.proposals), result]);
  return places > LIMITS.openMembers ? { kind: 'too-many-open', places, max: LIMITS.openMembers } : result;
}

/** Assesses the other proposals at the current head first, because the undo is for that head. */
function proposeUndo(context: CommandContext, target: Proposal, { change }: Pick<Proposal, 'change'>): Step {
  const { pull, facts, person } = context;
  const headSha = facts.pullRequest?.headSha ?? '';
  const { run } = pull;
  if (run === null) return endWithReply(context, { kind: 'no-run', command: 'undo' }, 'no-run');
  const proposal = withNeeded(
    {
      ...NEW_PROPOSAL,
      id: createProposalId(pullRequestKey(pull.ref), pull.proposalCount),
      runId: run.id,
      origin: { kind: 'undo', undoneProposalId: target.id, by: person },
      index: 1,
      total: 1,
      modelReason: null,
      change,
      userEdit: null,
      headSha,
      requiredApprovals: 1,
    },
    run.settings,
  );
  const assessed = applyHeadMove(syncHeadAndBase(startStep(pull), facts), headSha, facts, null);
  const proposals = [...assessed.pull.proposals, proposal];
  const added = withPullState(assessed, { proposals, proposalCount: pull.proposalCount + 1 });
  return endStep(advanceBatch(queuePosting(acknowledge(added, context), proposal), facts.now), 'undo-proposed');
}

/** Without open proposals, pushes and retargets are not followed, so the stored head and base can be outdated. */
function syncHeadAndBase(builder: StepBuilder, { pullRequest }: Facts): StepBuilder {
  if (pullRequest === undefined || proposalsBeforeCommit(builder.pull.proposals).length > 0) return builder;
  return withRun(builder, { assessedHeadSha: pullRequest.headSha, baseRef: pullRequest.baseRef });
}
