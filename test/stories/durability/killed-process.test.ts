import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { eventually, openProcessStage, type ProcessStage } from '../support/process-stage.ts';
import { editRow, ROWS_PATH, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

let stage: ProcessStage;

beforeAll(async () => {
  stage = await openProcessStage();
  await stage.start();
});

afterAll(() => stage.close());

afterEach(() => {
  expect(stage.github.violations).toEqual([]);
  expect(stage.model.violations).toEqual([]);
});

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

const COMMIT = 'graphql createCommitOnBranch';

async function tellOneRow(): Promise<Story> {
  const story = await stage.tell({ branch: { [ROWS_PATH]: rows() } });
  story.model.proposes(editRow(5, 50));
  return story;
}

/** Kills the process with SIGKILL right before GitHub processes its call; GitHub still executes the call. */
async function killAt(name: string): Promise<void> {
  const killed: Promise<unknown>[] = [];
  const killOnce = (called: string): void => {
    if (called === name && killed.length === 0) killed.push(stage.kill('SIGKILL'));
  };
  await beforeCalls(stage, killOnce, () => eventually(() => expect(killed).toHaveLength(1)));
  await Promise.all(killed);
}

describe('a process that is killed', () => {
  it('repeatedly in one story loses nothing and does nothing twice (F10, G1, G2, G4, G5, S78, S81)', {
    timeout: 240_000,
  }, async () => {
    const { pr, ana, bot, model } = await tellOneRow();
    stage.act(() => ana.person.says('/countersign give the row another value'));
    await killAt(REVIEW);
    await stage.start();
    await eventually(() => expect(bot.run().body).toContain('| pending |'));
    expect(bot.reviews()).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(1);
    stage.act(() => ana.person.replies(bot.proposal(1).id, '/approve'));
    await killAt(COMMIT);
    await stage.start();
    await eventually(() => expect(bot.answers()).toHaveLength(1));
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(model.toolMessages()).toHaveLength(1);
  });
});

describe('a process that is told to stop', () => {
  it('exits with 0 in time during a model call and a commit, loses nothing and logs no secret (G12, I2)', {
    timeout: 240_000,
  }, async () => {
    const { pr, ana, bot, model } = await stage.tell({ branch: { [ROWS_PATH]: rows() } });
    stage.model.script({ fault: 'hang' });
    model.proposes(editRow(5, 50));
    stage.act(() => ana.person.says('/countersign give the row another value'));
    await eventually(() => expect(model.requests()).toHaveLength(1));
    await expectToStop();
    await stage.start();
    await eventually(() => expect(bot.run().body).toContain('| pending |'));
    expect(bot.proposals()).toHaveLength(1);
    const { promise: until, resolve: answers } = Promise.withResolvers<void>();
    stage.github.faults.add({ kind: 'delay', until, route: COMMIT });
    stage.act(() => ana.person.replies(bot.proposal(1).id, '/approve'));
    await eventually(() => expect(pr.commits()).toHaveLength(1));
    const stopped = expectToStop();
    answers();
    await stopped;
    await stage.start();
    await eventually(() => expect(bot.answers()).toHaveLength(1));
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(pr.commits()).toHaveLength(1);
  });

  async function expectToStop(): Promise<void> {
    const begun = performance.now();
    const { code, stdout, stderr } = await stage.kill('SIGTERM');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(performance.now() - begun).toBeLessThan(25_000);
    const { privateKeyPem, webhookSecret } = stage.github.app;
    for (const secret of ['model-key', webhookSecret, privateKeyPem.slice(40, 80)])
      expect(stdout).not.toContain(secret);
  }
});
