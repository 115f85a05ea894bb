import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { PREPARED_DATABASE } from '../../src/adapters/store/engine/data-directory.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** What `npm install` makes of the package in an empty folder, and the installed package and its program. */
export type Installation = { readonly folder: string; readonly app: string; readonly program: string };

/**
 * The package of these sources, installed once for all tests of a run: a process of it takes half the time of one that
 * reads the sources. The first caller installs it, and all others wait.
 */
export async function installedPackage(): Promise<Installation> {
  const shared = inject('sharedFolder');
  const [folder, failed] = [join(shared, 'installed'), join(shared, 'not-installed')];
  const app = join(folder, 'node_modules/countersign');
  if (isFirst(join(shared, 'installs')))
    await install(shared, folder).catch((error: unknown) => {
      writeFileSync(failed, String(error));
    });
  while (!existsSync(folder)) {
    if (existsSync(failed)) throw new Error(`The package cannot be installed. ${readFileSync(failed, 'utf8')}`);
    await sleep(100);
  }
  return { folder, app, program: join(app, 'bin/countersign.js') };
}

/** Whether nobody made this folder before. */
function isFirst(folder: string): boolean {
  return mkdirSync(folder, { recursive: true }) !== undefined;
}

/** Does offline what npm does in an empty folder. */
async function install(shared: string, target: string): Promise<void> {
  const [source, folder] = [join(shared, 'source'), join(shared, 'installs')];
  for (const path of productionPackages()) cpSync(join(root, path), join(folder, path), { recursive: true });
  const names = ['bin', 'src', 'demo', 'fakes', 'scripts', 'docs', 'package.json', 'app.yml', 'LICENSE', 'README.md'];
  for (const name of names) cpSync(join(root, name), join(source, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
  bringDatabase(source);
  const { stdout } = await execute('npm', ['pack', '--silent', '--pack-destination', shared], { cwd: source });
  const archive = join(shared, stdout.trim().split('\n').at(-1) ?? '');
  const app = join(folder, 'node_modules/countersign');
  mkdirSync(app);
  await execute('tar', ['--extract', '--gzip', '--strip-components=1', `--file=${archive}`, `--directory=${app}`]);
  renameSync(folder, target);
}

/** The folders that `npm ci --omit=dev` makes: those of the lock file without development. */
export function productionPackages(): readonly string[] {
  const lock = parseJson(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = isRecord(lock) && isRecord(lock['packages']) ? Object.entries(lock['packages']) : [];
  return packages
    .filter(([path, entry]) => path !== '' && isRecord(entry) && entry['dev'] !== true)
    .map(([path]) => path);
}

/** A database that is there is not prepared again. */
export function bringDatabase(target: string): void {
  mkdirSync(join(target, 'dist'), { recursive: true });
  if (existsSync(PREPARED_DATABASE)) cpSync(PREPARED_DATABASE, join(target, 'dist', basename(PREPARED_DATABASE)));
}
