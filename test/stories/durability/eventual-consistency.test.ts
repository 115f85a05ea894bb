import { afterEach, describe, expect, it } from 'vitest';
import { heavyQueries, ROLES_AS_PERMISSIONS, youngTokens } from '../../../fakes/github/faults.ts';
import { LOST_RACES, RULE_REFUSALS } from '../../../fakes/github/known-errors.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { namesOf, requestsSince } from '../support/requests.ts';

const stage = stageForAll({ showsWaiting: true });

afterEach(() => stage().github.faults.clear());

const NOT_FOUND = { kind: 'known-error', error: 'not-yet-there' } as const;

const FORBIDDEN = { kind: 'fail-before-apply', status: 403, body: { message: 'Forbidden' } } as const;

const ALWAYS = Number.POSITIVE_INFINITY;

const COMMIT = 'graphql createCommitOnBranch';

const PERMISSION = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';

/** The clocks go on by some seconds, several times. */
async function waits(seconds: number, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await stage().later(seconds);
}

describe('GitHub does not know a new token yet', () => {
  it.each(['unknown-token', 'unknown-scope'] as const)(
    'R1: a task, its review and its commit wait for it (%s)',
    async (error) => {
      stage().github.faults.add(youngTokens(error, 10_000));
      const before = stage().github.requests.length;
      const story = await stage().tell();
      const { ana, bot, model, pr } = story;
      model.proposes(BIGINT);
      await ana.says('/countersign use bigint');
      await waits(4, 8);
      expect(bot.reviews()).toHaveLength(1);
      expect(bot.proposal(1).body).toContain('```suggestion');
      await ana.replies(bot.proposal(1), '/approve');
      await waits(4, 8);
      expect(pr.commits()).toHaveLength(1);
      expect(await proposalStates(story)).toEqual(['completed']);
      expect(bot.comments().filter(({ body }) => /failed|could not|lacks/i.test(body))).toEqual([]);
      const asked = requestsSince(stage(), story, before);
      const tokens = asked.filter(({ name }) => name.endsWith('/access_tokens'));
      // Each once: to read, and to write; both also for checks.
      expect(tokens).toHaveLength(2);
    },
  );
});

describe('one server of GitHub lags', () => {
  it.each([
    PERMISSION,
    'graphql pull',
    'graphql commentTexts',
    'GET /repos/{owner}/{repo}/pulls/comments/{comment_id}',
    COMMIT,
  ])('R2: an approval is carried out although %s is not found once', async (route) => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    stage().github.faults.add({ route, ...NOT_FOUND });
    await ana.replies(bot.proposal(1), '/approve');
    await waits(6, 3);
    expect(stage().github.faults.pending()).toEqual([]);
    expect(pr.commits()).toHaveLength(1);
    expect(await proposalStates(story)).toEqual(['completed']);
    expect(bot.comments().filter(({ body }) => /write access|edited or deleted|failed/.test(body))).toEqual([]);
  });
});

