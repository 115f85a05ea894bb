import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { runTests } from '../../../lab/eval/run-tests.ts';
import { listen } from '../../support/listen.ts';

const test = (body: string): string => `import { test } from 'node:test';\ntest('it', async () => { ${body} });\n`;

const run = (body: string, timeLimitMs?: number) => runTests({ 'test/it.test.mjs': test(body) }, timeLimitMs);

describe.concurrent('the tests of a task’s repository', () => {
  it('pass, and fail with their names', async () => {
    expect(await run('')).toMatchObject({ passed: true, failing: [] });
    const failed = await run('throw new Error("too small")');
    expect(failed).toMatchObject({ passed: false, failing: ['it'] });
    expect(failed.output).toContain('too small');
  });

  it('fail if there are none', async () => {
    expect(await runTests({ 'README.md': '# Nothing\n' })).toMatchObject({ passed: false });
  });

  it('fail if a file cannot be loaded', async () => {
    const files = { 'test/a.test.mjs': test(''), 'test/b.test.mjs': 'import "./missing.mjs";\n' };
    expect(await runTests(files)).toMatchObject({ passed: false });
  });

  it('end after the time limit', async () => {
    const ended = await run('for (;;);', 1_500);
    expect(ended.passed).toBe(false);
    expect(ended.failing.join()).toContain('longer than 1.5 s');
  });

  it('have no use of the network', async () => {
    const server = createServer((_request, response) => response.end('hello'));
    const port = await listen(server);
    const asked: unknown[] = [];
    server.on('connection', (socket) => asked.push(socket));
    const byFetch = await run(`await fetch('http://127.0.0.1:${port}/');`);
    const bySocket = await run(`await (await import('node:http')).get('http://127.0.0.1:${port}/');`);
    server.close();
    expect([byFetch, bySocket]).toMatchObject([{ passed: false }, { passed: false }]);
    expect(asked).toEqual([]);
  });

  it.each([
    ['other files', `(await import('node:fs')).readFileSync(${JSON.stringify(import.meta.filename)});`],
    ['writing', "(await import('node:fs')).writeFileSync('x.txt', 'x');"],
    ['processes', "(await import('node:child_process')).execFileSync(process.execPath, ['--version']);"],
    ['threads', "new (await import('node:worker_threads')).Worker('1', { eval: true });"],
    ['the environment', 'if (process.env.PATH === undefined) throw new Error("none");'],
  ])('have no use of %s', async (_, body) => {
    expect(await run(body)).toMatchObject({ passed: false, failing: ['it'] });
  });
});
