import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/lib/trust.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposeRows, ROWS_PATH, row, rows } from '../support/rows.ts';
import type { Stage } from '../support/stage.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const COMMIT = 'graphql createCommitOnBranch';

const BOT = 'countersign[bot]';

/** The expected heads of the App's commit calls, in order, each with its outcome. */
function checkedHeads({ github }: Stage, since: number): readonly { head: string; applied: boolean }[] {
  const calls = github.requests.slice(since).filter(({ name }) => name === COMMIT);
  return calls.map(({ body, status }) => {
    const variables = isRecord(body) && isRecord(body['variables']) ? body['variables'] : {};
    const input = isRecord(variables['input']) ? variables['input'] : {};
    return { head: String(input['expectedHeadOid']), applied: status === 200 };
  });
}

/** Each commit of the App has a checked head as its parent and contains only the approved line. */
function expectHonestCommits({ pr, bot }: Story, since: number): void {
  const checked = checkedHeads(stage(), since).map(({ head }) => head);
  const digest = /digest `([0-9a-f]{12})`/.exec(bot.proposal(1).body)?.[1];
  for (const commit of pr.commits().filter(({ author }) => author === BOT)) {
    expect(checked).toContain(commit.parent);
    const before = pr.fileAt(commit.parent, ROWS_PATH);
    expect(pr.fileAt(commit.sha, ROWS_PATH)).toBe(before.replace(row(5), row(5, 50)));
    expect(commit.message).toContain(`Countersign-Digest: sha256:${digest}`);
  }
}

type Moment = { readonly story: Story; readonly calls: readonly string[] };

/** Repeats a story with a push right before this call that an approval causes, and before every second one after it. */
async function pushBeforeCalls(first: 0 | 1, pushed: string, judge: (moment: Moment) => void): Promise<number> {
  for (let place: number = first; ; place += 2) {
    const story = await proposeRows(stage(), { 5: 50 });
    const since = stage().github.requests.length;
    const push = (_name: string, now: number): void => {
      if (now === place) story.ben.person.pushes({ [ROWS_PATH]: pushed });
    };
    const calls = await beforeCalls(stage(), push, () => story.ana.replies(story.bot.proposal(1), '/approve'));
    expectHonestCommits(story, since);
    const commitAt = calls.indexOf(COMMIT);
    if (commitAt !== -1 && commitAt < place) return place;
    judge({ story, calls });
  }
}

describe('the head moves between an approval and its commit', () => {
  it('a push elsewhere in the file before any call keeps both changes (B1, S95)', {
    timeout: 180_000,
  }, async () => {
    const places = await pushBeforeCalls(0, rows({ 20: 'pushed' }, ['// above']), ({ story }) => {
      expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 20: 'pushed' }, ['// above']));
      expect(story.pr.commits().filter(({ author }) => author === BOT)).toHaveLength(1);
      expect(story.bot.proposal(1).body).toContain('**Completed:** applied');
    });
    expect(places).toBeGreaterThan(4);
  });

  it('a push over the same lines before any call is never overwritten (B1, B2, S94)', {
    timeout: 180_000,
  }, async () => {
    await pushBeforeCalls(1, rows({ 5: 'theirs' }), ({ story }) => {
      expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 'theirs' }));
      expect(story.pr.commits()).toHaveLength(1);
      expect(story.bot.proposal(1).body).toContain('**Withdrawn**');
      expect(story.model.toolMessages()[0]).toMatch(
        /^Not applied: src\/rows\.ts changed after this change was proposed/,
      );
    });
  });

  it('a branch that moves twice is followed, and every attempt named the head it had checked (S95)', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    const since = stage().github.requests.length;
    let pushes = 0;
    const push = (name: string): void => {
      if (name !== COMMIT || pushes === 2) return;
      pushes += 1;
      ben.person.pushes({ [ROWS_PATH]: rows({ 20: `push ${pushes}` }) });
    };
    await beforeCalls(stage(), push, () => ana.replies(bot.proposal(1), '/approve'));
    const tries = checkedHeads(stage(), since).map(({ head }) => head);
    expect(new Set(tries).size).toBe(3);
    expect(pr.commits().at(-1)?.parent).toBe(tries.at(-1));
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 20: 'push 2' }));
  });
});

describe('several approvals at once', () => {
  it('with another person’s push to other lines between them, all three land (B21)', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 4: 40, 11: 110, 17: 170 });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    ben.person.pushes({ [ROWS_PATH]: rows({ 22: 'other' }, ['// above']) });
    ana.person.replies(bot.proposal(2).id, '/approve');
    ana.person.replies(bot.proposal(3).id, '/approve');
    await stage().settle();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 4: 40, 11: 110, 17: 170, 22: 'other' }, ['// above']));
  });

  it('with another person’s push to the lines of one, that one is withdrawn and the others land (B21, S96)', async () => {
    const { pr, ana, ben, bot, model } = await proposeRows(stage(), { 5: 50, 12: 120, 20: 200 });
    stage().pass(2);
    ana.person.says('/approve all');
    ben.person.pushes({ [ROWS_PATH]: rows({ 12: 'theirs' }) });
    await stage().settle();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 'theirs', 20: 200 }));
    expect(pr.commits().filter(({ author }) => author === BOT)).toHaveLength(1);
    expect(bot.proposal(2).body).toContain('**Withdrawn**');
    expect(model.toolMessages()[1]).toMatch(/^Not applied: src\/rows\.ts changed/);
    expect(bot.answers().join('\n')).toContain(bot.proposal(2).proposalId);
  });
});