describe('GitHub refuses for a while', () => {
  it('R3: a page that could not be written is written within ten minutes', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot } = story;
    const pages = [
      'graphql updatePullRequestReviewComment',
      'PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}',
      'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
    ];
    for (const route of pages) stage().github.faults.add({ route, ...FORBIDDEN, times: ALWAYS });
    await ana.replies(bot.proposal(1), '/approve');
    await waits(3_600, 3);
    expect(bot.proposal(1).body).toContain('**Pending:**');
    stage().github.faults.clear();
    await stage().later(600);
    expect(bot.proposal(1).body).toContain('**Completed:**');
    expect(bot.run().body).not.toContain('waits');
  });

  it('R3: a reply that was refused is posted later, once', async () => {
    const { ana, bot } = await propose(stage(), BIGINT);
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    stage().github.faults.add({ route, ...FORBIDDEN, times: 3 });
    await ana.says('/status');
    expect(bot.answers()).toEqual([]);
    await waits(60, 4);
    expect(bot.answers()).toHaveLength(1);
  });

  it.each(['not-yet-there', 'unknown-scope'] as const)(
    'R3: a commit that is refused once is made (%s)',
    async (error) => {
      const { ana, bot, pr } = await propose(stage(), BIGINT);
      stage().pass(60);
      stage().github.faults.add({ route: COMMIT, kind: 'known-error', error });
      await ana.replies(bot.proposal(1), '/approve');
      await waits(2, 2);
      expect(pr.commits()).toHaveLength(1);
      expect(bot.answer()).toContain('1 change applied');
    },
  );

  it('R11: an approval that waits for a suspended App is answered within a minute after it', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    const { ownerId } = pr.repository();
    const installation = [...stage().github.state().installations.values()].find(
      ({ accountId }) => accountId === ownerId,
    );
    const suspend = (suspended: boolean) =>
      stage().github.apply(OPERATIONS.suspendApp, { installationId: installation?.id ?? 0, suspended });
    stage().github.faults.add({ route: '*', kind: 'known-error', error: 'suspended', times: ALWAYS });
    await ana.replies(bot.proposal(1), '/approve');
    await waits(300, 4);
    stage().github.faults.clear();
    suspend(false);
    await stage().settle();
    await stage().later(60);
    expect(await proposalStates(story)).not.toEqual(['proposed']);
  });
});

describe('a commit is refused', () => {
  it.each(LOST_RACES)('R4: a lost race is tried again (%s)', async (error) => {
    const { ana, bot, pr } = await propose(stage(), BIGINT);
    stage().github.faults.add({ route: COMMIT, kind: 'known-error', error });
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
  });

  it.each(RULE_REFUSALS)('R5: a rule is named in GitHub’s own words, and asked once (%s)', async (error) => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    const before = stage().github.requests.length;
    stage().github.faults.add({ route: COMMIT, kind: 'known-error', error, times: ALWAYS });
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answers().join()).toContain('Changes must be made through a pull request.');
    expect(namesOf(requestsSince(stage(), story, before)).filter((name) => name === COMMIT)).toHaveLength(1);
  });
});

describe('an answer has another form', () => {
  it.each(['resource-limits', 'bad-gateway', 'gateway-timeout'] as const)(
    'R6: heavy queries are asked for less (%s)',
    async (error) => {
      stage().github.faults.add(heavyQueries(error, 150));
      const { ana, bot, model } = await stage().tell();
      model.proposes({ name: 'read_discussion', arguments: {} });
      await ana.says('Prices are strings here.');
      await ana.says('/countersign address all comments');
      expect(model.allToolMessages().join()).toContain('Prices are strings here.');
      model.proposes(BIGINT);
      await ana.says('/countersign use bigint');
      await ana.replies(bot.proposal(1), '/approve');
      expect(bot.proposal(1).resolved).toBe(true);
    },
  );

  it('R7: `maintain` is more than write access, and `triage` is less', async () => {
    stage().github.faults.add(ROLES_AS_PERMISSIONS);
    const story = await propose(stage(), BIGINT);
    const mia = await story.person('mia', 'write', 'maintain');
    const tom = await story.person('tom', 'read', 'triage');
    await tom.replies(story.bot.proposal(1), '/approve');
    expect(await proposalStates(story)).toEqual(['proposed']);
    await mia.replies(story.bot.proposal(1), '/approve');
    expect(await proposalStates(story)).toEqual(['completed']);
  });

  it('R9: a refused suggestion names GitHub’s own reason', async () => {
    const { bot, model, ana } = await stage().tell();
    const errors = 'Line could not be resolved';
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const body = { message: 'Unprocessable Entity', errors };
    stage().github.faults.add({ route, kind: 'fail-before-apply', status: 422, body });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposal(1).body).toContain('```diff');
    expect(bot.proposal(1).body).toContain('GitHub refused to show this as a suggestion: `Line could not be resolved`');
  });
});
