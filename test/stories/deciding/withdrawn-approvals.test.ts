import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

afterEach(() => stage().github.faults.clear());

/** Delivers the webhook of `says` only after `changes`, whose own webhooks are lost. */
async function deliverLate<Value>(says: () => Value, changes: (comment: Value) => unknown): Promise<void> {
  const { deliveries } = stage().github;
  deliveries.intercept(() => 'hold');
  stage().pass(2);
  const comment = says();
  await stage().settle();
  deliveries.intercept(() => 'drop');
  stage().pass(2);
  changes(comment);
  await stage().settle();
  deliveries.intercept(undefined);
  deliveries.releaseHeld();
  stage().pass(2);
  await stage().settle();
}

/** Nothing is committed, the first change is pending again, and one sentence says why. */
async function expectPendingAgain(story: Story, why: RegExp): Promise<void> {
  expect(story.pr.commits()).toEqual([]);
  expect((await proposalStates(story))[0]).toBe('proposed');
  expect(story.bot.answers().filter((answer) => why.test(answer))).toHaveLength(1);
  expect(story.bot.answer()).toContain('Pending again');
  expect(story.bot.proposal(1).body).toContain('**Pending');
}

describe('an approval that is edited or deleted before the commit', () => {
  it('an approval edited to “no, wait” before its webhook arrives commits nothing (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    const approves = () => ana.person.replies(bot.proposal(1).id, '/approve');
    await deliverLate(approves, ({ id }) => ana.person.editsInThread(id, 'No, wait.'));
    await expectPendingAgain(story, /was edited before the commit/);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(pr.commits()).toHaveLength(1);
  });

  it('a deletion whose webhook arrives before the commit is not answered with “does not undo” (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot } = story;
    const { deliveries } = stage().github;
    deliveries.intercept(() => 'hold');
    stage().pass(2);
    const { id } = ana.person.says('/approve');
    ana.person.deletes(id);
    deliveries.intercept(undefined);
    deliveries.releaseHeld();
    stage().pass(2);
    await stage().surely();
    await expectPendingAgain(story, /is not on this pull request/);
    expect(bot.answers().join()).not.toContain('does not undo');
  });

  it('an approval edited between two attempts stops the second one (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot } = story;
    const { faults } = stage().github;
    faults.add({ kind: 'fail-before-apply', status: 502, route: 'graphql createCommitOnBranch' });
    stage().pass(2);
    const { id } = ana.person.replies(bot.proposal(1).id, '/approve');
    await vi.waitFor(() => expect(faults.pending()).toEqual([]), { timeout: 25_000, interval: 5 });
    ana.person.editsInThread(id, 'No, wait.');
    await vi.waitFor(() => expect(bot.answers().join()).toContain('was edited before the commit'), { timeout: 25_000 });
    await stage().settle();
    await expectPendingAgain(story, /was edited before the commit/);
  });

  it('the other approvals commit if they are enough (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, bot, configures, person, pr } = story;
    await configures('required_approvals: 2');
    const dora = await person('dora', 'write');
    const anas = await ana.replies(bot.proposal(1), '/approve');
    stage().github.deliveries.intercept(() => 'drop');
    await ana.does((one) => one.deletesInThread(anas));
    stage().github.deliveries.intercept(({ event }) => (event === 'pull_request_review_comment' ? 'hold' : 'send'));
    ben.person.replies(bot.proposal(1).id, '/approve');
    dora.person.replies(bot.proposal(1).id, '/approve');
    await stage().settle();
    stage().github.deliveries.intercept(undefined);
    stage().github.deliveries.releaseHeld();
    await stage().surely();
    expect(pr.commits()[0]?.message.match(/Approved-by: (.*)/g)).toEqual([
      `Approved-by: ${ben.login}`,
      `Approved-by: ${dora.login}`,
    ]);
  });
});

