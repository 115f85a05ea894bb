import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { write } from '../support/story.ts';

const stage = stageForAll();

const DIFF = '```diff\n--- a/src/total.ts\n+++ b/src/total.ts\n';

describe('/show', () => {
  it('shows the full diff of a pending change in its thread without an id, and decides nothing', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    const { proposalId } = bot.proposal(1);
    await ana.replies(bot.proposal(1), '/show');
    expect(bot.answer()).toContain(`${proposalId} is still pending.`);
    expect(bot.answer()).toContain(DIFF);
    expect(bot.answer()).toContain('-  let total = 0;\n+  let total = 0n;\n');
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(pr.commits()).toEqual([]);
  });

  it('shows a decided change too, and one of an earlier run, with its outcome', async () => {
    const { ana, ben, bot, carl, pr } = await propose(stage(), BIGINT);
    const { proposalId } = bot.proposal(1);
    await ben.says('/approve');
    await carl.says(`/show ${proposalId.toUpperCase()}`);
    expect(bot.answer()).toMatch(
      new RegExp(`${proposalId} was already applied by .*${ben.login}.* in ${pr.head().slice(0, 7)}`),
    );
    expect(bot.answer()).toContain(DIFF);
    await ana.says('/countersign and again');
    await ana.says(`/show ${proposalId}`);
    expect(bot.answer()).toContain(DIFF);
  });

  it('asks which one when several are pending, and names the pending changes when the id is unknown (S40)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(BIGINT, write('docs/page.md', '# Page\n'));
    await ana.says('/countersign use bigint');
    await ana.says('/show');
    expect(bot.answer()).toMatch(/^`\/show` had no effect: several changes are pending/);
    expect(bot.answer()).not.toContain('/show all');
    await ana.says('/show zz99');
    expect(bot.answer()).toContain('no change of this pull request has the id `zz99`');
  });
});
