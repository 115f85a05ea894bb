import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../fakes/model/scripted-model.ts';
import { runDemoCommand } from './command.ts';
import { createRepository } from './local-pull.ts';

/** Generous, because each test starts processes and a new database. */
const SLOW = 240_000;
const scratch = mkdtempSync(join(tmpdir(), 'countersign-demo-scratch-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the demo command', () => {
  it('plays the example for a repository without history, and cleans up', { timeout: SLOW }, async () => {
    const local = createRepository();
    local.write('only.md', '# Only\n');
    local.commit('The only one');
    const { code, output, errors } = await runDemoCommand(['--auto', '--repo', local.path], {
      FORCE_COLOR: '1',
      TMPDIR: scratch,
    });
    local.remove();
    expect(output).toContain('has no parent here');
    expect(errors).toBe('');
    expect(code).toBe(0);
    expect(output).toContain('/countersign Please tidy up');
    expect(output).toContain('presses “Commit suggestion”');
    expect(output).toContain('/deny ');
    expect(output).toContain('Asked for something else');
    expect(output).toContain('/approve');
    // Red and green lines of a diff.
    expect(output).toContain('\u{1b}[31m  -  // The total, after the discount that members recieve.');
    expect(output).toContain('\u{1b}[32m  +  // The total, after the discount that members receive.');
    expect(output).not.toContain('<!-- countersign');
    expect(output).toContain('The branch holds exactly the 4 approved changes.');
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('cleans up after Ctrl+C', { timeout: SLOW }, async () => {
    const { code, errors } = await runDemoCommand(['--auto'], { TMPDIR: scratch }, 'Give members ten percent off');
    expect(errors).toBe('countersign demo: Interrupted.\n');
    expect(code).toBe(130);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('reports a wrong option in one line', { timeout: SLOW }, async () => {
    expect(await runDemoCommand(['--color'])).toMatchObject({ code: 2, output: '' });
    const nowhere = await runDemoCommand(['--repo', join(scratch, 'nowhere')]);
    expect(nowhere).toMatchObject({ code: 2 });
    expect(nowhere.errors.trim().split('\n')).toHaveLength(1);
    expect(await runDemoCommand(['--repo', scratch])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('not a git repository'),
    });
    const noKey = await runDemoCommand(['--model', 'gpt'], { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' });
    expect(noKey).toMatchObject({ code: 2, errors: expect.stringContaining('OPENAI_API_KEY') });
  });
});

describe('the demo with a model from the environment', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await startScriptedModel({ apiKey: 'from-the-environment' });
  });
  afterAll(() => model.close());

  it('uses that model and stops an endless run', { timeout: SLOW }, async () => {
    let turn = 0;
    model.setFallback(() => {
      turn += 1;
      const call = { path: `notes-${turn}.md`, content: `Number ${turn}.\n` };
      return { calls: [{ name: 'write_file', arguments: call }] };
    });
    const given = { OPENAI_API_KEY: 'from-the-environment', OPENAI_BASE_URL: model.url };
    const { code, output } = await runDemoCommand(['--auto', '--model', 'tireless', '--task', 'write notes'], given);
    expect(model.requests[0]?.model).toBe('tireless');
    expect(output).toContain('/countersign write notes');
    expect(output).toContain('/stop');
    expect(output).toContain('Rejected. Agent response cancelled.');
    expect(code).toBe(0);
    expect(model.violations).toEqual([]);
  });
});
