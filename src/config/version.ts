import { readFileSync } from 'node:fs';
import { isRecord, parseJson } from '../trust.ts';

/** The product's version, as its package says; the package lies two folders up from here, built or not. */
export function version(): string {
  const manifest = parseJson(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const stated = isRecord(manifest) ? manifest['version'] : null;
  return typeof stated === 'string' ? stated : 'unknown';
}
