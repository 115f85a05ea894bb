import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PREPARED_DATABASE } from '../../src/adapters/store/engine/prepared-database.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { run } from '../cli/process.ts';
import { startSmallGitHub } from '../cli/small-github.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { send } from '../unit/adapters/http/raw-client.ts';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = scratchFolder();

/** A database that is there is not prepared again. */
function bringDatabase(app: string): void {
  mkdirSync(join(app, 'dist'), { recursive: true });
  if (existsSync(PREPARED_DATABASE)) cpSync(PREPARED_DATABASE, join(app, 'dist', basename(PREPARED_DATABASE)));
}

/** The folders that `npm ci --omit=dev` makes right below `node_modules`: those of the lock file without development. */
function productionPackages(): readonly string[] {
  const lock = parseJson(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = isRecord(lock) && isRecord(lock['packages']) ? Object.entries(lock['packages']) : [];
  return packages
    .filter(
      ([path, entry]) => /^node_modules\/[^/]+(?:\/[^/]+)?$/.test(path) && isRecord(entry) && entry['dev'] !== true,
    )
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)));
}

/** Does offline what `npm ci --omit=dev --ignore-scripts` does. */
async function installDependencies(target: string): Promise<void> {
  const byFolder = Map.groupBy(productionPackages(), dirname);
  for (const [parent, paths] of byFolder) {
    mkdirSync(join(target, parent), { recursive: true });
    await execute('cp', ['-R', ...paths.map((path) => join(root, path)), join(target, parent)]);
  }
}

/** The megabytes that a folder takes on a disk with blocks of 4 kB. */
function megabytesOnDisk(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const blocks = files.map((file) => Math.ceil(statSync(join(file.parentPath, file.name)).size / 4096));
  return (blocks.reduce((sum, count) => sum + count, 0) * 4096) / 1024 ** 2;
}

const dependencies = join(folder, 'dependencies');
beforeAll(async () => {
  await installDependencies(dependencies);
  mkdirSync(join(dependencies, 'scripts'));
  cpSync(join(root, 'scripts/remove-unused-files.ts'), join(dependencies, 'scripts/remove-unused-files.ts'));
  await execute(process.execPath, [join(dependencies, 'scripts/remove-unused-files.ts')]);
});

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });

/** Starts an installed server with Node and nothing else, asks it whether it is ready, and stops it. */
async function startAndStop(program: string, whileReady: (port: number) => Promise<void> = async () => {}) {
  const github = await startSmallGitHub();
  const variables = {
    APP_ID: '7',
    PRIVATE_KEY: String(pem).replaceAll('\n', '\\n'),
    WEBHOOK_SECRET: 'b2f1c09d7e6a4835',
    OPENAI_MODEL: 'some-model',
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    GHE_HOST: github.host,
    GHE_PROTOCOL: 'http',
    HOST: '127.0.0.1',
    PORT: '0',
    PAUSED: '1',
    DATA_DIR: join(mkdtempSync(join(folder, 'run-')), 'data'),
  };
  const server = run(['start'], variables, folder, [], program);
  const listening = parseJson(await server.line('"listening"'));
  const port = Number(new URL(String(isRecord(listening) ? listening['url'] : '')).port);
  await server.line('"ready"');
  const { status } = await send(port, { method: 'GET', path: '/readyz' });
  await whileReady(port);
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  github.close();
  return { status, code, stderr };
}

const CLEAN = { status: 200, code: 0, stderr: '' };

describe('an installation without development tools', { timeout: 240_000 }, () => {
  it('takes less than 120 MB, and no second Node (O25)', () => {
    expect(megabytesOnDisk(join(dependencies, 'node_modules'))).toBeLessThan(120);
    expect(existsSync(join(dependencies, 'node_modules/node'))).toBe(false);
    expect(existsSync(join(dependencies, 'node_modules/openai/index.mjs'))).toBe(true);
  });

  it('leaves all files where the compiler is (O25)', async () => {
    const checkout = join(folder, 'checkout');
    for (const name of ['scripts', 'node_modules/typescript', 'node_modules/zod'])
      mkdirSync(join(checkout, name), { recursive: true });
    cpSync(join(root, 'scripts/remove-unused-files.ts'), join(checkout, 'scripts/remove-unused-files.ts'));
    cpSync(join(root, 'node_modules/zod/index.d.ts'), join(checkout, 'node_modules/zod/index.d.ts'));
    await execute(process.execPath, [join(checkout, 'scripts/remove-unused-files.ts')]);
    expect(existsSync(join(checkout, 'node_modules/zod/index.d.ts'))).toBe(true);
  });

  it('starts from the package that npm packs, in an empty folder (O24)', async () => {
    const source = join(folder, 'source');
    const names = ['bin', 'src', 'demo', 'fakes', 'scripts', 'docs', 'package.json', 'app.yml', 'LICENSE', 'README.md'];
    for (const name of [...names, 'tsconfig.json', 'tsconfig.build.json', '.npmrc'])
      cpSync(join(root, name), join(source, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
    bringDatabase(source);
    const { stdout } = await execute('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source });
    const app = join(dependencies, 'node_modules/countersign');
    mkdirSync(app);
    const archive = join(folder, stdout.trim().split('\n').at(-1) ?? '');
    await execute('tar', ['--extract', '--gzip', '--strip-components=1', `--file=${archive}`, `--directory=${app}`]);
    expect(readdirSync(app).sort()).toEqual(['LICENSE', 'README.md', 'app.yml', 'bin', 'dist', 'docs', 'package.json']);
    expect(readdirSync(join(app, 'dist'))).toContainEqual(expect.stringMatching(/^database-\w+\.tar\.gz$/));
    expect(await startAndStop(join(app, 'bin/countersign.js'))).toEqual(CLEAN);
  });

  it('starts from what the steps of the Dockerfile leave, and answers its health check (O24)', async () => {
    const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n');
    const app = join(folder, 'image');
    bringDatabase(app);
    const skipped: string[] = [];
    for (const line of lines) {
      const [word = '', ...words] = line.split(/\s+/);
      if (word === 'COPY') copy(words, app);
      else if (word === 'RUN' && words[0] === 'node') await execute(process.execPath, words.slice(1), { cwd: app });
      else if (word === 'RUN') skipped.push(words.slice(0, 2).join(' '));
    }
    // The first is done offline by `installDependencies`; the second needs the image's system.
    expect(skipped).toEqual(['npm ci', 'apt-get update']);
    expect(existsSync(join(app, 'node_modules/openai/index.d.ts'))).toBe(false);
    const [, command = ''] = /^\s+CMD (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
    const [, ...check] = z.array(z.string()).parse(parseJson(command));
    const healthy = (port: number) => execute(process.execPath, check, { env: { PORT: String(port) } }).then(() => {});
    expect(await startAndStop(join(app, 'bin/countersign.js'), healthy)).toEqual(CLEAN);
  });
});

/** Does what `COPY` does; from the stage of the dependencies it takes those of this test. */
function copy(words: readonly string[], app: string): void {
  const from = words[0]?.startsWith('--from=') ? dependencies : root;
  const paths = from === root ? words : words.slice(1);
  const target = join(app, paths.at(-1) ?? '');
  for (const path of paths.slice(0, -1)) {
    const source = join(from, path.replace(/^\/app\//, ''));
    const isFolder = paths.at(-1)?.endsWith('/') === true;
    mkdirSync(isFolder ? target : dirname(target), { recursive: true });
    if (from === dependencies) symlinkSync(source, target);
    else cpSync(source, isFolder ? join(target, basename(source)) : target, { recursive: true });
  }
}
