import { afterEach, describe, expect, it } from 'vitest';
import type { FakeDelivery } from '../../../fakes/github/http/server-state.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

afterEach(() => stage().github.deliveries.intercept(undefined));

/** Webhooks of pushes wait until they are released. */
function holdPushes(): void {
  const isPush = ({ action }: FakeDelivery): boolean => action === 'synchronize';
  stage().github.deliveries.intercept((delivery) => (isPush(delivery) ? 'hold' : 'send'));
}

async function releasePushes(): Promise<void> {
  stage().github.deliveries.intercept(undefined);
  stage().github.deliveries.releaseHeld();
  await stage().settle();
}

/** The page, the run's table and the votes all name the person. */
async function expectCredited({ bot, stored }: Story, person: { login: string; id: number }, sha: string) {
  expect(bot.proposal(1).body).toContain(`applied by \`${person.login}\` in [\`${sha.slice(0, 7)}\`]`);
  expect(bot.run().body).toMatch(new RegExp(`completed.*${person.login}`));
  const { proposals } = await stored();
  expect(proposals[0]?.votes.filter(({ action }) => action === 'commit')).toMatchObject([{ by: { id: person.id } }]);
}

describe('Commit suggestion whose push is told late', () => {
  it('R15: after the branch was read for something else: whoever pressed it is named once the push is told', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot, model, pr } = story;
    holdPushes();
    const sha = await ben.commitsSuggestion(bot.proposal(1));
    model.proposes(editRow(20, 200));
    await ana.says('@countersign also row 20');
    await releasePushes();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    await expectCredited(story, ben, sha);
  });

  it('R15: below a commit of the App that came first: the change is still that of whoever pressed it', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, ben, bot, pr } = story;
    holdPushes();
    const sha = await ben.commitsSuggestion(bot.proposal(1));
    await ana.replies(bot.proposal(2), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 120 }));
    await releasePushes();
    await expectCredited(story, ben, sha);
  });

  it('R15: before another push that is told first: each is credited with what it brought', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot } = story;
    holdPushes();
    const sha = await ben.commitsSuggestion(bot.proposal(1));
    await ana.pushes({ 'notes.txt': 'more\n' });
    await releasePushes();
    await expectCredited(story, ben, sha);
  });

  it('R2: while one server of GitHub does not know the commit yet', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot, model } = story;
    holdPushes();
    const sha = await ben.commitsSuggestion(bot.proposal(1));
    await ana.pushes({ 'notes.txt': 'more\n' });
    model.proposes(editRow(20, 200));
    await ana.says('@countersign also row 20');
    const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
    stage().github.faults.add({ route, kind: 'known-error', error: 'not-yet-there', skip: 1 });
    await releasePushes();
    for (const seconds of [6, 6]) await stage().later(seconds);
    expect(stage().github.faults.pending()).toEqual([]);
    await expectCredited(story, ben, sha);
  });
});
