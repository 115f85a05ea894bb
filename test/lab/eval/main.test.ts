import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, inject, it } from 'vitest';
import { startScriptedModel } from '../../../fakes/model/scripted-model.ts';
import { runEval } from '../../../lab/eval/main.ts';
import { parseJson } from '../../../src/lib/trust.ts';
import type { Ended } from '../../cli/process.ts';
import { runHere } from '../../support/run-here.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const MAIN = join(import.meta.dirname, '../../../lab/eval/main.ts');

const folder = scratchFolder();

function evaluate(argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const none = { OPENAI_API: '', OPENAI_API_KEY: '', OPENAI_BASE_URL: '' };
  return runHere(() => runEval(argv), { ...none, ...environment });
}

describe('npm run eval', () => {
  it('R50: plays the script through the other API, with progress on standard error and the table on standard output (S174)', async () => {
    const { code, stdout, stderr } = await evaluate(['--tasks', '{crlf,question}'], {
      OPENAI_API: 'responses',
    });
    expect(stderr).toContain('2 tasks, 2 at a time, model: scripted');
    expect(stderr).toContain('solved     question (2 responses, 0 rounds');
    expect(stdout).toMatch(/^crlf +yes +1 +1 +0 +3 /m);
    expect(stdout).toMatch(/^all +2 of 2 /m);
    expect(code).toBe(0);
  });

  it('tries the model at an endpoint, and says as JSON what it cost and why it failed (S174)', async () => {
    const model = await startScriptedModel({ apiKey: 'key', models: ['lazy'] });
    const usage = { promptTokens: 1_000, completionTokens: 100, cachedTokens: 400 };
    model.setFallback({ content: 'Nothing to do.', usage });
    const json = join(folder, 'report.json');
    const argv = ['--model', 'lazy', '--tasks', 'crlf', '--prices', '2,0.5,10', '--json', json];
    const { code, stdout } = await evaluate(argv, { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'key' });
    await model.close();
    expect(code).toBe(1);
    expect(stdout).toContain('- crlf: settings.ini is ');
    expect(model.requests.map((request) => request.model)).toEqual(['lazy']);
    expect(parseJson(readFileSync(json, 'utf8'))).toMatchObject({
      model: 'lazy',
      totals: { tasks: 1, solved: 0, responses: 1, costUsd: 0.0024 },
      tasks: [{ task: 'crlf', solved: false, proposals: 0, tokens: { inputTokens: 1_000, cachedInputTokens: 400 } }],
    });
  });

  it('stops at the first task if the model can’t be used', async () => {
    const model = await startScriptedModel({ apiKey: 'key' });
    const endpoint = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'wrong' };
    const { code, stderr } = await evaluate(['--model', 'lazy', '--jobs', '1'], endpoint);
    await model.close();
    expect(code).toBe(2);
    expect(stderr).toContain('npm run eval: the model answered no request of ');
  });

  it.each([
    [['--model', 'x'], 'OPENAI_API_KEY is missing'],
    [['--tasks', 'nothing-*'], 'no task has a name like nothing-*. See --list.'],
    [['--json', '/nowhere/at/all.json'], 'the report cannot be written'],
  ])('refuses %j with exit code 2 and one line', async (argv, words) => {
    const { code, stdout, stderr } = await evaluate(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`npm run eval: `);
    expect(stderr).toContain(words);
  });

  it('lists tasks, and explains itself', async () => {
    expect((await evaluate(['--list', '--tasks', 'rename'])).stdout).toBe(
      'rename  a function that eleven files name\n',
    );
    expect((await evaluate(['--help'])).stdout).toContain('Exit codes: 0 if every task is solved');
  });

  it('reports what is finished after an interrupt', async () => {
    const child = spawn(process.execPath, [MAIN, '--jobs', '1', '--tasks', '{crlf,question}'], {
      env: { NODE_COMPILE_CACHE: inject('compiledCode') },
    });
    const stdout: string[] = [];
    child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => {
      if (bytes.toString().includes('[1/')) child.kill('SIGINT');
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(130);
    expect(stdout.join('')).toMatch(/^all +\d of \d /m);
  });
});
