import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../lib/package-root.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** The version in `package.json`, or `unknown`. */
export function readVersion(): string {
  const manifest = parseJson(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  const version = isRecord(manifest) ? manifest['version'] : null;
  return typeof version === 'string' ? version : 'unknown';
}
