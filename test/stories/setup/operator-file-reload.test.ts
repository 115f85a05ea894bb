import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { eventually, openProcessStage, type ProcessStage } from '../support/process-stage.ts';
import { BIGINT, EXACTLY } from '../support/proposals.ts';

const folder = scratchFolder();

const file = join(folder, 'countersign.yml');

const READ_AGAIN = '"CONFIG_FILE was read again"';

const BROKEN = '"CONFIG_FILE is broken, the previous settings stay in force"';

let stage: ProcessStage;

beforeAll(async () => {
  writeFileSync(file, 'limits: {tokens: 500000, turns: 7}\n');
  stage = await openProcessStage({ CONFIG_FILE: file });
  await stage.start();
});

afterAll(async () => {
  await stage.close();
});

afterEach(() => {
  expect(stage.github.violations).toEqual([]);
  expect(stage.model.violations).toEqual([]);
  expect(stage.model.remaining()).toBe(0);
});

/** Replaces the operator's file and sends SIGHUP. Returns the line that the process then logs, as an object. */
async function reloads(text: string, says: string): Promise<Readonly<Record<string, unknown>>> {
  writeFileSync(file, text);
  const { child, line } = stage.process();
  child.kill('SIGHUP');
  const logged = parseJson(await line(says));
  return isRecord(logged) ? logged : {};
}

describe('the operator’s limits', () => {
  it('that SIGHUP reads again hold for new runs, a running one keeps its own, and a broken file keeps the last (S127, S171)', {
    timeout: 120_000,
  }, async () => {
    const { ana, bot, model, pr } = await stage.tell();
    model.says({ calls: [BIGINT] });
    stage.act(() => ana.person.says('/countersign use bigint'));
    await eventually(() => expect(bot.proposals()).toHaveLength(1));
    expect(bot.run().body).toContain('of 500,000 tokens');

    const read = await reloads('limits: {tokens: 200000, turns: 3}\n', READ_AGAIN);
    expect(read['changed']).toEqual(['limits']);
    model.says({ calls: [EXACTLY] });
    stage.act(() => ana.person.says('/deny all exactly'));
    await eventually(() => expect(bot.proposals()).toHaveLength(2));
    expect(bot.run().body).toContain('of 500,000 tokens');
    expect(JSON.stringify(model.requests().at(-1))).toContain('after 7 responses without a proposal');
    stage.act(() => ana.person.says('/stop'));
    await eventually(() => expect(bot.run().body).not.toContain('| pending |'));

    model.says({ calls: [BIGINT] });
    stage.act(() => ana.person.says('/countersign use bigint after all'));
    await eventually(() => expect(bot.proposals()).toHaveLength(3));
    expect(bot.run().body).toContain('of 200,000 tokens');
    expect(JSON.stringify(model.requests().at(-1))).toContain('after 3 responses without a proposal');
    stage.act(() => ana.person.says('/stop'));
    await eventually(() => expect(bot.run().body).not.toContain('| pending |'));

    const { problems } = await reloads('limits: {tokens: many, turns: 1}\n', BROKEN);
    expect(problems).toEqual([expect.stringContaining('line 1: limits.tokens must be a whole number')]);
    model.says({ calls: [BIGINT] });
    stage.act(() => ana.person.says('/countersign use bigint once more'));
    await eventually(() => expect(bot.proposals()).toHaveLength(4));
    expect(bot.run().body).toContain('of 200,000 tokens');
    expect(pr.commits()).toEqual([]);

    const { stdout } = await stage.kill('SIGTERM');
    const errors = stdout.split('\n').filter((line) => line.includes('"level":50'));
    expect(errors).toEqual([expect.stringContaining(BROKEN)]);
  });
});
