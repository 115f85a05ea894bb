import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord, parseJson } from './trust.ts';

/** The folder of `package.json`: sources lie at several depths below it, and built files in `dist`. */
export const PACKAGE_ROOT = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder));
}

/** The version in `package.json`, or `unknown`. */
export function readVersion(): string {
  const manifest = parseJson(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  const version = isRecord(manifest) ? manifest['version'] : null;
  return typeof version === 'string' ? version : 'unknown';
}
