import { describe, expect, it } from 'vitest';
import type { RulePolicy } from '../../src/simulator/world/access.ts';
import { OPERATIONS } from '../../src/simulator/world/operations.ts';
import { stageForAll } from './curtain.ts';
import { edit, type Story, type StoryOptions } from './story.ts';

const stage = stageForAll();

const BIGINT = edit('src/total.ts', '  let total = 0;\n', '  let total = 0n;\n');
const EXACTLY = edit('README.md', 'Sells things.', 'Sells things, exactly.');

type Rule = Pick<RulePolicy, 'branches' | 'types'> & Pick<RulePolicy, 'dismissesStaleReviews'>;

async function ruled(rule: Rule, options: StoryOptions = {}): Promise<Story> {
  const story = await stage().tell(options);
  const { repositoryId } = story.pr;
  stage().github.apply(OPERATIONS.addRule, { repositoryId, rule: { bypassIds: [], ...rule } });
  return story;
}

describe('the rules of the branches', () => {
  it('S127a: what may refuse a commit is said before anybody approves', async () => {
    const { ana, bot, model } = await ruled({ branches: ['topic'], types: ['pull_request', 'required_signatures'] });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.run().body).toContain('The rules of `topic` may refuse commits of Countersign');
    expect(bot.run().body).toContain('it takes changes through pull requests only');
    expect(bot.run().body).not.toContain('signatures');
  });

  it('S127a: once one is refused the run goes on with suggestions only, and no other is tried', async () => {
    const { ana, bot, model, pr } = await ruled({ branches: ['topic'], types: ['update'] });
    model.proposes(BIGINT, EXACTLY);
    await ana.says('/countersign use bigint');
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.proposal(1).body).toContain(
      '**Failed.** Nothing was changed. The rules of this branch refuse the commit',
    );
    expect(bot.run().body).toContain('refused a commit, so Countersign offers suggestions only from now on');
    const tried = stage().github.requests.length;
    await ana.replies(bot.proposal(2), '/approve');
    expect(bot.answer()).toContain('GitHub’s rules for `topic` refused a commit of this run');
    const names = stage()
      .github.requests.slice(tried)
      .map(({ name }) => name);
    expect(names).not.toContain('graphql createCommitOnBranch');
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = BigInt(0);\n'));
    await ana.replies(bot.proposal(2), '/deny elsewhere');
    expect(model.heard()[0]).toContain('The rules of this branch refuse the commit');
    expect(bot.proposal(3).body).toContain('only people can apply this');
    expect(bot.proposal(3).body).toContain('```suggestion');
    expect(pr.commits()).toEqual([]);
  });

  it('S127a: approvals that a commit dismisses are counted on the proposals', async () => {
    const dismissing = { branches: ['main'], types: ['pull_request'], dismissesStaleReviews: true } as const;
    const { ana, ben, bot, model, pr } = await ruled(dismissing);
    await ben.does((person) => person.reviews({ body: '', event: 'APPROVE' }));
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposal(1).body).toContain('Applying this dismisses 1 approval of this pull request.');
    expect(bot.run().body).toContain('A commit dismisses the 1 approval that this pull request has.');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expect([...pr.now().reviews.values()].map(({ state }) => state)).toContain('DISMISSED');
  });

  it('S127a: without rules nothing is said', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.run().body).not.toMatch(/rules|dismiss/);
    expect(bot.proposal(1).body).not.toContain('dismisses');
  });

  it('S127a: a server that knows no rulesets stops nothing', async () => {
    const { ana, bot, model } = await stage().tell();
    stage().github.faults.add({
      on: 'GET /repos/{owner}/{repo}/rules/branches/{branch}',
      kind: 'before',
      status: 404,
      body: { message: 'Not Found' },
      times: 2,
    });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposals()).toHaveLength(1);
  });
});
