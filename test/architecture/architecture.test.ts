import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe('architecture', () => {
  it('payloads are built without knowledge of GitHub, and their view imports only payloads and formatting (S28)', () => {
    const reached = (paths: RegExp): readonly string[] =>
      sources
        .filter(({ path }) => paths.test(path))
        .flatMap(({ path, imports }) => imports.map(({ from }) => posix.join(posix.dirname(path), from)))
        .filter((target) => target.startsWith('src/'));
    const outside = reached(/^src\/core\/edits\//).filter((target) => !target.startsWith('src/core/edits/'));
    // These files know only texts.
    expect([...new Set(outside)].sort()).toEqual([
      'src/lib/credentials.ts',
      'src/lib/format.ts',
      'src/lib/redaction.ts',
    ]);
    expect(reached(/^src\/lib\/(?:credentials|redaction)\.ts$/)).toEqual(['src/lib/credentials.ts']);
    expect(reached(/^src\/core\/messages\/proposal\/payload-view\.ts$/)).toEqual([
      'src/lib/format.ts',
      'src/core/edits/change.ts',
    ]);
  });

  it('reads every file with its imports', () => {
    const byPath = new Map(sources.map((facts) => [facts.path, facts]));
    for (const part of ['src/', 'fakes/', 'demo/', 'lab/'])
      expect(sources.filter(({ path }) => path.startsWith(part)).length).toBeGreaterThan(5);
    expect(byPath.get('src/app/probot-app.ts')?.imports.map(({ from }) => from)).toContain('probot');
    expect(byPath.get('src/cli.ts')?.imports).toContainEqual({ from: '../demo/main.ts', names: [], late: true });
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
  it.each<[string, Record<string, string>, string]>([
    [
      'a file that imports from a higher layer',
      { 'src/core/state/a.ts': "import type { B } from '../policy/b.ts';" },
      'src/core/state/a.ts may not import src/core/policy/b.ts',
    ],
    [
      'one that imports from a folder beside it',
      { 'src/adapters/model/a.ts': "import { b } from '../github/b.ts';" },
      'may not import src/adapters/github/b.ts',
    ],
    [
      'an adapter that imports the worker',
      { 'src/adapters/store/a.ts': "export { b } from '../../worker/jobs/b.ts';" },
      'may not import src/worker/jobs/b.ts',
    ],
    [
      'an adapter that imports wiring',
      { 'src/adapters/http/a.ts': "export { b } from '../../app/start.ts';" },
      'may not import src/app/start.ts',
    ],
    [
      'a folder that imports from the one that it lies in',
      { 'src/core/policy/a.ts': "import '../decide.ts';" },
      'may not import src/core/decide.ts',
    ],
    ['a folder without a layer', { 'src/model/a.ts': '' }, 'no layer'],
    [
      'an inner file of a room',
      { 'src/core/policy/a.ts': "import '../edits/build/refusals.ts';" },
      'may not import src/core/edits/build/refusals.ts',
    ],
    [
      'an inner file of the core’s messages',
      { 'src/core/commands/a.ts': "import '../messages/proposal/diff-warnings.ts';" },
      'may not import src/core/messages/proposal/diff-warnings.ts',
    ],
    [
      'an event that another folder enters',
      { 'src/worker/a.ts': "import '../core/events/comment.ts';" },
      'may not import src/core/events/comment.ts',
    ],
    [
      'an effect that wiring imports',
      { 'src/app/a.ts': "import '../worker/effects/commit.ts';" },
      'may not import src/worker/effects/commit.ts',
    ],
    [
      'a worker that passes by the entry of its effects',
      { 'src/worker/a.ts': "import './effects/commit.ts';" },
      'may not import src/worker/effects/commit.ts',
    ],
    [
      'a worker that imports an adapter of the wiring',
      { 'src/worker/a.ts': "import { b } from '../adapters/github/create-github.ts';" },
      'may not import src/adapters/github/create-github.ts',
    ],
    [
      'src that imports a fake late',
      { 'src/app/a.ts': "export const a = () => import('../../fakes/github/b.ts');" },
      'may not import fakes/github/b.ts',
    ],
    ['src that imports the lab', { 'src/worker/a.ts': "import '../../lab/b.ts';" }, 'may not import lab/b.ts'],
    ['src that imports a test', { 'src/worker/a.ts': "import '../../test/b.ts';" }, 'may not import test/b.ts'],
    ['src that imports the demo', { 'src/app/a.ts': "import '../../demo/main.ts';" }, 'may not import demo/main.ts'],
    [
      'a command line that always loads the demo',
      { 'src/cli.ts': "import '../demo/main.ts';" },
      'may not import demo/main.ts',
    ],
    [
      'a fake that shares code with the original',
      { 'fakes/github/a.ts': "import '../../src/adapters/github/b.ts';" },
      'may not import src/adapters/github/b.ts',
    ],
    ['a fake that imports the lab', { 'fakes/a.ts': "import '../lab/b.ts';" }, 'may not import lab/b.ts'],
    ['a demo that imports the lab', { 'demo/a.ts': "import '../lab/b.ts';" }, 'may not import lab/b.ts'],
    [
      'a computed import',
      { 'src/app/a.ts': "const b = 'x'; export const a = () => import(b);" },
      'may not import (computed)',
    ],
    ['a pure file that acts', { 'src/core/a.ts': "import fs from 'node:fs';" }, 'may not import node:fs'],
    [
      'a pure file that knows Probot',
      { 'src/core/a.ts': "export type A = import('probot').Probot;" },
      'may not import probot',
    ],
    ['a pure file with a clock', { 'src/core/state/a.ts': 'export const a = Date.now();' }, 'uses Date.now'],
    ['a pure file with the time of day', { 'src/lib/a.ts': 'export const a = new Date();' }, 'uses new Date()'],
    ['a pure file with chance', { 'src/core/a.ts': "import { randomUUID } from 'node:crypto';" }, 'imports randomUUID'],
    [
      'a cycle',
      { 'src/core/a.ts': "import './b.ts';", 'src/core/b.ts': "import './a.ts';" },
      'src/core/a.ts → src/core/b.ts → src/core/a.ts',
    ],
    [
      'a cycle of types',
      { 'lab/a.ts': "import type { B } from './b.ts';", 'lab/b.ts': "export type { A } from './a.ts';" },
      'lab/a.ts → lab/b.ts → lab/a.ts',
    ],
    [
      'a cycle of folders',
      {
        'fakes/x/a.ts': "import '../y/a.ts';",
        'fakes/y/a.ts': '',
        'fakes/y/b.ts': "import type { B } from '../x/b.ts';",
        'fakes/x/b.ts': '',
      },
      'fakes/x → fakes/y → fakes/x',
    ],
    ['a name in another case', { 'src/core/myFile.ts': '' }, 'the name myFile'],
    ['a name that says nothing', { 'src/core/string-utils.ts': '' }, 'the name string-utils'],
    ['an assertion', { 'src/core/a.ts': 'export const a = 1 as unknown;' }, 'a.ts:1 asserts a type'],
    ['an assertion in brackets', { 'src/core/a.ts': 'export const a = <unknown>1;' }, 'asserts a type'],
    [
      'a non-null assertion',
      { 'src/core/a.ts': '\n\nexport const a = [1][0]!;' },
      'a.ts:3 asserts that something is not null',
    ],
    ['a non-null assertion on a property', { 'src/core/a.ts': 'export const a = (b?: { c: 1 }) => b!.c;' }, 'not null'],
    ['any', { 'src/core/a.ts': 'export type A = Record<string, any>;' }, 'says any'],
    ['any in the trusted file', { 'src/lib/trust.ts': 'export type A = any;' }, 'says any'],
    ['a default export', { 'src/core/a.ts': 'export default 1;' }, 'default export'],
    ['a default export of a function', { 'src/core/a.ts': 'export default function a() {}' }, 'default export'],
    ['a default export by renaming', { 'src/core/a.ts': 'const a = 1; export { a as default };' }, 'default export'],
    [
      'a silenced compiler',
      { 'src/core/a.ts': '// @ts-expect-error it knows\nexport const a = 1;' },
      'a.ts:1 silences',
    ],
    ['the environment read elsewhere', { 'src/cli/a.ts': 'export const a = process.env;' }, 'reads the environment'],
    ['the environment imported', { 'demo/a.ts': "import { env } from 'node:process';" }, 'reads the environment'],
    [
      'the environment read twice',
      { 'src/app/config/a.ts': 'process.env;', 'src/app/config/b.ts': 'process.env;' },
      'read in 2 files',
    ],
    [
      'processes in two files',
      { 'demo/a.ts': "import 'node:child_process';", 'src/cli/git/b.ts': "import 'child_process';" },
      'b.ts starts processes too',
    ],
    [
      'a command that runs git and need not',
      { 'src/cli/config/a.ts': "import { runGit } from '../git/run-git.ts';" },
      'may not import src/cli/git/run-git.ts',
    ],
    [
      'a server that reaches a process through its imports',
      {
        'src/app/start.ts': "import './wiring.ts';",
        'src/app/wiring.ts': "export const a = () => import('node:child_process');",
      },
      'the server reaches node:child_process',
    ],
    [
      'a server that reaches a command',
      { 'src/app/start.ts': "export type { A } from '../cli/verify/a.ts';", 'src/cli/verify/a.ts': '' },
      'the server reaches src/cli/verify/a.ts',
    ],
    ['Probot’s server', { 'src/app/a.ts': "import { Probot, run } from 'probot';" }, 'a.ts uses Probot, run of probot'],
    ['all of Probot', { 'src/app/a.ts': "import * as probot from 'probot';" }, 'a.ts uses all of probot'],
    ['Probot loaded late', { 'demo/a.ts': "export const a = () => import('probot');" }, 'a.ts uses all of probot'],
    [
      'Probot’s downloads',
      { 'src/app/a.ts': "import { npxImport } from 'npx-import-light';" },
      'npxImport of npx-import',
    ],
    ['applyPatch', { 'src/core/edits/a.ts': "import { applyPatch as apply } from 'diff';" }, 'may not use applyPatch'],
    [
      'a brand made elsewhere',
      { 'src/worker/a.ts': "import { markCountersigned } from '../lib/trust.ts';" },
      'may not use markCountersigned',
    ],
  ])('find %s', (_what, texts, breach) => {
    expect(breaches(texts).join('\n')).toContain(breach);
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
        'src/cli.ts': "import('../demo/main.ts'); import('./cli/verify/verify.ts');",
        'demo/main.ts': "import '../fakes/a.ts'; import '../src/app/server.ts'; import '../src/cli/git/run-git.ts';",
        'src/cli/verify/verify.ts': "import '../git/run-git.ts';",
        'src/cli/git/run-git.ts': "import 'node:child_process';",
        'fakes/a.ts': "import { parseJson } from '../src/lib/trust.ts';",
        'lab/a.ts': "import '../test/samples.ts'; import '../demo/main.ts'; import 'node:child_process';",
        'src/app/server.ts': "import '../adapters/store/store.ts';",
        'src/app/config/env.ts': 'process.env;',
        'src/app/start.ts': "import './server.ts';",
        'src/app/probot-app.ts': "import { type ApplicationFunction, Probot } from 'probot';",
        'lab/b.ts': "import { Server } from 'probot';",
      }),
    ).toEqual([]);
  });
});
