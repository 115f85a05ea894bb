import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { REGISTERED_EVENTS, REGISTERED_PERMISSIONS } from '../../src/core/step/app-rights.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const folder = scratchFolder();

describe('app.yml', () => {
  const manifest = parse(read('app.yml'));

  it('asks for four permissions, four optional ones, and nothing else (I7)', () => {
    expect(manifest.default_permissions).toEqual({
      ...{ contents: 'write', issues: 'read', metadata: 'read', pull_requests: 'write' },
      ...{ actions: 'read', checks: 'write', merge_queues: 'read', statuses: 'read' },
    });
  });

  it('asks for exactly the permissions that the App holds itself and its installations to (O4)', () => {
    expect(manifest.default_permissions).toEqual(REGISTERED_PERMISSIONS);
  });

  it('subscribes to the events that have a handler, and to the optional ones', () => {
    expect(manifest.default_events).toEqual(REGISTERED_EVENTS);
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const last = (word: string): string =>
    lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';
  const final = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  it('builds in stages on the tested slim Node image, without test tools in the last one, or install scripts (J6)', () => {
    const bases = lines.filter((line) => line.startsWith('FROM '));
    expect(bases.length).toBeGreaterThan(1);
    for (const base of bases)
      expect(base).toMatch(/^FROM (?:--platform=\$BUILDPLATFORM )?\$\{NODE\}(?: |$)|^FROM dependencies AS build$/);
    const tested = /"node": "([\d.]+)"/.exec(read('package.json'))?.[1];
    expect(lines.find((line) => line.startsWith('ARG '))).toBe(`ARG NODE=node:${tested}-slim`);
    expect(lines.filter((line) => line.includes('npm ci'))).toEqual([
      'RUN npm ci --omit=dev --ignore-scripts',
      'RUN npm ci --ignore-scripts',
    ]);
    expect(final.filter((line) => line.includes('node_modules'))).toContain(
      'COPY --from=dependencies /app/node_modules ./node_modules',
    );
  });

  it('lists the bundled packages in the bill of materials, from the stage that has them (O24)', () => {
    const build = lines.slice(lines.indexOf('FROM dependencies AS build'), lines.indexOf(final[0] ?? ''));
    expect(build).toContain('ARG BUILDKIT_SBOM_SCAN_STAGE=true');
    expect(read('.github/workflows/release.yml')).toContain('--sbom=true');
  });

  it('runs as an unprivileged user in production mode, with one writable directory that is closed to others (J6, X3)', () => {
    expect(last('USER')).toBe('node');
    expect(final.indexOf('USER node')).toBeGreaterThan(final.findLastIndex((line) => /^(?:RUN|COPY)/.test(line)));
    expect(last('ENV')).toContain('NODE_ENV=production');
    expect(last('ENV')).toContain('DATA_DIR=/data');
    expect(last('VOLUME')).toBe('/data');
    expect(final.join('\n')).toContain('install -d -m 700 -o node -g node /data');
  });

  it('starts node directly, so that SIGTERM reaches it, and asks only whether it lives (G12, J6, O25)', () => {
    expect(parseJson(last('ENTRYPOINT'))).toEqual(['node', 'bin/countersign.js']);
    expect(parseJson(last('CMD'))).toEqual(['start']);
    const check = last('HEALTHCHECK');
    expect(parseJson(check.slice(check.indexOf('[')))).toEqual(['node', '-e', expect.stringContaining('/healthz')]);
  });

  it('copies only named files, so that no key or environment file can get in (I6)', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .map((line) => line.slice(5));
    expect(copied).toEqual([
      'package.json package-lock.json .npmrc ./',
      'src ./src',
      'demo ./demo',
      'fakes ./fakes',
      'scripts/build.ts scripts/prepare-database.ts ./scripts/',
      'package.json LICENSE ./',
      'bin ./bin',
    ]);
    const [ignored, ...allowed] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(ignored).toBe('*');
    for (const path of allowed) expect([path, existsSync(join(root, path.slice(1)))]).toEqual([path, true]);
  });
});

describe('package.json', () => {
  const manifest = parseJson(read('package.json'));
  const part = (key: string): Readonly<Record<string, unknown>> => {
    const value = isRecord(manifest) ? manifest[key] : null;
    return isRecord(value) ? value : {};
  };

  it('pins every dependency exactly, and lets one package run an install script (I14)', () => {
    const versions = Object.entries({ ...part('dependencies'), ...part('devDependencies') });
    expect(versions.length).toBeGreaterThan(10);
    for (const [name, version] of versions)
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
    expect(part('allowScripts')).toEqual({ node: true });
  });

  it('names the Node version it needs, and installs it for its scripts (J4)', () => {
    expect(part('engines')).toEqual({ node: '>=24' });
    expect(part('devDependencies')['node']).toMatch(/^24\./);
  });

  it('has the commands that the documentation names', () => {
    expect(part('bin')).toEqual({ countersign: 'bin/countersign.js' });
    expect(Object.keys(part('scripts'))).toEqual(expect.arrayContaining(['start', 'demo', 'test', 'lint', 'types']));
    expect(read('bin/countersign.js')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(read('LICENSE')).toMatch(/^MIT License\n/);
  });
});

describe('.ci/run', () => {
  const sum = async (broken: string, ...results: readonly unknown[]) => {
    const paths = results.map((result, index) => {
      const path = join(folder, `${index}.json`);
      writeFileSync(path, typeof result === 'string' ? result : JSON.stringify(result));
      return path;
    });
    const script = join(root, 'scripts/sum-results.ts');
    const run = promisify(execFile)(process.execPath, [
      script,
      broken,
      ...paths,
      ...(results.length > 0 ? [] : ['none']),
    ]);
    return run.then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );
  };
  const good = { success: true, numPassedTests: 7, numFailedTests: 0, testResults: [] };

  it('is executable, stops at unset variables, and ends with the summary', () => {
    expect(statSync(join(root, '.ci/run')).mode & 0o111).not.toBe(0);
    expect(read('.ci/run')).toContain('set -euo pipefail');
    expect(read('.ci/run').trimEnd().split('\n').at(-1)).toContain('scripts/sum-results.ts');
  });

  it('summarizes results in one line, and fails if any step failed', async () => {
    expect(await sum('0', good, { ...good, numPassedTests: 5 })).toEqual({ code: 0, stdout: '12 passed, 0 failed\n' });
    expect(await sum('1', good)).toEqual({ code: 1, stdout: '7 passed, 1 failed\n' });
  });

  it('names each failed test and file right before the summary, where a shortened log still shows them', async () => {
    const failedTest = {
      status: 'failed',
      fullName: 'a pull request is closed',
      failureMessages: ['\u001b[31mexpected 1\u001b[39m\n    at x'],
    };
    const testResults = [
      {
        name: join(process.cwd(), 'test/a.test.ts'),
        status: 'failed',
        message: '',
        assertionResults: [failedTest, { ...failedTest, status: 'passed' }],
      },
      {
        name: join(process.cwd(), 'test/b.test.ts'),
        status: 'failed',
        message: 'Cannot find module',
        assertionResults: [],
      },
    ];
    expect(await sum('0', good, { ...good, success: false, numFailedTests: 1, testResults })).toEqual({
      code: 1,
      stdout: [
        'failed: test/a.test.ts > a pull request is closed: expected 1',
        'failed: test/b.test.ts: Cannot find module',
        '14 passed, 1 failed\n',
      ].join('\n'),
    });
  });

  it('counts a run without results, or one that broke without a failed test, as a failure', async () => {
    expect(await sum('0')).toEqual({
      code: 1,
      stdout: 'failed: none: the run left no readable results\n0 passed, 1 failed\n',
    });
    expect((await sum('0', '{')).stdout).toMatch(/^failed: .*0\.json: .*\n0 passed, 1 failed\n$/);
    expect(await sum('0', { ...good, success: false })).toEqual({ code: 1, stdout: '7 passed, 1 failed\n' });
  });
});
