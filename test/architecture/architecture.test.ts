import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTooLarge } from './budgets.ts';
import { LAYERS, ROOMS } from './rooms.ts';
import { findUnusedEntries, RULES } from './rules.ts';
import { readFacts, type SourceFacts } from './source-facts.ts';

const root = join(import.meta.dirname, '../..');

function textsUnder(folder: string): Record<string, string> {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

const sources = readFacts(Object.assign({}, ...['src', 'fakes', 'demo', 'lab'].map(textsUnder)));

/** The files of these folders that the sources import. */
function reached(paths: RegExp, folders: readonly string[] = ['src/']): readonly string[] {
  return sources
    .filter(({ path }) => paths.test(path))
    .flatMap(({ path, imports }) => imports.map(({ from }) => posix.join(posix.dirname(path), from)))
    .filter((target) => folders.some((folder) => target.startsWith(folder)));
}

describe('architecture', () => {
  it('payloads are built without knowledge of GitHub, and their view imports only payloads and formatting (S28)', () => {
    const outside = reached(/^src\/core\/edits\//).filter((target) => !target.startsWith('src/core/edits/'));
    // These files know only texts.
    expect([...new Set(outside)].sort()).toEqual(['src/lib/credentials.ts', 'src/lib/format.ts']);
    expect(reached(/^src\/lib\/credentials\.ts$/)).toEqual([]);
    expect(reached(/^src\/core\/messages\/proposal\/payload-view\.ts$/)).toEqual([
      'src/lib/format.ts',
      'src/core/edits/change.ts',
    ]);
  });

  it('reads every file with its imports', () => {
    const byPath = new Map(sources.map((facts) => [facts.path, facts]));
    for (const part of ['src/', 'fakes/', 'demo/', 'lab/'])
      expect(sources.filter(({ path }) => path.startsWith(part)).length).toBeGreaterThan(5);
    expect(byPath.get('src/app/wiring.ts')?.imports.map(({ from }) => from)).toContain('probot');
    expect(byPath.get('src/cli.ts')?.imports).toContainEqual({
      from: '../demo/command/main.ts',
      names: [],
      late: true,
    });
  });

  it.each(Object.entries(RULES))('%s', (_sentence, rule) => {
    expect(rule(sources)).toEqual([]);
  });

  it('every folder of src has a room, and each of its entry files is imported by another folder', () => {
    expect(Object.keys(ROOMS).sort()).toEqual(
      LAYERS.flat()
        .filter((folder) => !folder.endsWith('.ts'))
        .sort(),
    );
    expect(findUnusedEntries(sources)).toEqual([]);
  });

  it('no room is above its budget, and no file above 400 lines', () => {
    const files = Object.entries(textsUnder('src')).map(([path, text]) => ({
      path,
      lines: text.split('\n').length - 1,
    }));
    expect(findTooLarge(files)).toEqual([]);
  });

  it('the page of the demo is small, and only the process of its App loads the App (PG9, PG12)', () => {
    const folder = join(root, 'demo/page');
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)).toBeLessThanOrEqual(2_500);
    const loaded = reached(/^demo\/(?:page\/(?!app-main)|scenes\/)/, ['src/', 'demo/environment']);
    expect([...new Set(loaded)].sort()).toEqual(['src/app/app-identity.ts', 'src/lib/trust.ts']);
  });

  it('no test is skipped, focused or a to-do', () => {
    const marked = Object.entries(textsUnder('test')).filter(([path, text]) => {
      return (
        path !== 'test/architecture/architecture.test.ts' &&
        /\b(?:it|test|describe)\.(?:skip|only|todo)\b(?!If)/.test(text)
      );
    });
    expect(marked.map(([path]) => path)).toEqual([]);
  });
});

/** Breaches of all rules in these sources. */
function breaches(texts: Readonly<Record<string, string>>): readonly string[] {
  const facts: readonly SourceFacts[] = readFacts(texts);
  return Object.values(RULES).flatMap((rule) => rule(facts));
}

