import type { Payload } from '../change/payload.ts';
import { type Proposal, shownChange } from '../run/proposal.ts';
import { instructionOf, type UserResponse } from '../run/record.ts';
import type { LedgerEntry, VoteRow, WriteRow } from '../store/ledger.ts';

/** One line of the export. Times are ISO 8601; null is what has not come to be, or was forgotten. */
export type ExportedRow = {
  readonly proposalId: string;
  /** The run. */
  readonly conversationId: string;
  /** Installation and repository, by GitHub's ids. */
  readonly organizationId: string;
  readonly repository: string | null;
  readonly pullRequest: number;
  /** Who gave the task, or asked for the undo. */
  readonly userId: number | null;
  readonly userLogin: string | null;
  readonly toolName: string | null;
  /** What the tool was called with. */
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
  /** SHA-256 in hex of what people saw. */
  readonly digest: string | null;
  readonly votes: readonly Readonly<Record<string, unknown>>[];
  readonly writes: readonly Readonly<Record<string, unknown>>[];
};

/** A proposal of the ledger with the names of its record. */
export function exportedRow(entry: LedgerEntry): ExportedRow {
  const { proposal, record, outcome, pull, votes, writes } = entry;
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
    parameters: proposal === null ? null : parametersOf(proposal),
    state: outcome?.state ?? proposal?.state ?? 'unknown',
    proposalMessage: proposal?.change.payload.description ?? null,
    userResponse: record?.response ?? null,
    customInstruction: proposal === null ? null : instructionOf(proposal),
    result: resultOf(entry),
    error: outcome === null || outcome.state === 'completed' ? null : outcome.note,
    proposedAt: record?.proposedAt ?? null,
    decidedAt,
    executedAt,
    durationMs: decidedAt === null || executedAt === null ? null : Date.parse(executedAt) - Date.parse(decidedAt),
    digest: proposal?.change.digest ?? writes[0]?.shown_digest ?? outcome?.digest ?? null,
    votes: votes.map(exportedVote),
    writes: writes.map(exportedWrite),
  };
}

/** Of a person's own text: what had been proposed. */
function parametersOf(proposal: Proposal): Readonly<Record<string, unknown>> {
  if (proposal.origin.kind === 'undo') return { of: proposal.origin.of };
  return namedParameters(shownChange(proposal).payload);
}

function namedParameters(payload: Payload): Readonly<Record<string, unknown>> {
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

function resultOf({ outcome, writes }: LedgerEntry): ExportedRow['result'] {
  if (outcome === null || outcome.state !== 'completed') return null;
  const { commit, digest } = outcome;
  return { commit, digest, range: writes.find(({ commit_sha }) => commit_sha === commit)?.range ?? null };
}

function exportedVote(vote: VoteRow) {
  const { action, permission, surface, digest, head, at, text } = vote;
  return {
    ...{ action, userId: vote.person_id, userLogin: vote.login, permission, surface },
    ...{ commentId: vote.comment_id, bodyHash: vote.body_hash, deliveryId: vote.delivery_id },
    ...{ digest, head, at, text },
  };
}

function exportedWrite({ commit_sha, parent_sha, shown_digest, digest, range, approvers, at }: WriteRow) {
  return {
    ...{ commit: commit_sha, parent: parent_sha, shownDigest: shown_digest, digest, range },
    ...{ approvers: approvers.map(({ id, login }) => ({ userId: id, userLogin: login })) },
    at: new Date(at).toISOString(),
  };
}
