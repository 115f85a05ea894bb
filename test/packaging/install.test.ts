import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { run } from '../cli/process.ts';
import { serverVariables, startSmallGitHub } from '../cli/small-github.ts';
import { bringDatabase, installedPackage, productionPackages } from '../support/installed-package.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { send } from '../unit/adapters/http/raw-client.ts';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = scratchFolder();

const { folder: installed, app, program } = await installedPackage();

/** The bundle's code by the name of its file. */
function bundle(): ReadonlyMap<string, string> {
  const names = readdirSync(join(app, 'dist')).filter((name) => name.endsWith('.js'));
  return new Map(names.map((name) => [name, readFileSync(join(app, 'dist', name), 'utf8')]));
}

/** Starts an installed server with Node and nothing else, asks it whether it is ready, and stops it. */
async function startAndStop(
  program: string,
  whileReady: (port: number, variables: Readonly<Record<string, string>>) => Promise<unknown>,
) {
  const github = await startSmallGitHub();
  const variables = { ...serverVariables(github), PAUSED: '1', DATA_DIR: mkdtempSync(join(folder, 'data-')) };
  const server = run(['start'], variables, folder, [], program);
  const listening = parseJson(await server.line('"listening"'));
  const port = Number(new URL(String(isRecord(listening) ? listening['url'] : '')).port);
  await server.line('"ready"');
  const { status } = await send(port, { method: 'GET', path: '/readyz' });
  await whileReady(port, variables);
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  github.close();
  return { status, code, stderr };
}

const CLEAN = { status: 200, code: 0, stderr: '' };

