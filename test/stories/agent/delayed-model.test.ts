import { describe, expect, it, vi } from 'vitest';
import type { ScriptedFault } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const WAIT = { timeout: 10_000, interval: 5 };

function limited(seconds: number): ScriptedFault {
  const error = { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' };
  return { fault: 'status', status: 429, headers: { 'retry-after': `${seconds}` }, body: { error } };
}

const DELAY =
  /\*\*Working\.\*\* The model’s endpoint (?:limits requests|fails|cannot be reached); the next try is at \d{4}-\d\d-\d\d \d\d:\d\d UTC\./;

/** How often the App wrote the run comment. */
function writesOfRunComment({ bot, pr }: Story): number {
  const path = `/repos/${pr.fullName}/issues/comments/${bot.run().id}`;
  return stage().github.requests.filter((one) => one.method === 'PATCH' && one.target.endsWith(path)).length;
}

describe('a model whose endpoint limits requests', () => {
  it('is said on the run comment, once for each delay, until the next answer (S166)', async () => {
    const story = await stage().tell();
    const { ana, bot, model } = story;
    stage().model.script(limited(40), limited(200));
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await vi.waitFor(() => expect(bot.run().body).toMatch(DELAY), WAIT);
    expect(bot.run().body).toContain('The model’s endpoint limits requests');
    await stage().settle();
    const before = writesOfRunComment(story);
    const shown = bot.run().body;
    await stage().later(45);
    await vi.waitFor(() => expect(bot.run().body).not.toBe(shown), WAIT);
    expect(bot.run().body).toMatch(DELAY);
    await stage().settle();
    expect(writesOfRunComment(story)).toBe(before + 1);
    await stage().later(220);
    await vi.waitFor(() => expect(bot.run().body).toContain('Waiting for review'), WAIT);
    expect(bot.run().body).not.toMatch(DELAY);
    expect(bot.proposals()).toHaveLength(1);
  });
});
