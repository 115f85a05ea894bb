import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { dropWebhooks } from '../support/drop-webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const DAYS = 86_400;

const TOKEN = 'POST /app/installations/{installation_id}/access_tokens';

function suspend({ pr }: Story, suspended: boolean): void {
  const { ownerId } = pr.repository();
  const installation = [...stage().github.state().installations.values()].find(
    ({ accountId }) => accountId === ownerId,
  );
  stage().github.apply(OPERATIONS.suspendApp, { installationId: installation?.id ?? 0, suspended });
}

/** The owner suspends the App right before its first request of this name that `action` causes. */
function suspendBefore(story: Story, name: string, action: () => Promise<unknown>): Promise<unknown> {
  let isSuspended = false;
  const onCall = (called: string): void => {
    if (isSuspended || called !== name) return;
    isSuspended = true;
    suspend(story, true);
  };
  return beforeCalls(stage(), onCall, action);
}

/** Two days of suspension, in which nothing is posted; then the owner lets the App back in. */
async function returnAfterDays(story: Story): Promise<void> {
  const before = story.bot.comments().length;
  await stage().later(2 * DAYS);
  expect(story.bot.comments()).toHaveLength(before);
  suspend(story, false);
  await stage().settle();
  await stage().later(660);
}

/** No comment of the App reports an error. */
function expectNoErrors({ bot }: Story): void {
  expect(bot.comments().filter(({ body }) => /error|couldn’t|could not|stopped/i.test(body))).toEqual([]);
}

describe('an installation that is suspended in the middle of a run and unsuspended days later', () => {
  it('a response of the model during the suspension becomes a proposal after it (F16)', async () => {
    const story = await stage().tell();
    const { ana, bot, model, pr } = story;
    const { promise: sendAfter, resolve: answers } = Promise.withResolvers<void>();
    model.says({ calls: [BIGINT], sendAfter });
    stage().pass(2);
    ana.person.says('/countersign use bigint');
    await expect.poll(() => model.requests().length, { interval: 5 }).toBe(1);
    suspend(story, true);
    answers();
    await stage().settle();
    await returnAfterDays(story);
    expect(bot.proposals()).toHaveLength(1);
    expect(model.requests()).toHaveLength(1);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expectNoErrors(story);
  });

  it('webhooks lost right before it hold up no other account, and count after it (F8, F16)', async () => {
    const story = await stage().tell();
    const other = await propose(stage(), BIGINT);
    dropWebhooks(stage(), () => {
      story.ana.person.says('/countersign use bigint');
      suspend(story, true);
      other.ana.person.replies(other.bot.proposal(1).id, '/approve');
    });
    await stage().later(301);
    expect(other.pr.commits()).toHaveLength(1);
    story.model.proposes(BIGINT);
    await returnAfterDays(story);
    expect(story.bot.proposals()).toHaveLength(1);
    expectNoErrors(story);
  });

  it('an approval from before it is void after it, and the change can be approved again (F16, S87)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    await suspendBefore(story, 'graphql createCommitOnBranch', () => ana.replies(bot.proposal(1), '/approve'));
    expect(pr.commits()).toEqual([]);
    await returnAfterDays(story);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('could be a denial was not read');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expect(await proposalStates(story)).toEqual(['completed']);
    expectNoErrors(story);
  });

  it('another pull request is served at once after the suspension, although a token was refused a moment ago (F16)', async () => {
    const story = await stage().tell();
    const second = await story.alsoTo('release');
    await suspendBefore(story, TOKEN, () => story.ana.says('/countersign use bigint'));
    expect(story.bot.comments()).toEqual([]);
    suspend(story, false);
    await stage().settle();
    second.model.proposes(BIGINT);
    await second.ana.says('/countersign use bigint');
    expect(second.bot.proposals()).toHaveLength(1);
  });
});
