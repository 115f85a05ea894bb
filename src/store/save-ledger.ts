import type { Transaction } from 'kysely';
import { formatRange } from '../change/range.ts';
import type { Vote, Write } from '../run/proposal.ts';
import { plainText, toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** Adds what people said. */
export async function saveVotes(
  transaction: Transaction<Tables>,
  pullKey: string,
  votes: readonly Vote[],
): Promise<void> {
  if (votes.length === 0) return;
  await transaction
    .insertInto('votes')
    .values(
      votes.map((vote) => ({
        pull_key: pullKey,
        proposal_id: vote.proposalId,
        digest: vote.digest,
        action: vote.action,
        person_id: vote.by.id,
        login: vote.by.login,
        permission: vote.permission,
        surface: vote.surface,
        comment_id: vote.commentId,
        body_hash: vote.bodyHash,
        delivery_id: vote.deliveryId,
        head: vote.head,
        at: vote.at,
        text: vote.text === null ? null : plainText(vote.text),
      })),
    )
    .execute();
}

/** Adds what a commit of ours holds; a commit that is heard of twice has its rows already. */
export async function saveWrites(
  transaction: Transaction<Tables>,
  pullKey: string,
  writes: readonly Write[],
  now: number,
): Promise<void> {
  if (writes.length === 0) return;
  await transaction
    .insertInto('writes')
    .values(
      writes.map((write) => ({
        pull_key: pullKey,
        proposal_id: write.proposalId,
        run_id: write.runId,
        commit_sha: write.commit,
        parent_sha: write.parent,
        shown_digest: write.shownDigest,
        digest: write.made.digest,
        range: write.made.range === null ? null : formatRange(write.made.range),
        approvers: toStored(write.approvers),
        at: now,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
