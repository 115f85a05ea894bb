import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../fakes/model/scripted-model.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { runDemoCommand, runDemoHere, runInstalledDemo } from './command.ts';
import { createEdgeCaseRepository, createRepository } from './local-pull.ts';

/** For the tests that start a process, on a machine with other work. */
const SLOW = 180_000;

const scratch = scratchFolder();

describe('the demo command', () => {
  const local = createRepository();
  afterAll(local.remove);

  it('plays the example on one screen for a repository without history, installed, and cleans up (PG1, O24)', {
    timeout: SLOW,
  }, async () => {
    local.write('one.js', 'export const one = 1;\n');
    local.commit('One');
    const given = { FORCE_COLOR: '1', TMPDIR: scratch };
    const { code, output, errors } = await runInstalledDemo(['--auto', '--repo', local.path], given);
    expect(output).toContain('has no parent here');
    const parsers = errors.trim().split('\n');
    expect(parsers.filter((name) => !name.endsWith('.wasm'))).toEqual([]);
    expect(parsers).toContain('tree-sitter-typescript.wasm');
    expect(code).toBe(0);
    expect(output).toContain('ana asks: Keep amounts whole cents');
    expect(output).toMatch(/✓ applied in [0-9a-f]{7} +src\/discount\.ts +ben: presses “Commit suggestion”/);
    expect(output).toMatch(/✗ not made +src\/basket\.ts +ben: \/deny the name is part of our API/);
    expect(output).toMatch(/↻ asked anew +test\/discount\.test\.ts +ben: \/edit \w{4} Good/);
    expect(output).toContain('\u{1b}[32m✓');
    expect(output).toContain('The branch holds exactly the 4 approved changes.');
    expect(output.split('\n').length).toBeLessThan(40);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('says that a script cannot code where it finds nothing to tidy (PG7)', async () => {
    local.write('one.js', 'export const one = 2;\n');
    local.commit('Two');
    const { code, errors } = await runDemoHere(['--auto', '--repo', local.path]);
    expect(errors).toContain('it cannot code');
    expect(errors.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('cleans up after Ctrl+C, in a process of its own', { timeout: SLOW }, async () => {
    const { code, errors } = await runDemoCommand(['--auto'], { TMPDIR: scratch }, 'Give members ten percent off');
    expect(errors).toBe('countersign demo: Interrupted.\n');
    expect(code).toBe(130);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('reports a wrong option in one line', async () => {
    expect(await runDemoHere(['--color'])).toMatchObject({ code: 2, output: '' });
    const nowhere = await runDemoHere(['--repo', join(scratch, 'nowhere')]);
    expect(nowhere).toMatchObject({ code: 2 });
    expect(nowhere.errors.trim().split('\n')).toHaveLength(1);
    expect(await runDemoHere(['--repo', scratch])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('not a git repository'),
    });
    const noKey = await runDemoHere(['--model', 'gpt'], { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' });
    expect(noKey).toMatchObject({ code: 2, errors: expect.stringContaining('OPENAI_API_KEY') });
  });
});

describe('the demo with a model from the environment', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await startScriptedModel({ apiKey: 'from-the-environment' });
  });
  afterAll(() => model.close());

  it('uses that model and stops an endless run', async () => {
    let turn = 0;
    model.setFallback(() => {
      turn += 1;
      const call = { path: `notes-${turn}.md`, content: `Number ${turn}.\n` };
      return { calls: [{ name: 'write_file', arguments: call }] };
    });
    const given = { OPENAI_API_KEY: 'from-the-environment', OPENAI_BASE_URL: model.url };
    const local = createEdgeCaseRepository();
    const args = ['--auto', '--model', 'tireless', '--task', 'write notes', '--repo', local.path];
    const { code, output } = await runDemoHere(args, given);
    local.remove();
    expect(model.requests[0]?.model).toBe('tireless');
    expect(output).toContain('ana asks: write notes');
    // The title of the commit has a control character.
    expect(output).toContain('Make it *awkward* --');
    expect(output).not.toContain('\u{1b}');
    // One decision of each kind, then approvals, in five rounds.
    expect(output.match(/notes-\d+\.md +(?:ana|ben): /g)).toHaveLength(5);
    expect(code).toBe(0);
    expect(model.violations).toEqual([]);
  });
});
