import { execFileSync } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** PostgreSQL's own programs, and whom they run as where they refuse the one who asks. */
export type ServerPrograms = {
  readonly initdb: string;
  readonly postgres: string;
  /** Empty where they may run as whoever asks. */
  readonly as: { readonly uid?: number; readonly gid?: number };
};

/** Where packages put them; a machine may have several versions. */
const PLACES = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/usr/local/pgsql/bin',
  '/opt/homebrew/opt/postgresql*/bin',
];
/** They refuse to run as root; whom packages make for them, and who is everywhere. */
const OTHERS = ['postgres', 'nobody'];

/** Those of this machine, the first on the path before the others; null where it has none, or nobody may run them. */
export function findPrograms(): ServerPrograms | null {
  const onPath = said('sh', ['-c', 'command -v initdb']);
  const folders = [
    ...(onPath === null ? [] : [dirname(realpathSync(onPath))]),
    ...globSync(PLACES).toSorted().reverse(),
  ];
  const folder = folders.find((one) => ['initdb', 'postgres'].every((name) => existsSync(join(one, name))));
  const as = whomToRunAs();
  return folder === undefined || as === null
    ? null
    : { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), as };
}

function whomToRunAs(): ServerPrograms['as'] | null {
  if (process.getuid?.() !== 0) return {};
  for (const name of OTHERS) {
    const [uid, gid] = ['-u', '-g'].map((which) => said('id', [which, name]));
    if (uid !== null && uid !== undefined && gid !== null && gid !== undefined)
      return { uid: Number(uid), gid: Number(gid) };
  }
  return null;
}

/** What a program says, without the newline; null where it fails or says nothing. */
function said(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null;
  } catch {
    return null;
  }
}
