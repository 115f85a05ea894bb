import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../src/simulator/model/scripted-model.ts';
import { demo } from './command.ts';
import { newRepository } from './local-pull.ts';

/** Nothing waits so long: it is the processes that take their time on a busy machine, and most of a start is a new database. */
const SLOW = 240_000;
const scratch = mkdtempSync(join(tmpdir(), 'countersign-demo-scratch-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the demo as a command', () => {
  it('plays the example, as it does for a repository without history, and cleans up', { timeout: SLOW }, async () => {
    const local = newRepository();
    local.write('only.md', '# Only\n');
    local.commit('The only one');
    const { code, output, complaints } = await demo(['--auto', '--repo', local.path], {
      FORCE_COLOR: '1',
      TMPDIR: scratch,
    });
    local.remove();
    expect(output).toContain('has no parent here');
    expect(complaints).toBe('');
    expect(code).toBe(0);
    expect(output).toContain('/countersign Please tidy up');
    expect(output).toContain('presses “Commit suggestion”');
    expect(output).toContain('/deny ');
    expect(output).toContain('who asked for something else. Nothing was changed.');
    expect(output).toContain('/approve');
    // Red and green lines of a diff.
    expect(output).toContain('\u{1b}[31m  -  // What the customer has to pay, after everything that members recieve.');
    expect(output).toContain('\u{1b}[32m  +  // What the customer has to pay, after everything that members receive.');
    expect(output).not.toContain('<!-- countersign');
    expect(output).toContain('The branch holds exactly the 4 approved changes.');
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('ends at Ctrl+C and leaves nothing behind', { timeout: SLOW }, async () => {
    const { code, complaints } = await demo(['--auto'], { TMPDIR: scratch }, 'Give members ten percent off');
    expect(complaints).toBe('countersign demo: Interrupted.\n');
    expect(code).toBe(130);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('says in one line what is wrong with its options', { timeout: SLOW }, async () => {
    expect(await demo(['--colour'])).toMatchObject({ code: 2, output: '' });
    const nowhere = await demo(['--repo', join(scratch, 'nowhere')]);
    expect(nowhere).toMatchObject({ code: 2 });
    expect(nowhere.complaints.trim().split('\n')).toHaveLength(1);
    expect(await demo(['--repo', scratch])).toMatchObject({
      code: 2,
      complaints: expect.stringContaining('not a git repository'),
    });
    const noKey = await demo(['--model', 'gpt'], { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' });
    expect(noKey).toMatchObject({ code: 2, complaints: expect.stringContaining('OPENAI_API_KEY') });
  });

  it('does not begin what it could not verify: without git', { timeout: SLOW }, async () => {
    const { code, complaints } = await demo(['--auto'], { PATH: scratch });
    expect(complaints).toContain('git is not installed');
    expect(code).toBe(1);
  });
});

describe('the demo with a model behind the environment', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await startScriptedModel({ apiKey: 'from the environment' });
  });
  afterAll(() => model.close());

  it('asks that model, and stops one that never ends', { timeout: SLOW }, async () => {
    let turn = 0;
    model.otherwise(() => {
      turn += 1;
      const call = { path: `notes-${turn}.md`, content: `Number ${turn}.\n` };
      return { calls: [{ name: 'write_file', arguments: call }] };
    });
    const given = { OPENAI_API_KEY: 'from the environment', OPENAI_BASE_URL: model.url };
    const { code, output } = await demo(['--auto', '--model', 'tireless', '--task', 'write notes'], given);
    expect(model.requests[0]?.model).toBe('tireless');
    expect(output).toContain('/countersign write notes');
    expect(output).toContain('/stop');
    expect(output).toContain('Rejected. Agent response cancelled.');
    expect(code).toBe(0);
    expect(model.violations).toEqual([]);
  });
});
