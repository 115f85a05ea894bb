import { withNeeded } from '../actions/approvals.ts';
import { pullRequestNeeds, stalenessNeeds } from '../actions/fact-needs.ts';
import { appCommitsTo, proposalsBeforeCommit } from '../actions/head-assessment.ts';
import { applyHeadMove } from '../actions/head-moved.ts';
import { endStep, type StepBuilder, startStep, withPullState, withRun } from '../actions/step-builder.ts';
import { advanceBatch, queuePosting } from '../actions/tool-batch.ts';
import { type CommandNamed, readOneId, splitWords } from '../comments/command-line.ts';
import { createProposalId } from '../comments/ids.ts';
import { isReading, mainPath } from '../edits/change.ts';
import { idMissing, nothingPending, undoRefused } from '../messages/replies.ts';
import { countMembers, findConflictingChange } from '../policy/earlier-changes.ts';
import { findDeniedPath } from '../policy/path-policy.ts';
import type { Targets } from '../state/intent.ts';
import { LIMITS } from '../state/limits.ts';
import { isOpen, NEW_PROPOSAL, type Proposal } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import type { AppliedChange, Facts, Need, UndoResult } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import {
  acknowledge,
  type CommandContext,
  type CommandDefinition,
  type CommentContext,
  type CommentRef,
  endWithReply,
  refuseToRun,
} from './shared/context.ts';
import { findAnsweredProposal } from './shared/targets.ts';

export const undo = {
  name: 'undo',
  words: ['undo'],
  syntax: '/undo [<id>]',
  summary: 'propose the exact reverse of an applied change; in its thread the id may be left out',
  allowedTo: 'writer',
  read: ({ rest }) => {
    const targets = readOneId(splitWords(rest));
    return targets === null ? null : { name: 'undo', targets };
  },
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
  const applied = isUndo ? findApplied(pull, parsed.command.targets, intent) : null;
  if (applied === null) return [];
  if (facts.pullRequest === undefined) return pullRequestNeeds(facts);
  if (facts.pullRequest.state !== 'open') return [];
  const head = facts.pullRequest.headSha;
  const staleness = stalenessNeeds(pull, head, facts);
  if (staleness.length > 0) return staleness;
  return facts.undo === undefined ? [{ kind: 'undo', head, applied: asApplied(pull, applied) }] : [];
}

/** The applied change that a `/undo` names; null if it names none. */
function findApplied(pull: PullState, targets: Targets, commentRef: UndoCommentRef): Proposal | null {
  const named =
    targets.by === 'ids'
      ? pull.proposals.find(({ id }) => targets.ids.includes(id))
      : findAnsweredProposal(pull, commentRef);
  return named !== null && named !== undefined && isUndoable(named) ? named : null;
}

type UndoCommentRef = Pick<CommentRef, 'location' | 'quotedIds'>;

function isUndoable({ state, change }: Proposal): boolean {
  return state === 'completed' && !isReading(change);
}

/** The change with its lines in the commit. */
function asApplied({ run }: PullState, { id, change, committed }: Proposal): AppliedChange {
  const versions = committed?.members ?? [];
  const members = change.members.map((member, index) => {
    return { change: member, range: versions[index]?.range ?? null, appCommits: appCommitsTo(run, member.path) };
  });
  return { id, change, members };
}

/** Proposes the exact reverse of an applied change, to be decided like every other proposal. */
function runUndo(context: CommandContext, { targets }: CommandNamed<'undo'>): Step {
  const { pull, commentRef, facts } = context;
  const applied = findApplied(pull, targets, commentRef);
  if (applied === null) {
    const changes = pull.proposals.filter(isUndoable).toReversed();
    return endWithReply(context, idMissing('undo', changes), 'undo-refused');
  }
  const closed = refuseToRun(context);
  if (closed !== null) return closed;
  const result = checkUndo(pull, facts.undo ?? { kind: 'changed-since', path: mainPath(applied.change) });
  if (result.kind === 'change') return proposeUndo(context, applied, result);
  return endWithReply(context, undoRefused(applied.id, result), 'undo-refused');
}

/** Checks the reverse against denied paths and open proposals. */
function checkUndo(pull: PullState, result: UndoResult): UndoResult {
  if (result.kind !== 'change') return result;
  const rules = pull.run?.settings ?? DEFAULT_SETTINGS;
  const denied = findDeniedPath(rules, { ...result, origin: { kind: 'undo' } });
  if (denied !== null) return refuse(`Countersign may not write ${denied.path} (${denied.rule}).`);
  const other = findConflictingChange(result.change, pull.proposals.filter(isOpen));
  if (other !== null) return { kind: 'pending', other };
  const places = countMembers([...proposalsBeforeCommit(pull.proposals), result]);
  if (places <= LIMITS.openMembers) return result;
  return refuse(`${places} places would wait for a decision, and one commit can name at most ${LIMITS.openMembers}.`);
}

function refuse(message: string): UndoResult {
  return { kind: 'refused', message: `Not proposed: ${message}` };
}

/** Assesses the other proposals at the current head first, because the undo is for that head. */
function proposeUndo(context: CommandContext, target: Proposal, { change }: Pick<Proposal, 'change'>): Step {
  const { pull, facts, person } = context;
  const headSha = facts.pullRequest?.headSha ?? '';
  const { run } = pull;
  if (run === null) return endWithReply(context, nothingPending('undo'), 'no-run');
  const proposal = withNeeded(
    {
      ...NEW_PROPOSAL,
      id: createProposalId(pull),
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
  return endStep(advanceBatch(queuePosting(acknowledge(added, context), proposal), facts.now), 'proposals-created');
}

/** Without open proposals, pushes and retargets are not followed, so the stored head and base can be outdated. */
function syncHeadAndBase(builder: StepBuilder, { pullRequest }: Facts): StepBuilder {
  if (pullRequest === undefined || proposalsBeforeCommit(builder.pull.proposals).length > 0) return builder;
  const { headSha, baseRef } = pullRequest;
  return withRun(builder, { assessed: { headSha, baseRef } });
}
