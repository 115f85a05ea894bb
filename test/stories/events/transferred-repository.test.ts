import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, propose } from '../support/proposals.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** Gives the repository to another account that has the App. */
function transfer({ pr }: Story): void {
  const { apply, app } = stage().github;
  const owner = apply(OPERATIONS.addAccount, { login: `other-${pr.repositoryId}`, type: 'Organization' });
  apply(OPERATIONS.installApp, { appId: app.id, accountId: owner.id });
  apply(OPERATIONS.transferRepository, { repositoryId: pr.repositoryId, ownerId: owner.id });
}

describe('a repository that is transferred to another account with the App', () => {
  it('R12: what was pending is decided there', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    await stage().settle();
    transfer(story);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
  });
});
