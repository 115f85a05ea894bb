import { describe, expect, it } from 'vitest';
import { MAX_COMMENT_REPAIRS } from '../../../src/core/actions/comment-repair.ts';
import type { Proposal } from '../../../src/core/state/proposal.ts';
import { edit as builtEdit } from '../../unit/core/messages/sample.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { DEFAULT_FILES } from '../support/pull-request.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** Somebody with access to the database changes the row of the n-th proposal (1-based). */
async function tampers({ stored, pr }: Story, n: number, change: (row: Proposal) => Partial<Proposal>): Promise<void> {
  const proposal = (await stored()).proposals[n - 1];
  if (proposal === undefined) throw new Error('There is no such proposal.');
  const body = JSON.stringify({ ...proposal, ...change(proposal) });
  const where = stage().db().updateTable('proposals').set({ body });
  await where.where('proposal_id', '=', proposal.id).where('pull_key', 'like', `%${pr.repositoryId}%`).execute();
}

const README = String(DEFAULT_FILES['README.md']);

/** Another change of the same lines, with its own digest and blob. */
const EVIL = builtEdit('README.md', README, 'Sells things.', 'Sells nothing.');

describe('the page against the database', () => {
  it('a change that was swapped with its blob and digest is not committed while the page shows the old one (X6)', async () => {
    const story = await propose(stage(), EXACTLY);
    const { ana, bot, pr } = story;
    const { proposalId } = bot.proposal(1);
    await tampers(story, 1, () => ({ change: EVIL }));
    await ana.says(`/approve ${proposalId}`);
    expect(pr.commits()).toEqual([]);
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(bot.answer()).toMatch(/^Nothing was approved: the comment that shows this change did not show exactly what/);
    for (let times = 1; times <= MAX_COMMENT_REPAIRS; times += 1) await ana.says(`/approve ${proposalId}`);
    expect(await proposalStates(story)).toEqual(['superseded']);
    expect(pr.commits()).toEqual([]);
  });

  it('a page that is edited after the vote changes nothing: the approved bytes are committed and shown (X6)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, bot, pr } = story;
    const { id, body } = bot.proposal(1);
    let isEdited = false;
    const edit = (name: string): void => {
      // The page was read for the vote; the commit's own checks follow.
      if (isEdited || !name.includes('/git/')) return;
      isEdited = true;
      ben.person.editsInThread(id, body.replace('0n', '666n'));
    };
    await beforeCalls(stage(), edit, () => ana.replies(bot.proposal(1), '/approve'));
    expect(isEdited).toBe(true);
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(pr.file('src/total.ts')).not.toContain('666n');
    expect(bot.proposal(1).body).not.toContain('666n');
  });

  it('a change of the row after the first of two approvals is found at the second (X6)', async () => {
    const story = await propose(stage(), EXACTLY);
    const { ana, ben, bot, configures, pr } = story;
    await configures('required_approvals: 2');
    await ana.says('/approve');
    await tampers(story, 1, ({ votes }) => ({
      change: EVIL,
      votes: votes.map((vote) => ({ ...vote, digest: EVIL.digest })),
    }));
    await ben.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('did not show exactly what is stored');
  });
});