describe('the rules themselves', () => {
  it.each<[string, string]>([
    ['src/core/state/a.ts', '../policy/b.ts'],
    ['src/adapters/model/a.ts', '../github/b.ts'],
    ['src/adapters/store/a.ts', '../../worker/jobs/b.ts'],
    ['src/adapters/http/a.ts', '../../app/start.ts'],
    ['src/core/policy/a.ts', '../decide.ts'],
    ['src/core/policy/a.ts', '../edits/build/unified-diff.ts'],
    ['src/core/commands/a.ts', '../messages/proposal/diff-markdown.ts'],
    ['src/worker/a.ts', '../core/events/comment.ts'],
    ['src/app/a.ts', '../worker/effects/commit.ts'],
    ['src/worker/a.ts', './effects/commit.ts'],
    ['src/worker/a.ts', '../adapters/github/create-github.ts'],
    ['src/app/a.ts', '../../fakes/github/b.ts'],
    ['src/worker/a.ts', '../../lab/b.ts'],
    ['src/worker/a.ts', '../../test/b.ts'],
    ['src/app/a.ts', '../../demo/command/main.ts'],
    ['src/cli.ts', '../demo/command/main.ts'],
    ['fakes/github/a.ts', '../../src/adapters/github/b.ts'],
    ['fakes/a.ts', '../lab/b.ts'],
    ['demo/a.ts', '../lab/b.ts'],
    ['src/cli/config/a.ts', '../git/run-git.ts'],
    ['src/core/a.ts', 'node:fs'],
    ['src/core/a.ts', 'probot'],
  ])('%s may not import %s', (path, from) => {
    const breach = `${path} may not import ${from.startsWith('.') ? posix.join(posix.dirname(path), from) : from}`;
    const text = `import '${from}'; export type { A } from '${from}'; export type B = import('${from}').B;`;
    expect(breaches({ [path]: text }).filter((found) => found === breach).length).toBeGreaterThanOrEqual(3);
  });

  it.each<[string, string, string, string]>([
    ['a folder without a layer', 'src/model/a.ts', '', 'no layer'],
    ['a late import', 'src/app/a.ts', "export const a = () => import('../../lab/b.ts');", 'may not import lab/b.ts'],
    ['a computed import', 'src/app/a.ts', 'export const a = () => import(String());', 'may not import (computed)'],
    ['a clock', 'src/core/state/a.ts', 'export const a = Date.now();', 'uses Date.now'],
    ['the time of day', 'src/lib/a.ts', 'export const a = new Date();', 'uses new Date()'],
    ['chance', 'src/core/a.ts', "import { randomUUID } from 'node:crypto';", 'imports randomUUID'],
    ['a name in another case', 'src/core/myFile.ts', '', 'the name myFile'],
    ['a name that says nothing', 'src/core/string-utils.ts', '', 'the name string-utils'],
    ['an assertion', 'src/core/a.ts', '\nexport const a = 1 as unknown;', 'a.ts:2 asserts a type'],
    ['an assertion in brackets', 'src/core/a.ts', 'export const a = <unknown>1;', 'asserts a type'],
    ['a non-null assertion', 'src/core/a.ts', 'export const a = [1][0]!;', 'a.ts:1 asserts that something is not null'],
    ['one on a property', 'src/core/a.ts', 'export const a = (b?: { c: 1 }) => b!.c;', 'not null'],
    ['any', 'src/core/a.ts', 'export type A = Record<string, any>;', 'says any'],
    ['any in the trusted file', 'src/lib/trust.ts', 'export type A = any;', 'says any'],
    ['a default export', 'src/core/a.ts', 'export default 1;', 'default export'],
    ['a default function', 'src/core/a.ts', 'export default function a() {}', 'default export'],
    ['a default by renaming', 'src/core/a.ts', 'const a = 1; export { a as default };', 'default export'],
    ['a silenced compiler', 'src/core/a.ts', '// @ts-expect-error it knows\nexport const a = 1;', 'a.ts:1 silences'],
    ['the environment', 'src/cli/a.ts', 'export const a = process.env;', 'reads the environment'],
    ['the environment imported', 'demo/a.ts', "import { env } from 'node:process';", 'reads the environment'],
    ['Probot’s server', 'src/app/a.ts', "import { Probot, run } from 'probot';", 'a.ts uses Probot, run of probot'],
    ['all of Probot', 'src/app/a.ts', "import * as probot from 'probot';", 'a.ts uses all of probot'],
    ['Probot loaded late', 'demo/a.ts', "export const a = () => import('probot');", 'a.ts uses all of probot'],
    ['downloads', 'src/app/a.ts', "import { npxImport } from 'npx-import-light';", 'npxImport of npx-import'],
    ['applyPatch', 'src/core/edits/a.ts', "import { applyPatch as apply } from 'diff';", 'may not use applyPatch'],
    ['a reply', 'src/core/events/a.ts', "import { composeReply } from '../messages/a.ts';", 'may not use composeReply'],
    ['a brand', 'src/worker/a.ts', "import { markCountersigned } from '../lib/trust.ts';", 'not use markCountersigned'],
  ])('find %s', (_what, path, text, breach) => {
    expect(breaches({ [path]: text }).join('\n')).toContain(breach);
  });

  it.each<[Record<string, string>, string]>([
    [
      { 'src/core/a.ts': "import './b.ts';", 'src/core/b.ts': "import './a.ts';" },
      'src/core/a.ts → src/core/b.ts → src/core/a.ts',
    ],
    [
      { 'lab/a.ts': "import type { B } from './b.ts';", 'lab/b.ts': "export type { A } from './a.ts';" },
      'lab/a.ts → lab/b.ts → lab/a.ts',
    ],
    [
      {
        'fakes/x/a.ts': "import '../y/a.ts';",
        'fakes/y/a.ts': '',
        'fakes/y/b.ts': "import type { B } from '../x/b.ts';",
        'fakes/x/b.ts': '',
      },
      'fakes/x → fakes/y → fakes/x',
    ],
    [{ 'src/app/config/a.ts': 'process.env;', 'src/app/config/b.ts': 'process.env;' }, 'read in 2 files'],
    [
      { 'demo/a.ts': "import 'node:child_process';", 'src/cli/git/b.ts': "import 'child_process';" },
      'b.ts starts processes too',
    ],
    [
      {
        'src/app/start.ts': "import './wiring.ts';",
        'src/app/wiring.ts': "export const a = () => import('node:child_process');",
      },
      'the server reaches node:child_process',
    ],
    [
      { 'src/app/start.ts': "export type { A } from '../cli/verify/a.ts';", 'src/cli/verify/a.ts': '' },
      'the server reaches src/cli/verify/a.ts',
    ],
  ])('find what %j do together', (texts, breach) => {
    expect(breaches(texts).join('\n')).toContain(breach);
  });

  it('find a room above its budget, and a file that is too long', () => {
    const long = { path: 'src/core/policy/a.ts', lines: 9_000 };
    const found = findTooLarge([long]);
    expect(found).toHaveLength(2);
    expect(found.join('\n')).toContain('core/policy, settings has 9000 lines');
    expect(found.join('\n')).toContain('src/core/policy/a.ts has 9000 lines');
    expect(findTooLarge([{ path: 'src/elsewhere/a.ts', lines: 1 }])).toEqual(['src/elsewhere/a.ts is in no room']);
  });

  it('find an entry file that no other folder imports', () => {
    const texts = { 'src/app/a.ts': "import '../worker/worker.ts';", 'src/worker/a.ts': "import './cleanup.ts';" };
    expect(findUnusedEntries(readFacts(texts))).toContain('src/worker/cleanup.ts');
    expect(findUnusedEntries(readFacts(texts))).not.toContain('src/worker/worker.ts');
  });

  it('ignore code that only resembles a breach', () => {
    expect(
      breaches({
        'src/core/a.ts': [
          "// x as any, y!, import '../store/b.ts', process.env",
          "const text = 'x as any' + `export default process.env`;",
          'export function h(i: 1 | 2) { switch (i) { case 1: return 2; default: return 3; } }',
          "export const a = ['x', 1] as const;",
          'export const b = { a } satisfies object;',
          "import { z as any1 } from 'zod';",
          'export const c = a.length !== 2 && !b;',
          "export const d = new Date('2026-01-01');",
          "import type { E } from './e.ts';",
          'export type F = { readonly default: E; readonly any: typeof any1 };',
          'export const g = text.replace(/!;/, "as any");',
        ].join('\n'),
        'src/core/e.ts': 'export type E = 1;',
        'src/lib/trust.ts': 'export const a = 1 as unknown;',
        'src/core/policy/countersign.ts':
          "import { markCountersigned } from '../../lib/trust.ts'; markCountersigned();",
        'src/worker/a.ts': "import type { Store } from '../adapters/store/store.ts'; import '../core/a.ts';",
        'src/adapters/store/store.ts': "import './engine/schema.ts';",
        'src/adapters/store/engine/schema.ts': '',
        'src/cli.ts': "import('../demo/command/main.ts'); import('./cli/verify/verify.ts');",
        'demo/command/main.ts':
          "import '../../fakes/a.ts'; import '../../src/app/server.ts'; import '../../src/cli/git/run-git.ts';",
        'src/cli/verify/verify.ts': "import '../git/run-git.ts';",
        'src/cli/git/run-git.ts': "import 'node:child_process';",
        'fakes/a.ts': "import { parseJson } from '../src/lib/trust.ts';",
        'lab/a.ts': "import '../test/samples.ts'; import '../demo/command/main.ts'; import 'node:child_process';",
        'src/app/server.ts': "import '../adapters/store/store.ts';",
        'src/app/config/env.ts': 'process.env;',
        'src/app/start.ts': "import './server.ts';",
        'src/app/wiring.ts': "import { type ApplicationFunction, Probot } from 'probot';",
      }),
    ).toEqual([]);
  });
});
