import type { CommittedChangeRow, LedgerAnswer, LedgerEntry, VoteRow } from '../../adapters/store/ledger.ts';
import type { ChangePayload } from '../../core/edits/change.ts';
import { describeProposal, type Proposal, postedChange } from '../../core/state/proposal.ts';
import type { AgentQuestion } from '../../core/state/question.ts';
import { instructionOf, type UserResponse } from '../../core/step/ledger-record.ts';
import { parseJson } from '../../lib/trust.ts';

/** One line of the export. Times are ISO 8601. A field is null if it does not apply yet, or was deleted. */
export type ExportedRow = {
  readonly proposalId: string;
  /** Id of the run. */
  readonly conversationId: string | null;
  /** Ids of installation and repository. */
  readonly organizationId: string;
  readonly repository: string | null;
  readonly pullRequest: number;
  /** The person who gave the task or requested the undo. */
  readonly userId: number | null;
  readonly userLogin: string | null;
  readonly toolName: string | null;
  /** The arguments of the tool call. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly state: string;
  readonly proposalMessage: string | null;
  readonly userResponse: UserResponse | null;
  readonly customInstruction: string | null;
  readonly result: { readonly commit: string | null; readonly digest: string; readonly range: string | null } | null;
  readonly error: string | null;
  readonly proposedAt: string | null;
  readonly decidedAt: string | null;
  readonly executedAt: string | null;
  /** From the decision to the commit. */
  readonly durationMs: number | null;
  /** SHA-256 (hex) of the change that people saw. */
  readonly digest: string | null;
  readonly votes: readonly Readonly<Record<string, unknown>>[];
  readonly writes: readonly Readonly<Record<string, unknown>>[];
};

/** The fields of a row, in the order of the columns of a table. */
export const EXPORTED_FIELDS = [
  'proposalId',
  'conversationId',
  'organizationId',
  'repository',
  'pullRequest',
  'userId',
  'userLogin',
  'toolName',
  'parameters',
  'state',
  'proposalMessage',
  'userResponse',
  'customInstruction',
  'result',
  'error',
  'proposedAt',
  'decidedAt',
  'executedAt',
  'durationMs',
  'digest',
  'votes',
  'writes',
] as const satisfies readonly (keyof ExportedRow)[];

/** Converts a ledger entry. */
export function toExportedRow(entry: LedgerEntry): ExportedRow {
  const { proposal, record, outcome, pull, votes, committedChanges } = entry;
  const { decidedAt = null, executedAt = null } = record ?? {};
  return {
    proposalId: entry.proposalId,
    conversationId: entry.runId,
    organizationId: `${entry.installationId}/${entry.repositoryId}`,
    repository: pull === null ? null : `${pull.owner}/${pull.repo}`,
    pullRequest: entry.number,
    userId: record?.requester?.id ?? null,
    userLogin: record?.requester?.login ?? null,
    toolName: record?.tool ?? null,
    parameters: proposal === null ? null : exportedParameters(proposal),
    state: outcome?.state ?? proposal?.state ?? 'unknown',
    proposalMessage: proposal === null ? null : describeProposal(proposal),
    userResponse: record?.response ?? null,
    customInstruction: proposal === null ? null : instructionOf(proposal),
    result: exportedResult(entry),
    error: outcome === null || outcome.state === 'completed' ? null : outcome.note,
    proposedAt: record?.proposedAt ?? null,
    decidedAt,
    executedAt,
    durationMs: decidedAt === null || executedAt === null ? null : Date.parse(executedAt) - Date.parse(decidedAt),
    digest: proposal?.change.digest ?? committedChanges[0]?.shown_digest ?? outcome?.digest ?? null,
    votes: votes.map(exportedVote),
    writes: committedChanges.map(exportedWrite),
  };
}

/** Converts an answer to a question of the agent. The vote holds the answer, as the model got it. */
export function toExportedAnswer({ asked, pull, vote, ...ids }: LedgerAnswer): ExportedRow {
  return {
    proposalId: ids.questionId,
    conversationId: asked?.run.id ?? null,
    organizationId: `${ids.installationId}/${ids.repositoryId}`,
    repository: pull === null ? null : `${pull.owner}/${pull.repo}`,
    pullRequest: ids.number,
    userId: asked?.run.task.by.id ?? null,
    userLogin: asked?.run.task.by.login ?? null,
    toolName: 'ask_user',
    parameters: asked === null ? null : questionParameters(asked.question),
    state: vote.action === 'reject-question' ? 'rejected' : 'answered',
    proposalMessage: null,
    userResponse: null,
    customInstruction: null,
    result: null,
    error: null,
    proposedAt: asked?.question.comment?.createdAt ?? null,
    decidedAt: vote.at,
    executedAt: null,
    durationMs: null,
    digest: vote.digest,
    votes: [exportedVote(vote)],
    writes: [],
  };
}

function questionParameters({ prompt, input }: AgentQuestion): Readonly<Record<string, unknown>> {
  return { prompt, input_type: input.type, ...(input.type === 'text' ? {} : { choices: input.choices }) };
}

/** After a person's own edit, these are the arguments of the original proposal. */
function exportedParameters(proposal: Proposal): Readonly<Record<string, unknown>> {
  if (proposal.origin.kind === 'undo') return { of: proposal.origin.undoneProposalId };
  const change = postedChange(proposal);
  if (change.op !== 'set') return payloadParameters(change.payload);
  const changes = change.members.map(({ payload }) => ({ op: payload.type, ...payloadParameters(payload) }));
  return { summary: change.summary, changes };
}

function payloadParameters(payload: ChangePayload): Readonly<Record<string, unknown>> {
  const { path } = payload;
  switch (payload.type) {
    case 'edit': {
      const { old_string, new_string, replace_all } = payload;
      return { path, old_string, new_string, replace_all };
    }
    case 'write':
      return { path, content: payload.content };
    case 'move':
      return { from: payload.from, to: path };
    case 'delete':
    case 'read':
      return { path };
  }
}

function exportedResult({ outcome, committedChanges }: LedgerEntry): ExportedRow['result'] {
  if (outcome === null || outcome.state !== 'completed') return null;
  const { commit, digest } = outcome;
  return { commit, digest, range: committedChanges.find(({ commit_sha }) => commit_sha === commit)?.range ?? null };
}

function exportedVote(vote: VoteRow) {
  const { action, permission, surface, digest, head, at, text, standing_approval } = vote;
  const standingApproval = standing_approval === null ? null : parseJson(standing_approval);
  return {
    ...{ action, userId: vote.person_id, userLogin: vote.login, permission, surface },
    ...{ commentId: vote.comment_id, bodyHash: vote.body_hash, deliveryId: vote.delivery_id },
    ...{ digest, head, at, text, standingApproval },
  };
}

function exportedWrite({ commit_sha, parent_sha, shown_digest, digest, range, approvers, at }: CommittedChangeRow) {
  return {
    ...{ commit: commit_sha, parent: parent_sha, shownDigest: shown_digest, digest, range },
    ...{ approvers: approvers.map(({ id, login }) => ({ userId: id, userLogin: login })) },
    at: new Date(at).toISOString(),
  };
}
