import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';
import { edit } from '../support/story.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

describe('the main job', () => {
  it('a task leads to a proposal, and its approval to a commit of exactly those bytes (S39, S101)', async () => {
    const { pr, ana, bot, model } = await stage.tell();
    const before = pr.file('src/total.ts');
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = 0n;\n'));
    const task = await ana.says('/countersign use bigint');
    expect(bot.reactionsOn(task)).toEqual(['eyes']);
    expect(pr.commits()).toEqual([]);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toBe(before.replace('total = 0;', 'total = 0n;'));
    expect(pr.commits()).toHaveLength(1);
    expect(stage.github.violations).toEqual([]);
    expect(stage.model.violations).toEqual([]);
  });
});
