import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replacePathTables } from '../../../../scripts/docs/path-tables.ts';
import { formatPath } from '../../../../src/core/agent/shared/tool-results.ts';
import { escapeHiddenCharacters } from '../../../../src/core/edits/text/characters.ts';
import {
  findProtectedFiles,
  findReadDenyRule,
  findWriteDenyRule,
  notWritableOutput,
  PROTECTED_FILES,
  SECRET_FILES,
} from '../../../../src/core/policy/path-tables.ts';
import {
  checkMoveTarget,
  checkPath,
  findDirectory,
  globMatcher,
  normalizeGlob,
} from '../../../../src/core/policy/paths.ts';
import type { Tree } from '../../../../src/core/step/ports.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';

const sha = '0'.repeat(40);

const entry = (mode: string) => ({ mode, sha, size: mode.startsWith('100') ? 1 : null });

const tree: Tree = new Map([
  ['README.md', entry('100644')],
  ['src', entry('040000')],
  ['src/total.ts', entry('100644')],
  ['src/café.ts', entry('100644')],
  ['link', entry('120000')],
  ['links', entry('040000')],
  ['links/out', entry('120000')],
  ['vendor', entry('160000')],
  ['run.sh', entry('100755')],
]);

const outside = (path: string) => `Cannot access '${path}': path is outside the repository. Readable roots: shop/`;

function check(raw: string, known: Tree = tree): string {
  const checked = checkPath(raw, { repo: 'shop', tree: known });
  return checked.kind === 'path' ? `ok ${checked.path}` : checked.output;
}

