import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { openProcessStage, type ProcessStage } from '../support/process-stage.ts';
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

function shortly(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 60_000, interval: 20 });
}

async function tellOneRow(): Promise<Story> {
  const story = await stage.tell({ branch: { [ROWS_PATH]: rows() } });
  story.model.proposes(editRow(5, 50));
  return story;
}

/** Kills the process, without a word of warning, right before GitHub looks at its call. What was sent is still done. */
async function killAt(name: string): Promise<void> {
  const killed: Promise<unknown>[] = [];
  const strike = (called: string): void => {
    if (called === name && killed.length === 0) killed.push(stage.kill('SIGKILL'));
  };
  await beforeCalls(stage, strike, () => shortly(() => expect(killed).toHaveLength(1)));
  await Promise.all(killed);
}

function say(deed: () => unknown): void {
  stage.pass(2);
  deed();
  stage.pass(2);
}

function answered(): void {
  expect(stage.github.deliveries.log.at(-1)?.statuses.at(-1)).toBe(202);
}

describe('a process that is killed', () => {
  it('again and again in one story, nothing is lost and nothing is done twice (F10, G1, G2, G4, G5, S78, S81)', {
    timeout: 240_000,
  }, async () => {
    const { pr, ana, bot, model } = await tellOneRow();
    say(() => ana.person.says('/countersign give the row another value'));
    await shortly(answered);
    await stage.kill('SIGKILL');
    await stage.start();
    await killAt(REVIEW);
    await stage.start();
    await shortly(() => expect(bot.run().body).toContain('| pending |'));
    expect(bot.reviews()).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(1);
    say(() => ana.person.replies(bot.proposal(1).id, '/approve'));
    await killAt(COMMIT);
    await stage.start();
    await shortly(() => expect(bot.answers()).toHaveLength(1));
    expect(bot.proposal(1).body).toContain('**Applied**');
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(model.heard()).toHaveLength(1);
  });

  it('killed as soon as a decision was answered with 202, it decides that after the next start (F10)', {
    timeout: 240_000,
  }, async () => {
    const { pr, ana, bot } = await tellOneRow();
    say(() => ana.person.says('/countersign give the row another value'));
    await shortly(() => expect(bot.run().body).toContain('| pending |'));
    say(() => ana.person.replies(bot.proposal(1).id, '/approve'));
    await shortly(answered);
    await stage.kill('SIGKILL');
    await stage.start();
    await shortly(() => expect(bot.proposal(1).body).toContain('**Applied**'));
    expect(pr.commits()).toHaveLength(1);
  });
});

describe('a process that is asked to stop', () => {
  it('during a model call and a commit it ends with 0 in time, loses nothing and logs no secret (G12, I2)', {
    timeout: 240_000,
  }, async () => {
    const { pr, ana, bot, model } = await stage.tell({ branch: { [ROWS_PATH]: rows() } });
    stage.model.script({ fault: 'hang' });
    model.proposes(editRow(5, 50));
    say(() => ana.person.says('/countersign give the row another value'));
    await shortly(() => expect(model.requests()).toHaveLength(1));
    await expectToStop();
    await stage.start();
    await shortly(() => expect(bot.run().body).toContain('| pending |'));
    expect(bot.proposals()).toHaveLength(1);
    const { promise: until, resolve: answers } = Promise.withResolvers<void>();
    stage.github.faults.add({ kind: 'delay', until, route: COMMIT });
    say(() => ana.person.replies(bot.proposal(1).id, '/approve'));
    await shortly(() => expect(pr.commits()).toHaveLength(1));
    const stopped = expectToStop();
    answers();
    await stopped;
    await stage.start();
    await shortly(() => expect(bot.answers()).toHaveLength(1));
    expect(bot.proposal(1).body).toContain('**Applied**');
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
