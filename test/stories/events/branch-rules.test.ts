import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { FakeRuleset } from '../../../fakes/github/state/github-state.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY } from '../support/proposals.ts';
import { edit, type Story, type StoryOptions } from '../support/story.ts';

const stage = stageForAll();

type Rule = Pick<FakeRuleset, 'branches' | 'types'> & Pick<FakeRuleset, 'dismissesStaleReviews'>;

async function proposeWithRule(rule: Rule, options: StoryOptions = {}): Promise<Story> {
  const story = await stage().tell(options);
  const { repositoryId } = story.pr;
  stage().github.apply(OPERATIONS.addRuleset, { repositoryId, ruleset: { bypassIds: [], ...rule } });
  return story;
}

describe('branch rules', () => {
  it('rules that may refuse a commit are shown before any approval (S127a)', async () => {
    const { ana, bot, model } = await proposeWithRule({
      branches: ['topic'],
      types: ['pull_request', 'required_signatures'],
    });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.run().body).toContain('The rules of `topic` might refuse commits by Countersign');
    expect(bot.run().body).toContain('`pull_request`');
    expect(bot.run().body).not.toContain('signatures');
  });

  it('the run continues with suggestions only after one refusal, and tries no other commit (S127a)', async () => {
    const { ana, bot, model, pr } = await proposeWithRule({ branches: ['topic'], types: ['update'] });
    model.proposes(BIGINT, EXACTLY);
    await ana.says('/countersign use bigint');
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.proposal(1).body).toContain(
      '**Failed.** Nothing was changed. The rules of this branch refuse the commit',
    );
    expect(bot.run().body).toContain('refused a commit, so Countersign only offers suggestions from now on');
    const tried = stage().github.requests.length;
    await ana.replies(bot.proposal(2), '/approve');
    expect(bot.answer()).toContain('The rules of `topic` refused a commit');
    const names = stage()
      .github.requests.slice(tried)
      .map(({ name }) => name);
    expect(names).not.toContain('graphql createCommitOnBranch');
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = BigInt(0);\n'));
    await ana.replies(bot.proposal(2), '/deny elsewhere');
    expect(model.toolMessages()[0]).toContain('The rules of this branch refuse the commit');
    expect(bot.proposal(3).body).toContain('Apply the change yourself.');
    expect(bot.proposal(3).body).toContain('```suggestion');
    expect(pr.commits()).toEqual([]);
  });

  it('approvals that a commit dismisses are counted on the proposals (S127a)', async () => {
    const dismissing = { branches: ['main'], types: ['pull_request'], dismissesStaleReviews: true } as const;
    const { ana, ben, bot, model, pr } = await proposeWithRule(dismissing);
    await ben.does((person) => person.reviews({ body: '', event: 'APPROVE' }));
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposal(1).body).toContain('A commit dismisses 1 approval of this pull request.');
    expect(bot.run().body).toContain('A commit dismisses 1 approval of this pull request.');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expect([...pr.now().reviews.values()].map(({ state }) => state)).toContain('DISMISSED');
  });

  it('a server without rulesets blocks nothing (S127a)', async () => {
    const { ana, bot, model } = await stage().tell();
    stage().github.faults.add({
      route: 'GET /repos/{owner}/{repo}/rules/branches/{branch}',
      kind: 'fail-before-apply',
      status: 404,
      body: { message: 'Not Found' },
      times: Number.POSITIVE_INFINITY,
    });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    for (const seconds of [6, 6, 6, 6]) await stage().later(seconds);
    expect(bot.proposals()).toHaveLength(1);
  });
});