describe('checkPath', () => {
  it.each(['README.md', 'run.sh', 'new/deep/file.ts', '.gitignore', 'a b/c.ts', '名前', '...x'])(
    '%s is canonical (S13, E1)',
    (path) => {
      expect(check(path)).toBe(`ok ${path}`);
    },
  );

  it.each([
    ...[
      ...['', '.', '/', '../x', 'a/..', '././a', './../a', 'a/.', 'a//b', 'a/', 'C:/x', 'a\\b', 'a%2fb'],
      ...['%2e%2e/x', 'a%00'],
    ],
  ])('%j is refused with T13 (S13, E1, E14)', (path) => {
    expect(check(path)).toBe(outside(path));
  });

  it.each(['.git/config', '.GIT/config', 'a/.git', '.git. ./x', '.git:x/y', '.ｇｉｔ/x'])(
    '%j means .git on some file systems (S13, E2)',
    (path) => {
      expect(check(path)).toBe(outside(path));
    },
  );

  it.each([
    ['.g\u{200C}it/x', '.g\\u{200C}it/x'],
    ['a\nb', 'a\\u{A}b'],
    ['a\0b', 'a\\u{0}b'],
    ['a\u{7F}', 'a\\u{7F}'],
    ['a\u{202E}b', 'a\\u{202E}b'],
    ['\u{D800}', '\\u{D800}'],
  ])('%j is refused and quoted on one line (S13, E2, E14)', (path, shown) => {
    expect(check(path)).toBe(outside(shown));
  });

  it('long names and paths are refused with a short sentence (E14)', () => {
    expect(check('a'.repeat(255))).toMatch(/^ok/);
    expect(check('a'.repeat(256))).toMatch(/^Cannot access/);
    expect(check('a/'.repeat(2000)).length).toBeLessThan(400);
  });

  it('the path can begin with the repository’s name, unless the root has an entry of that name (S13)', () => {
    expect(check('shop/src/total.ts')).toBe('ok src/total.ts');
    expect(check('./shop/src/total.ts')).toBe('ok src/total.ts');
    expect(check('shop/../x')).toBe(outside('shop/../x'));
    expect(check('shop/')).toBe(outside('shop/'));
    const own: Tree = new Map([...tree, ['shop', entry('040000')], ['shop/a.ts', entry('100644')]]);
    expect(check('shop/a.ts', own)).toBe('ok shop/a.ts');
  });

  it.each([
    ['./src/total.ts', 'src/total.ts'],
    ['/src/total.ts', 'src/total.ts'],
    ['/etc/passwd', 'etc/passwd'],
    ['./shop/src/new.ts', 'src/new.ts'],
  ])('%s means %s (S141)', (path, meant) => {
    expect(check(path)).toBe(`ok ${meant}`);
  });

  it.each(['./.git/config', '/.git/config', 'shop/.git/config', '/link', './links/out', 'shop/vendor/x', '/C:/x'])(
    'no prefix opens %s (S141, E1, E3)',
    (path) => {
      expect(check(path)).toBe(outside(path));
    },
  );

  it('a directory is found with or without the signs that people write around it (S141)', () => {
    const found = (raw: string) => findDirectory(raw, { repo: 'shop', tree });
    expect(['src', 'src/', './src', '/src/', 'shop/src'].map(found)).toEqual(Array(5).fill('src'));
    expect(['', '.', './', '/', 'shop/'].map(found)).toEqual(Array(5).fill(''));
    expect(['SRC', 'src//', 'link', 'vendor', 'README.md', 'src/total.ts', '..', 'src/..'].map(found)).toEqual(
      Array(8).fill(null),
    );
    const glob = (raw: string) => normalizeGlob(raw, { repo: 'shop', tree });
    expect(['src', './src/**', 'shop/**/*.ts', '.', '*.md'].map(glob)).toEqual([
      'src/**',
      'src/**',
      '**/*.ts',
      '**',
      '*.md',
    ]);
  });

  it.each(['link', 'link/x', 'links/out', 'links/out/x', 'vendor', 'vendor/x'])(
    '%s is or lies below a link or submodule (E3, E4)',
    (path) => {
      expect(check(path)).toBe(outside(path));
    },
  );

  it.each([
    ['Readme.md', 'README.md'],
    ['SRC/new.ts', 'src'],
    ['src/TOTAL.ts', 'src/total.ts'],
    ['src/CAFÉ.ts', 'src/café.ts'],
  ])('%s conflicts with %s (E6)', (path, twin) => {
    expect(check(path)).toBe(`Cannot access '${path}': '${twin}' exists and differs only in case or Unicode form.`);
  });

  it('a new path that is not NFC is refused (E7, S13)', () => {
    expect(check('src/cafe\u{301}s.ts')).toContain('outside the repository');
  });

  it('R32: what a listing shows is opened, whatever the name (S13)', () => {
    const names = [
      ...['e\u{301}.ts', 'docs/日本 語.md', '❤️.md', 'a\u202Eb.ts', 'git~1', 'a\\b', 'tab\tname', 'line\nend'],
      ...['say "hi" \\ x.md', 'bell\u0007', 'a:12', 'a b:12', '`tick`', '\u212B.md', 'a\\u{41}.md', 'a%2fb', "it's.md"],
    ];
    const own: Tree = new Map(names.map((name) => [name, entry('100644')]));
    for (const name of names)
      for (const raw of [name, formatPath(name), escapeHiddenCharacters(formatPath(name))])
        expect(check(raw, own)).toBe(`ok ${name}`);
  });

  it.each([
    ...['src/total.ts:12', './src/total.ts:3-9', 'shop/src/total.ts:1:2', 'src/total.ts:L4', 'src/total.ts:4,9'],
    ...['src/total.ts#L12-L20', '"src/total.ts":12', '"src/total.ts:12"', '`src/total.ts`', ' src/total.ts\n'],
  ])('R32: %j means src/total.ts (S13)', (raw) => {
    expect(check(raw)).toBe('ok src/total.ts');
  });

  it.each([
    ['the other Unicode form', 'cafe\u{301}/e\u{301}.ts', 'café/é.ts'],
    ['the same letter by another sign', '10 \u212B.md', '10 Å.md'],
    ['the bytes that git prints', 'docs/日本 語.md', '"docs/\\346\\227\\245\\346\\234\\254 \\350\\252\\236.md":3'],
    ['units of UTF-16', '❤️.md', '"\\u2764\\ufe0f.md"'],
  ])('R32: a name is found by %s (S13)', (_, name, raw) => {
    const own: Tree = new Map([[name, entry('100644')]]);
    expect(check(raw, own)).toBe(`ok ${name}`);
    expect(normalizeGlob(raw, { repo: 'shop', tree: own })).toBe(name);
    const folder: Tree = new Map([[name, entry('040000')]]);
    expect(findDirectory(raw, { repo: 'shop', tree: folder })).toBe(name);
  });

  it('R32: the line behind a path that does not exist is no part of its name', () => {
    expect(check('src/totel.ts:12')).toBe('ok src/totel.ts');
    expect(check('new/❤️.md')).toBe('ok new/❤️.md');
    expect(check('.git:12')).toBe(outside('.git'));
    expect(check('src/issue#12')).toBe('ok src/issue#12');
  });

  it('a directory is not a file and a file not a directory (E16)', () => {
    expect(check('src')).toBe("Cannot access 'src': it is a directory.");
    expect(check('README.md/x')).toBe("Cannot access 'README.md/x': 'README.md' is a file, not a directory.");
  });

  it('only canonical paths are accepted, tested with random ones (E1, E2)', () => {
    const part = fc.constantFrom(
      ...['a', 'b.ts', '.', '..', '', '.git', '.GIT', 'git~1', 'a ', 'a.', 'é', 'e\u{301}'],
      ...['\\', '%2f', '\n', '\u{200D}', ':', '~'],
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(part, part).map((both) => both.join('')),
          { maxLength: 4 },
        ),
        (parts) => {
          const raw = parts.join('/');
          const checked = checkPath(raw, { repo: 'shop', tree });
          if (checked.kind === 'refused') return;
          expect(checked.path).toBe(raw);
          expect(raw).toMatch(/^[^/\\\p{Cc}]+(\/[^/\\\p{Cc}]+)*$/u);
          expect(raw.split('/').some((name) => /^(\.{1,2}|\.git[. ]*)$|~\d/i.test(name))).toBe(false);
          expect(raw.normalize('NFC')).toBe(raw);
        },
      ),
      { numRuns: 1_500 },
    );
  });
});

