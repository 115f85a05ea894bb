import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseHunks } from '../../src/core/edits/text/hunks.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';

/** The first version of each package without a flaw that its input could reach (H7), and why. */
const FLOORS = {
  // CVE-2026-24001: parsing a patch never ended.
  diff: '8.0.3',
  // CVE-2025-25285: slow regular expressions over a server's response.
  '@octokit/endpoint': '10.1.3',
  '@octokit/webhooks': '12.0.4',
  probot: '12.3.3',
} as const;

/** Each place where a package is installed, with its version: `node_modules/a/node_modules/b` holds a package `b`, too. */
function installed(lock: unknown): readonly { readonly name: string; readonly version: string }[] {
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
  return Object.entries(packages).flatMap(([path, entry]) => {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    const version = isRecord(entry) ? entry['version'] : null;
    return name === undefined || typeof version !== 'string' ? [] : [{ name, version }];
  });
}

/** Packages with an install script. */
function installing(lock: unknown): readonly string[] {
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
  return Object.entries(packages)
    .filter(([, entry]) => isRecord(entry) && entry['hasInstallScript'] === true)
    .map(([path]) => path);
}

function isAtLeast(version: string, floor: string): boolean {
  return version.localeCompare(floor, 'en', { numeric: true }) >= 0;
}

/** Packages of the list that are missing or older than allowed. */
function breaches(lock: unknown): readonly string[] {
  return Object.entries(FLOORS).flatMap(([name, floor]) => {
    const versions = installed(lock).filter((one) => one.name === name);
    if (versions.length === 0) return [`${name} is not installed`];
    return versions.filter(({ version }) => !isAtLeast(version, floor)).map(({ version }) => `${name} ${version}`);
  });
}

const root = join(import.meta.dirname, '../..');

describe('installed packages', () => {
  it('no package is older than its first version without a known vulnerability (H7)', () => {
    expect(breaches(parseJson(readFileSync(join(root, 'package-lock.json'), 'utf8')))).toEqual([]);
  });

  it('the check finds a vulnerable package deep in the tree, and a missing one (H7)', () => {
    const packages = {
      'node_modules/diff': { version: '9.0.0' },
      'node_modules/a/node_modules/diff': { version: '8.0.2' },
      'node_modules/@octokit/endpoint': { version: '10.1.10' },
      'node_modules/@octokit/webhooks': { version: '9.99.99' },
    };
    expect(breaches({ packages })).toEqual(['diff 8.0.2', '@octokit/webhooks 9.99.99', 'probot is not installed']);
  });

  it('no package runs a script at its installation, but that of Node for development (X20)', () => {
    const lock = parseJson(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    expect(installing(lock)).toEqual(['node_modules/node']);
  });

  it('a patch with Unicode line separators is parsed to its end (H7)', () => {
    expect(parseHunks('--- x\u{2028}x\n+++ y\u{2029}y\n@@ -1 +1 @@\n-a\u{2028}b\n+a\n')).toHaveLength(1);
    expect(parseHunks('--- x\u{2028}x')).toEqual([]);
  });
});
