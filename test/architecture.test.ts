import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from './architecture/rules.ts';
import { readFacts, type SourceFacts } from './architecture/source-facts.ts';

const root = join(import.meta.dirname, '..');

function textsUnder(folder: string): Record<string, string> {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

const sources = readFacts(textsUnder('src'));

describe('architecture', () => {
  it('S28: payloads are built without a thought of GitHub, and what shows them knows them and words alone', () => {
    const reached = (paths: RegExp): readonly string[] =>
      sources
        .filter(({ path }) => paths.test(path))
        .flatMap(({ imports }) => imports.map(({ from }) => from))
        .filter((from) => from.startsWith('../'));
    expect(reached(/^src\/change\//)).toEqual([]);
    expect(reached(/^src\/render\/payload-view\.ts$/)).toEqual(['../change/payload.ts']);
  });

  it('sees every file of src and what it imports', () => {
    const byPath = new Map(sources.map((facts) => [facts.path, facts]));
    expect(sources.length).toBeGreaterThan(20);
    expect(byPath.get('src/app.ts')?.imports.map(({ from }) => from)).toContain('probot');
    expect(byPath.get('src/cli.ts')?.imports.map(({ from }) => from)).toContain('./start.ts');
  });

  it.each(Object.entries(RULES))('%s', (_sentence, rule) => {
    expect(rule(sources)).toEqual([]);
  });

  it('no test is skipped or alone', () => {
    const marked = Object.entries(textsUnder('test')).filter(([path, text]) => {
      return path !== 'test/architecture.test.ts' && /\b(?:it|test|describe)\.(?:skip|only|todo)\b(?!If)/.test(text);
    });
    expect(marked.map(([path]) => path)).toEqual([]);
  });
});

/** Breaches of all rules in sources written down here. */
function breaches(texts: Readonly<Record<string, string>>): readonly string[] {
  const facts: readonly SourceFacts[] = readFacts(texts);
  return Object.values(RULES).flatMap((rule) => rule(facts));
}

describe('the rules themselves', () => {
  it.each<[string, Record<string, string>, string]>([
    [
      'a pure file that imports an edge',
      { 'src/run/a.ts': "import type { B } from '../store/b.ts';" },
      'may not import ../store/b.ts',
    ],
    [
      'a pure file that imports wiring',
      { 'src/run/a.ts': "export { b } from '../main.ts';" },
      'may not import ../main.ts',
    ],
    ['a pure file that acts', { 'src/run/a.ts': "import fs from 'node:fs';" }, 'may not import node:fs'],
    [
      'a pure file that knows Probot',
      { 'src/run/a.ts': "export type A = import('probot').Probot;" },
      'may not import probot',
    ],
    ['a pure file with a clock', { 'src/run/a.ts': 'export const a = Date.now();' }, 'uses Date.now'],
    ['a pure file with the time of day', { 'src/run/a.ts': 'export const a = new Date();' }, 'uses new Date()'],
    ['a pure file with chance', { 'src/run/a.ts': "import { randomUUID } from 'node:crypto';" }, 'imports randomUUID'],
    [
      'an edge that imports another adapter',
      { 'src/worker/a.ts': "import { b } from '../github/b.ts';" },
      'may not import ../github/b.ts',
    ],
    [
      'an edge that imports the simulator',
      { 'src/github/a.ts': "import '../simulator/b.ts';" },
      'may not import ../simulator/b.ts',
    ],
    [
      'wiring that imports the simulator late',
      { 'src/main.ts': "export const a = () => import('./simulator/b.ts');" },
      'may not import ./simulator/b.ts',
    ],
    [
      'an edge that imports the simulation',
      { 'src/worker/a.ts': "import '../simulation/b.ts';" },
      'may not import ../simulation/b.ts',
    ],
    [
      'a simulation that imports wiring',
      { 'src/simulation/a.ts': "import '../main.ts';" },
      'may not import ../main.ts',
    ],
    ['wiring that imports the demo', { 'src/main.ts': "import './demo/demo.ts';" }, 'may not import ./demo/demo.ts'],
    [
      'a simulator that shares code with an edge',
      { 'src/simulator/x/a.ts': "import '../../github/b.ts';" },
      'may not import ../../github/b.ts',
    ],
    ['a folder without a layer', { 'src/core/a.ts': '' }, 'no layer'],
    [
      'a computed import',
      { 'src/run/a.ts': "const b = 'x'; export const a = () => import(b);" },
      'may not import (computed)',
    ],
    [
      'a cycle',
      { 'src/run/a.ts': "import './b.ts';", 'src/run/b.ts': "import './a.ts';" },
      'src/run/a.ts → src/run/b.ts → src/run/a.ts',
    ],
    [
      'a cycle of types',
      { 'src/run/a.ts': "import type { B } from './b.ts';", 'src/run/b.ts': "export type { A } from './a.ts';" },
      '→',
    ],
    ['a long file', { 'src/run/a.ts': 'let a = 0;\n'.repeat(301) }, 'has 301 lines'],
    ['a long function', { 'src/run/a.ts': `export const a = () => {${'\n'.repeat(50)}};` }, 'a function of 51 lines'],
    ['a long method', { 'src/run/a.ts': `export const a = { b() {${'\n'.repeat(50)}} };` }, 'a function of 51 lines'],
    ['a deep folder', { 'src/run/b/c/a.ts': '' }, 'deeper'],
    ['a name in another case', { 'src/run/myFile.ts': '' }, 'the name myFile'],
    ['a name that says nothing', { 'src/run/string-utils.ts': '' }, 'the name string-utils'],
    ['an assertion', { 'src/run/a.ts': 'export const a = 1 as unknown;' }, 'a.ts:1 asserts a type'],
    ['an assertion in brackets', { 'src/run/a.ts': 'export const a = <unknown>1;' }, 'asserts a type'],
    [
      'a non-null assertion',
      { 'src/run/a.ts': '\n\nexport const a = [1][0]!;' },
      'a.ts:3 asserts that something is not null',
    ],
    ['a non-null assertion on a property', { 'src/run/a.ts': 'export const a = (b?: { c: 1 }) => b!.c;' }, 'not null'],
    ['any', { 'src/run/a.ts': 'export type A = Record<string, any>;' }, 'says any'],
    ['any in the trusted file', { 'src/trust.ts': 'export type A = any;' }, 'says any'],
    ['a default export', { 'src/run/a.ts': 'export default 1;' }, 'default export'],
    ['a default export of a function', { 'src/run/a.ts': 'export default function a() {}' }, 'default export'],
    ['a default export by renaming', { 'src/run/a.ts': 'const a = 1; export { a as default };' }, 'default export'],
    ['a silenced compiler', { 'src/run/a.ts': '// @ts-expect-error it knows\nexport const a = 1;' }, 'a.ts:1 silences'],
    ['the environment read elsewhere', { 'src/store/a.ts': 'export const a = process.env;' }, 'reads the environment'],
    ['the environment imported', { 'src/store/a.ts': "import { env } from 'node:process';" }, 'reads the environment'],
    [
      'the environment read twice',
      { 'src/config/a.ts': 'process.env;', 'src/config/b.ts': 'process.env;' },
      'read in 2 files',
    ],
    [
      'processes in two files',
      { 'src/store/a.ts': "import 'node:child_process';", 'src/store/b.ts': "import 'child_process';" },
      'b.ts starts processes too',
    ],
    [
      'an edge that runs git',
      { 'src/github/a.ts': "import { runGit } from '../git/run-git.ts';" },
      'may not import ../git/run-git.ts',
    ],
    [
      'a server that reaches a process through what it imports',
      { 'src/start.ts': "import './main.ts';", 'src/main.ts': "export const a = () => import('node:child_process');" },
      'the server reaches node:child_process',
    ],
    [
      'a server that reaches a command',
      { 'src/start.ts': "export type { A } from './verify/a.ts';", 'src/verify/a.ts': '' },
      'the server reaches src/verify/a.ts',
    ],
    ['applyPatch', { 'src/change/a.ts': "import { applyPatch as apply } from 'diff';" }, 'may not use applyPatch'],
    [
      'a brand made elsewhere',
      { 'src/worker/a.ts': "import { countersigned } from '../trust.ts';" },
      'may not use countersigned',
    ],
  ])('find %s', (_what, texts, breach) => {
    expect(breaches(texts).join('\n')).toContain(breach);
  });

  it('leave alone what only looks like a breach', () => {
    expect(
      breaches({
        'src/run/a.ts': [
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
        'src/run/e.ts': 'export type E = 1;',
        'src/trust.ts': 'export const a = 1 as unknown;',
        'src/policy/countersign.ts': "import { countersigned } from '../trust.ts'; countersigned();",
        'src/worker/a.ts': "import type { Store } from '../store/store.ts'; import '../run/a.ts';",
        'src/store/store.ts': '',
        'src/cli.ts': "import('./demo/demo.ts'); import('./verify/verify.ts');",
        'src/demo/demo.ts': "import '../simulator/simulator.ts'; import '../main.ts'; import '../git/git.ts';",
        'src/verify/verify.ts': "import '../git/git.ts';",
        'src/git/git.ts': "import 'node:child_process';",
        'src/simulator/simulator.ts': '',
        'src/main.ts': "import './store/store.ts';",
        'src/config/a.ts': 'process.env;',
        'src/start.ts': "import './main.ts';",
      }),
    ).toEqual([]);
  });
});