describe('names for Windows (X11)', () => {
  it.each([
    ...['CON', 'src/aux.txt', 'nul .tar.gz', 'com1/x.ts', 'Lpt².log', 'conin$', 'x.', 'x ', 'dir./x', 'src/a<b', 'a>b'],
    ...['src/a:b', 'src/a"b', 'src/a|b', 'src/what?', 'src/*.ts', 'GITHUB~1/x', 'git~1/x', ' src/new.ts', 'src/ a.ts'],
  ])('a new path %j is refused (X1, X11)', (path) => {
    expect(check(path)).toMatch(/^Cannot access '.*': Windows cannot hold '.*', or people would misread it\.$/);
    expect(checkMoveTarget(path, 'README.md', { repo: 'shop', tree }).kind).toBe('refused');
  });

  it.each(['console.ts', 'auxiliary', 'com', 'com10', 'lpt0x', 'nul-test.ts', 'a.con', '.aux', 'null'])(
    '%s is fine (X11)',
    (path) => {
      expect(check(path)).toBe(`ok ${path}`);
    },
  );

  it('a file of such a name that exists can be edited, and its directory can get others (X11)', () => {
    const own: Tree = new Map([
      ...['aux.txt', 'ab:c', 'dir./x', 'what?', ' notes.md'].map((path) => [path, entry('100644')] as const),
      ['dir.', entry('040000')],
    ]);
    for (const path of ['aux.txt', 'ab:c', 'dir./x', 'what?', ' notes.md', 'dir./y'])
      expect(check(path, own)).toBe(`ok ${path}`);
  });
});

describe('denied paths', () => {
  it.each([
    ['.env', '.env*'],
    ['keys/server.PEM', '*.pem'],
    ['.aws/credentials', '.aws/credentials'],
    ['.kube/config', '.kube'],
  ])('every tool is denied %s (%s) (S1a, S14)', (path, rule) => {
    expect(findReadDenyRule(path)).toBe(rule);
    expect(findWriteDenyRule(path)).toBe(rule);
  });

  it.each([
    ['.github/workflows/ci.yml', '.github/workflows/**'],
    ['.github/countersign.yml', '.github/countersign.yml'],
    ['docs/codeowners', 'CODEOWNERS'],
    ['.gitmodules', '.gitmodules'],
  ])('%s can be read but not written (%s) (S14, E4, E6, E8)', (path, rule) => {
    expect(findReadDenyRule(path)).toBeNull();
    expect(findWriteDenyRule(path)).toBe(rule);
  });

  it.each(['src/env.ts', 'a.keys', '.github/dependabot.yml', 'docs/CODEOWNERS.md', 'docker/config.json', 'secrets.ts'])(
    '%s is not denied (S14)',
    (path) => {
      expect(findWriteDenyRule(path)).toBeNull();
    },
  );

  it.each([
    ['.\uFF47ithub/workflows/ci.yml', '.github/workflows/**'],
    ['.gitm\u{1D428}dules', '.gitmodules'],
    ['.e\u200Bnv', '.env*'],
    ['\u212Aeys/a.PEM', '*.pem'],
  ])('%s is denied in another Unicode form (%s) (X16)', (path, rule) => {
    expect(findWriteDenyRule(path)).toBe(rule);
  });

  it.each([
    'src/\u043F\u0430\u043A\u0435\u0442.json',
    'docs/\u00E9quipe/lisez-moi.md',
    'docs/README~1.MD',
    '\u6587\u66F8/\u8A2D\u5B9A.yml',
  ])('%s is neither denied nor protected (X1, S14)', (path) => {
    expect(findWriteDenyRule(path)).toBeNull();
    expect(findProtectedFiles(path)).toBeNull();
  });

  it('the text about a path that is read-only is exact (T14, S14)', () => {
    expect(notWritableOutput('CODEOWNERS', 'CODEOWNERS')).toBe(
      "Cannot write 'CODEOWNERS': path is read-only (CODEOWNERS).",
    );
  });
});

