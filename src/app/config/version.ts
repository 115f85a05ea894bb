import { existsSync, readFileSync } from 'node:fs';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** The version in `package.json`, or `unknown`. */
export function readVersion(): string {
  const manifest = parseJson(readFileSync(findManifest(), 'utf8'));
  const version = isRecord(manifest) ? manifest['version'] : null;
  return typeof version === 'string' ? version : 'unknown';
}

/** The built files are one folder deeper than the source files. */
function findManifest(): URL {
  const besideSource = new URL('../../../package.json', import.meta.url);
  return existsSync(besideSource) ? besideSource : new URL('../package.json', besideSource);
}
