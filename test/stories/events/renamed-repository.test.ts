import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, rows } from '../support/rows.ts';
import { type Story, write } from '../support/story.ts';

const stage = stageForAll();

function rename({ pr }: Story): void {
  const { id: repositoryId, name } = pr.repository();
  stage().github.apply(OPERATIONS.renameRepository, { repositoryId, name: `${name}-renamed` });
}

describe('a repository that is renamed', () => {
  it('a rename between two comments lets the run continue under the new name (F14)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { pr, ana, bot, model } = story;
    await ana.replies(bot.proposal(1), '/approve');
    rename(story);
    model.proposes(editRow(20, 200));
    await ana.replies(bot.proposal(2), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 120 }));
    await ana.says('/approve all');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 120, 20: 200 }));
    expect(bot.run().body).toContain('renamed');
  });

  it.each([
    ['before an edit is committed', 'graphql createCommitOnBranch'],
    ['before anything is read for it', 'graphql pull'],
  ])('%s, without its webhook: the change still lands and is shown (F14)', async (_when, call) => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, bot } = story;
    let done = false;
    const once = (name: string): void => {
      if (name !== call || done) return;
      done = true;
      rename(story);
    };
    await beforeCalls(stage(), once, () => ana.replies(bot.proposal(1), '/approve'));
    expect(done).toBe(true);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
  });

  it('during a model request: the proposal is posted once (F14)', async () => {
    const story = await stage().tell();
    const { ana, bot, model, pr } = story;
    model.proposes(write('new.txt', 'new\n'));
    let done = false;
    const once = (name: string): void => {
      if (done || !name.startsWith('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews')) return;
      done = true;
      rename(story);
    };
    await beforeCalls(stage(), once, () => ana.says('/countersign add a file'));
    expect(bot.proposals()).toHaveLength(1);
    await stage().later(60);
    await ana.says('/approve');
    expect(pr.file('new.txt')).toBe('new\n');
  });
});