describe('the package, in an empty folder', { timeout: 240_000 }, () => {
  it('takes less than 65 MB, and no second Node (O25)', async () => {
    expect(Number.parseInt((await execute('du', ['-sm', installed])).stdout, 10)).toBeLessThan(65);
    expect(existsSync(join(installed, 'node_modules/node'))).toBe(false);
    expect(readdirSync(app).sort()).toEqual(['LICENSE', 'README.md', 'app.yml', 'bin', 'dist', 'docs', 'package.json']);
  });

  it('has all that its code asks for, and no code that could download packages (O24, X20)', async () => {
    const texts = [...bundle().values()];
    const asked = texts.flatMap((text) => [
      ...text.matchAll(/(?:^import .*? from |\b(?:__require|import)\()"([^"]+)"/gm),
    ]);
    const packages = asked.flatMap(([, name = '']) => (name.startsWith('./') || isBuiltin(name) ? [] : [name]));
    // pg has a native twin, which it asks for only where the environment says so.
    expect([...new Set(packages)].sort()).toEqual(['@electric-sql/pglite', '@vscode/tree-sitter-wasm', 'pg-native']);
    const starters = [...bundle()].filter(([, text]) => text.includes('child_process')).map(([name]) => name);
    expect(starters).toEqual([expect.stringMatching(/^app-control/), expect.stringMatching(/^run-git/)]);
    const beside = texts.flatMap((text) => [...text.matchAll(/new URL\("(\.[^"]+)", import\.meta\.url\)/g)]);
    expect(beside.length).toBeGreaterThan(6);
    for (const [, name = ''] of beside) expect([name, existsSync(join(app, 'dist', name))]).toEqual([name, true]);
    const files = [...bundle().keys()].filter((name) => name !== 'cli.js').map((name) => join(app, 'dist', name));
    const load = `for (const file of ${JSON.stringify(files)}) await import(file); process.exit(7)`;
    await expect(execute(process.execPath, ['--input-type=module', '--eval', load])).rejects.toMatchObject({
      ...{ code: 7, stdout: '', stderr: '' },
    });
  });

  it('brings the license of each package in it, and the documentation says why each is there (O24, X20)', () => {
    const licenses = readFileSync(join(app, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8').split(`\n${'='.repeat(80)}\n`);
    expect(licenses.length).toBeGreaterThan(100);
    for (const license of licenses)
      expect(license).toMatch(/^\S+ \d+\.\d+\.\d+, \S+\n\n.*(?:copyright|permission|license)/is);
    const bundled = licenses.flatMap((license) => /^\S+/.exec(license)?.[0] ?? []);
    const manifest = parseJson(readFileSync(join(root, 'package.json'), 'utf8'));
    const { dependencies, devDependencies } = Object(manifest);
    const named = [...Object.keys(dependencies), ...bundled.filter((name) => name in devDependencies)];
    const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (`.+?`) \| \S.* \|$/gm)].map(([, names = '']) =>
      names.slice(1, -1).split('`, `'),
    );
    expect(rows.flat().sort()).toEqual([...new Set(named)].sort());
  });

  it('starts, and its commands work, with Node and nothing else (O19, O24)', async () => {
    const path = { PATH: process.env['PATH'] ?? '' };
    const output = (args: readonly string[], variables = {}) => run(args, { ...path, ...variables }, root).ended;
    const started = startAndStop(program, async (_, variables) => {
      const pending = await output(['pending'], variables);
      expect(pending).toEqual({ code: 0, stdout: 'Nothing waits for people.\n', stderr: '' });
      // The model is none, and the small GitHub knows little.
      const doctor = await output(['doctor'], variables);
      expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^✓ GitHub knows the App /m) });
    });
    const [help, verify] = await Promise.all([output(['--help']), output(['verify', 'HEAD'])]);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: countersign /) });
    expect(verify).toMatchObject({ code: 0, stderr: '' });
    expect(await started).toEqual(CLEAN);
  });

  it('starts from what the steps of the Dockerfile leave, and answers its health check (O24)', async () => {
    const steps = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
    let stage = '';
    for (const [, word = '', rest = ''] of steps.matchAll(/^(FROM|COPY|RUN) (.*)$/gm)) {
      const words = rest.split(/\s+/);
      if (word === 'FROM') {
        stage = join(folder, 'image', words.includes('AS') ? (words.at(-1) ?? '') : 'final');
        mkdirSync(stage, { recursive: true });
        const base = join(folder, 'image', words[0] ?? '');
        if (existsSync(base)) cpSync(base, stage, { recursive: true });
      } else if (word === 'COPY') await copy(words, stage);
      else if (words[0] === 'node') await execute(process.execPath, words.slice(1), { cwd: stage });
      else if (words[0] === 'npm') installWith(words, stage);
      else expect(words[0]).toBe('apt-get');
    }
    const [, command = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(steps) ?? [];
    const [, ...check] = z.array(z.string()).parse(parseJson(command));
    const isHealthy = (port: number) => execute(process.execPath, check, { env: { PORT: String(port) } });
    const program = join(stage, 'bin/countersign.js');
    expect(await startAndStop(program, isHealthy)).toEqual(CLEAN);
    rmSync(join(stage, 'dist'), { recursive: true });
    const unbuilt = await run(['start'], {}, folder, [], program).ended;
    expect(unbuilt).toMatchObject({ code: 1, stderr: expect.stringContaining('Countersign is not built here.') });
  });
});

/** Does offline what `npm ci` does. */
function installWith(words: readonly string[], stage: string): void {
  expect(words).toEqual(expect.arrayContaining(['ci', '--ignore-scripts']));
  const paths = words.includes('--omit=dev') ? productionPackages() : ['node_modules'];
  rmSync(join(stage, 'node_modules'), { recursive: true, force: true });
  for (const path of paths) {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    symlinkSync(join(root, path), join(stage, path));
  }
  if (paths[0] === 'node_modules') bringDatabase(stage);
}

/** Does what `COPY` does, from this repository or from another stage. */
async function copy(words: readonly string[], stage: string): Promise<void> {
  const [, other] = /^--from=(.*)/.exec(words[0] ?? '') ?? [];
  const from = other === undefined ? root : join(folder, 'image', other);
  const paths = words.filter((word) => !word.startsWith('--')).map((path) => path.replace(/^\/app\//, ''));
  const target = join(stage, paths.at(-1) ?? '');
  mkdirSync(dirname(`${target}.`), { recursive: true });
  await execute('cp', ['-R', ...paths.slice(0, -1), target], { cwd: from });
}
