import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** A pull request with these repository settings and one pending change. */
async function proposeUnder(settings: string | null): Promise<Story> {
  const story = await stage().tell();
  if (settings !== null) await story.configures(settings);
  story.model.proposes(BIGINT);
  await story.ana.says('/countersign use bigint');
  return story;
}

describe('required_approvals', () => {
  it('with two required approvals each vote is shown, and the commit follows the last one and names both approvers (S70, S127)', async () => {
    const { ana, ben, bot, pr } = await proposeUnder('required_approvals: 2\n');
    expect(bot.proposal(1).body).toContain('**0 of 2 approvals**');
    const vote = await ana.replies(bot.proposal(1), '/approve');
    expect(bot.reactionsOn(vote)).toEqual(['+1']);
    expect(pr.commits()).toEqual([]);
    expect(bot.proposal(1).body).toContain(`**1 of 2 approvals** by \`${ana.login}\`: 1 more needed.`);
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
    const [commit] = pr.commits();
    expect(commit?.message).toContain(`Approved-by: ${ana.login}`);
    expect(commit?.message).toContain(`Approved-by: ${ben.login}`);
    expect(bot.proposal(1).body).toContain(`approved by \`${ana.login}\` and \`${ben.login}\``);
  });

  it('the vote of a person who lost write access no longer counts, and the change needs another approval (S66, S70)', async () => {
    const { ana, ben, bot, grants, pr, person } = await proposeUnder('required_approvals: 2\n');
    await ben.replies(bot.proposal(1), '/approve');
    grants(ben, 'read');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toMatch(/^Not applied: `ben-\d+` has no write access/);
    expect(bot.proposal(1).body).toContain(`**1 of 2 approvals** by \`${ana.login}\`:`);
    const dora = await person('dora', 'write');
    await dora.replies(bot.proposal(1), '/approve');
    const [commit] = pr.commits();
    expect(commit?.message).not.toContain(ben.login);
    expect(commit?.message).toContain(`Approved-by: ${dora.login}`);
  });
});

describe('who may approve', () => {
  it('approvers: maintain counts maintainers and admins, and explains to writers why they do not count (S66)', async () => {
    const { ana, bot, person, pr } = await proposeUnder('approvers: maintain\n');
    const maria = await person('maria', 'write', 'maintain');
    expect(bot.proposal(1).body).toContain(
      '**0 of 1 approvals**: 1 more needed, by somebody with maintain or admin access.',
    );
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.answer()).toContain(`\`${ana.login}\` doesn’t have the maintain or admin role`);
    expect(pr.commits()).toEqual([]);
    await maria.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
  });

  it('a role that is required for a path stands on the page, with how many are missing (S36, S70)', async () => {
    const rule = '{ paths: ["src/**"], approvals: 2, approvers: admin }';
    const { bot, person, pr } = await proposeUnder(`require:\n  - ${rule}\n`);
    const admins = [await person('admin', 'admin'), await person('owner', 'admin')] as const;
    expect(bot.proposal(1).body).toContain('**0 of 2 approvals**: 2 more needed, by people with admin access.');
    await admins[0].replies(bot.proposal(1), '/approve');
    expect(bot.proposal(1).body).toContain(': 1 more needed, by somebody with admin access.');
    await admins[1].replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
  });

  it('the author’s approval does not count either, by command or by button (A5, S70)', async () => {
    const { bot, carl, grants, pr } = await proposeUnder('require_non_author: true\n');
    grants(carl, 'write');
    await carl.replies(bot.proposal(1), '/approve');
    expect(bot.answer()).toContain(`\`${carl.login}\` opened this pull request, and \`require_non_author\``);
    expect(pr.commits()).toEqual([]);
    await carl.commitsSuggestion(bot.proposal(1));
    expect(bot.proposal(1).body).toContain(`Not an approval: \`${carl.login}\` may not approve here.`);
  });
});