describe('each way to approve is read again before the commit', () => {
  it('an approving review counts until it is dismissed (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, configures, pr } = story;
    await configures('review_approval: approve-all');
    const approves = () => ana.person.reviews({ event: 'APPROVE', body: '' });
    await deliverLate(approves, ({ id }) => ben.person.dismisses(id, 'not yet'));
    await expectPendingAgain(story, /the approving review of .* was dismissed/);
    await ana.does((person) => person.reviews({ event: 'APPROVE', body: '' }));
    expect(pr.commits()).toHaveLength(1);
  });

  it.each(['APPROVE', 'REQUEST_CHANGES'] as const)(
    'a command in a review that was submitted with %s counts until the review is dismissed (X5)',
    async (event) => {
      const story = await propose(stage(), BIGINT);
      const { ana, ben, bot, configures, pr } = story;
      await configures('required_approvals: 2');
      const { proposalId } = bot.proposal(1);
      const id = await ana.does((person) => person.reviews({ event, body: `/approve ${proposalId}` }).id);
      expect(bot.proposal(1).body).toContain(`**1 of 2 approvals** by \`${ana.login}\``);
      await ben.does((person) => person.dismisses(id, 'not yet'));
      await ben.replies(bot.proposal(1), '/approve');
      await expectPendingAgain(story, new RegExp(`the approving review of \`${ana.login}\` was dismissed`));
      expect(bot.proposal(1).body).toContain(`**1 of 2 approvals** by \`${ben.login}\``);
      await ana.replies(bot.proposal(1), '/approve');
      expect(pr.commits()).toHaveLength(1);
    },
  );

  it('a person’s own lines are approved by the comment that has them (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    const own = '```suggestion\n  let total = 1n;\n```';
    const approves = () => ana.person.replies(bot.proposal(1).id, own);
    await deliverLate(approves, ({ id }) => ana.person.editsInThread(id, 'No, wait.'));
    await expectPendingAgain(story, /was edited before the commit/);
    await ana.replies(bot.proposal(1), own);
    expect(pr.file('src/total.ts')).toContain('1n');
  });
});

/** Sends a webhook with the right signature that GitHub never sent. */
async function forges(event: string, payload: Readonly<Record<string, unknown>>): Promise<void> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', stage().github.app.webhookSecret).update(body).digest('hex');
  forged += 1;
  const response = await fetch(`${stage().server().url}/api/github/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': `forged-${forged}`,
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  });
  expect(response.status).toBe(202);
}

let forged = 0;

/** The payload of the last delivery that contains this text. */
function payloadOf(text: string): Record<string, Record<string, unknown>> {
  const delivery = stage().github.deliveries.log.findLast(({ request }) => request.body.includes(text));
  return JSON.parse(delivery?.request.body ?? '{}');
}

describe('a forged delivery', () => {
  it('about a comment that does not exist, or is another person’s, commits nothing (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr, stranger } = story;
    const { proposalId } = bot.proposal(1);
    await ana.says('/status');
    const real = payloadOf('"body":"/status"');
    stage().github.deliveries.intercept(() => 'drop');
    const strangers = await stranger.says(`/approve ${proposalId}`);
    stage().github.deliveries.intercept(undefined);
    for (const id of [strangers, 999_999_999]) {
      await forges('issue_comment', { ...real, comment: { ...real['comment'], id, body: `/approve ${proposalId}` } });
      await stage().settle();
    }
    await stage().surely();
    expect(pr.commits()).toEqual([]);
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(bot.answers().filter((answer) => answer.includes('is not on this pull request'))).toHaveLength(1);
    expect(bot.answers().filter((answer) => answer.includes('doesn’t show that approval as one of'))).toHaveLength(1);
    await ana.says('/approve');
    expect(pr.commits()).toHaveLength(1);
  });

  it('that names a real comment of the person with another text or on another pull request commits nothing (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr, alsoTo } = story;
    const second = await alsoTo('release');
    stage().github.deliveries.intercept(() => 'drop');
    const harmless = await ana.says('Looks good to me.');
    const elsewhere = await second.ana.says(`/approve ${bot.proposal(1).proposalId}`);
    stage().github.deliveries.intercept(undefined);
    await ana.says('/status');
    const real = payloadOf('"body":"/status"');
    const body = `/approve ${bot.proposal(1).proposalId}`;
    await forges('issue_comment', { ...real, comment: { ...real['comment'], id: harmless, body } });
    await stage().settle();
    expect(bot.answer()).toContain('was edited before the commit');
    await forges('issue_comment', { ...real, comment: { ...real['comment'], id: elsewhere, body } });
    await stage().settle();
    expect(bot.answer()).toContain('is not on this pull request');
    expect(pr.commits()).toEqual([]);
  });

  it('about a review that does not exist is dropped, and the next approval takes its usual time (X5)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    await ana.does((person) => person.reviews({ event: 'COMMENT', body: '/status' }));
    const real = payloadOf('"body":"/status"');
    const review = { ...real['review'], id: 888_888_888, body: '/approve all' };
    await forges('pull_request_review', { ...real, review });
    await stage().surely();
    expect(stage().logged.some((line) => line.includes('"reason":"not-for-us"'))).toBe(true);
    const askedBefore = stage().github.requests.length;
    expect(stage().github.requests.some(({ target }) => target.includes('888888888'))).toBe(true);
    await ana.replies(bot.proposal(1), '/approve');
    const asked = stage().github.requests.slice(askedBefore);
    expect(asked.filter(({ target }) => target.includes('888888888'))).toEqual([]);
    expect(pr.commits()).toHaveLength(1);
  });
});
