import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { DEFAULT_FILES } from '../support/pull-request.ts';
import { requestsSince } from '../support/requests.ts';

const stage = stageForAll();

describe('a pull request before its first run', () => {
  it('only comments addressed to the App get an answer, so that other bots’ commands stay theirs', async () => {
    const story = await stage().tell();
    const { ana, bot, model } = story;
    const before = stage().github.requests.length;
    for (const line of ['/approve but', '/stop', '/help', '/aprove', '/retest']) await ana.says(line);
    expect(requestsSince(stage(), story, before)).toEqual([]);
    expect(bot.comments()).toEqual([]);
    await ana.says('/countersign /approve k7q2');
    expect(bot.answer()).toContain('does not know this change');
    await ana.says('/countersign /approve but');
    expect(bot.answer()).toContain('in this form: `/approve');
    await ana.says('/countersign /retest');
    expect(bot.answer()).toContain('this is no command of Countersign');
    await ana.says('/countersign /stop');
    expect(bot.answer()).toContain('`/stop` had no effect: nothing was waiting for it');
    expect(bot.answers()).toHaveLength(4);
    expect(model.requests()).toEqual([]);
  });

  it('an author without write access may ask there too, and a stranger gets one reply (S67, S69)', async () => {
    const { bot, carl, stranger } = await stage().tell();
    await carl.says('/countersign /help');
    expect(bot.answer()).toContain('A command stands on the first line');
    await stranger.says('/countersign /help');
    await stranger.says('/countersign /status');
    expect(bot.answers()).toHaveLength(2);
    expect(bot.answer()).toMatch(/^Sorry, `stranger/);
  });
});

describe('a command name without its slash', () => {
  it('before an id of this pull request it gets a hint and starts nothing', async () => {
    const { ana, bot, model, pr, stored } = await propose(stage(), BIGINT);
    const id = bot.proposal(1).proposalId;
    await ana.says(`/countersign approve ${id.toUpperCase()}`);
    expect(bot.answer()).toContain('in this form: `/approve');
    await ana.says(`@${stage().github.app.slug} deny ${id}`);
    expect(bot.answer()).toContain('in this form: `/deny');
    const { proposals, queue, run } = await stored();
    expect(proposals.map(({ state }) => state)).toEqual(['proposed']);
    expect([queue, run?.agentNotes]).toEqual([[], []]);
    expect(pr.commits()).toEqual([]);
    expect(model.requests()).toHaveLength(1);
  });

  it('before text other than an id of this pull request it starts a task', async () => {
    const { ana, model, stored } = await stage().tell();
    await ana.says('/countersign edit utf8 strings in the README');
    expect((await stored()).run?.task.text).toBe('edit utf8 strings in the README');
    expect(model.requests()).toHaveLength(1);
  });
});

describe('commands: prefixed', () => {
  it('only commands after /countersign have an effect; one without it gets a hint in a thread, and no reply elsewhere', async () => {
    const files = { ...DEFAULT_FILES, '.github/countersign.yml': 'commands: prefixed\n' };
    const { ana, bot, model, pr, stored } = await stage().tell({ files });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.answer()).toContain('in this form: `/countersign /approve');
    await ana.says('/approve all');
    await ana.says('/stop');
    expect(bot.answers()).toHaveLength(1);
    expect(await proposalStates({ stored })).toEqual(['proposed']);
    await ana.replies(bot.proposal(1), '/countersign /approve');
    expect(pr.commits()).toHaveLength(1);
  });
});