describe('the tables of paths', () => {
  const examples = (file: string) => ['', 'x'].map((text) => file.replaceAll('**', `q${text}/r`).replaceAll('*', text));

  it('every glob is lower case and covers its files, at the root and below (X10, X16)', () => {
    for (const { files, rootFiles = [] } of SECRET_FILES) {
      for (const path of files.flatMap(examples))
        for (const at of [path, `a/b/${path.toUpperCase()}`]) expect(findReadDenyRule(at)).not.toBeNull();
      for (const path of rootFiles.flatMap(examples))
        for (const at of [path, path.toUpperCase()]) expect(findReadDenyRule(at)).not.toBeNull();
    }
    for (const { files, rootFiles = [] } of PROTECTED_FILES) {
      expect([...files, ...rootFiles].join('').toLowerCase()).toBe([...files, ...rootFiles].join(''));
      for (const path of files.flatMap(examples))
        for (const at of [path, `a/b/${path}`]) expect(findProtectedFiles(at)).not.toBeNull();
      for (const path of rootFiles.flatMap(examples)) expect(findProtectedFiles(path)).not.toBeNull();
    }
  });

  it('the first group that fits counts, and names its effect (X16)', () => {
    expect(findProtectedFiles('.github/copilot-instructions.md')?.effect).toBe('steers coding agents');
    expect(findProtectedFiles('.github/dependabot.yml')?.effect).toBe('runs code');
    expect(findProtectedFiles('.vscode/mcp.json')?.effect).toBe('steers coding agents and runs code');
    expect(findProtectedFiles('web/.github/x')).toBeNull();
  });

  it('equal the output of npm run docs (X10, X16)', () => {
    const page = readFileSync(new URL('../../../../docs/protected-files.md', import.meta.url), 'utf8');
    expect(replacePathTables(page)).toBe(page);
    for (const { files, rootFiles = [] } of [...SECRET_FILES, ...PROTECTED_FILES])
      for (const file of [...files, ...rootFiles.map((one) => `/${one}`)]) expect(page).toContain(`\`${file}\``);
  });

  it('a listing tests 20,000 paths in no time (X10)', () => {
    const paths = Array.from(
      { length: 20_000 },
      (_, index) => `packages/p${index % 300}/src/deep/file-${index}.test.ts`,
    );
    const inCyrillic = paths.map((path) => path.replace('deep', '\u0433\u043B\u0443\u0431\u043E\u043A\u043E'));
    for (const tested of [paths, inCyrillic])
      expect(
        cpuSeconds(() => expect(tested.every((path) => findWriteDenyRule(path) === null)).toBe(true)),
      ).toBeLessThan(4);
  });
});

describe('globs', () => {
  it.each([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['src/**', 'src', false],
    ['*.ts', 'src/a.ts', false],
    ['A.ts', 'a.ts', false],
    ['a.c', 'abc', false],
  ])('%s on %s is %s (S124)', (glob, path, expected) => {
    expect(globMatcher(glob)(path)).toBe(expected);
  });

  it('match like the equivalent regular expressions', () => {
    const part = fc.constantFrom('*', '**', '?', 'a', 'b*', '*b*a');
    const path = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', 'bba'), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), path, (glob, names) => {
        const one = (name: string) => name.replaceAll('*', '[^/]*').replaceAll('?', '[^/]');
        const source = glob.map((name, index) => {
          const last = index === glob.length - 1;
          if (name !== '**') return one(name) + (last ? '' : '/');
          return last ? '.+' : '(?:[^/]+/)*';
        });
        expect(globMatcher(glob.join('/'))(names.join('/'))).toBe(
          new RegExp(`^${source.join('')}$`).test(names.join('/')),
        );
      }),
      { numRuns: 700 },
    );
  });

  it('take bounded time', () => {
    const match = () => {
      expect(globMatcher(`${'a*'.repeat(200)}b`)('a'.repeat(1000))).toBe(false);
      expect(globMatcher(`${'**/a/'.repeat(100)}b`)('a/'.repeat(400))).toBe(false);
    };
    expect(cpuSeconds(match)).toBeLessThan(4);
  });

  it.each([
    ['single stars', '**/*a*a'],
    ['double stars', '**/a/'],
    ['letters', 'a'],
    ['question marks', '**/*?a'],
  ])('a long glob of %s is compiled once and matches 20,000 paths in no time (S124)', (_, piece) => {
    const paths = Array.from({ length: 20_000 }, (__, index) => `${'a/'.repeat(20)}${'a'.repeat(60)}${index}`);
    const match = () => {
      const matches = globMatcher(`**/${piece.repeat(500 / piece.length)}b`);
      expect(paths.some(matches)).toBe(false);
    };
    expect(cpuSeconds(match)).toBeLessThan(8);
  });
});
