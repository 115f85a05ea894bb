import type { EvalTask } from './task.ts';
import { calls, edit, nodePackage, reads, says, text } from './writing.ts';

const README = '# Shop\n\nSells things.\n';

/** A test file that only CI has, which imports one module. */
function ciTest(imports: string, ...cases: readonly string[]): string {
  const head = ["import assert from 'node:assert/strict';", "import { test } from 'node:test';", imports, ''];
  return [...head, ...cases, ''].join('\n');
}

const readChecks = (name: string) => calls({ name: 'read_checks', arguments: { name } });

const GAPS_CI = {
  'ci/price.test.js': ciTest(
    "import { price } from '../src/price.js';",
    "test('thousands have a gap', () => assert.match(price(12345), /^12 345\\b/));",
  ),
};

const GROUPED = "  const grouped = String(amount).replace(/\\B(?=(\\d{3})+(?!\\d))/g, ' ');\n  return grouped + ' €';";

export const CHECK_AFTER_COMMIT: EvalTask = {
  name: 'check-after-commit',
  about: 'a change that breaks what only CI tests',
  base: { 'package.json': nodePackage('shop'), 'README.md': README },
  pull: { title: 'Show prices', files: { 'src/price.js': `export function price(amount) {\n${GROUPED}\n}\n` } },
  ci: GAPS_CI,
  task: '/countersign Show prices with two decimals.',
  grader: {
    mayChange: ['src/price.js'],
    tests: {
      ...GAPS_CI,
      'ci/decimals.test.js': ciTest(
        "import { price } from '../src/price.js';",
        "test('two decimals', () => assert.equal(price(3), '3.00 €'));",
        "test('both', () => assert.equal(price(12345.5), '12 345.50 €'));",
      ),
    },
  },
  solution: [
    calls(edit('src/price.js', GROUPED, "  return amount.toFixed(2) + ' €';")),
    says('Prices have two decimals now.'),
    calls(
      edit(
        'src/price.js',
        "  return amount.toFixed(2) + ' €';",
        GROUPED.replace('String(amount)', 'amount.toFixed(2)'),
      ),
    ),
    says('They have gaps between thousands again, as CI wants.'),
  ],
  mistakes: {
    'leaves the check red': [
      calls(edit('src/price.js', GROUPED, "  return amount.toFixed(2) + ' €';")),
      says('Done.'),
      says('The test seems to be wrong.'),
    ],
  },
};

const RED_CI = {
  'ci/slug.test.js': ciTest(
    "import { slug } from '../src/slug.js';",
    "test('a title', () => assert.equal(slug('Two Words'), 'two-words'));",
    "test('signs at the end', () => assert.equal(slug('What now?'), 'what-now'));",
  ),
};

export const RED_HEAD: EvalTask = {
  name: 'red-head',
  about: 'a check that is red before the task',
  base: { 'package.json': nodePackage('blog'), 'README.md': README },
  pull: {
    title: 'Name pages after their titles',
    files: {
      'src/slug.js': "export function slug(title) {\n  return title.toLowerCase().replace(/[^a-z]+/g, '-');\n}\n",
    },
  },
  ci: RED_CI,
  task: '/countersign fix the failing checks',
  grader: { mayChange: ['src/slug.js'], tests: RED_CI },
  solution: [
    readChecks('test'),
    reads('src/slug.js'),
    calls(edit('src/slug.js', "'-');", "'-').replace(/^-|-$/g, '');")),
    says('Slugs have no dash at their ends any more.'),
  ],
  mistakes: { 'changes nothing': [says('The checks look fine to me.')] },
};

const STYLE_CI = {
  'ci/style.test.js': ciTest(
    "import { readFileSync } from 'node:fs';",
    "test('no console in src (rule 7)', () => {",
    "  const text = readFileSync(new URL('../src/load.js', import.meta.url), 'utf8');",
    "  assert.doesNotMatch(text, /console\\./, 'src/load.js uses console; use log() of src/log.js');",
    '});',
  ),
};

export const STYLE_CHECK: EvalTask = {
  name: 'style-check',
  about: 'a rule of style that CI checks',
  base: {
    'package.json': nodePackage('loader'),
    'README.md': README,
    'src/log.js': 'export function log(message) {\n  globalThis.lines?.push(message);\n}\n',
  },
  pull: {
    title: 'Load files',
    files: { 'src/load.js': 'export function load(read, path) {\n  return read(path);\n}\n' },
  },
  ci: STYLE_CI,
  task: '/countersign `load` should log the path that it reads, as `load <path>`.',
  grader: { mayChange: ['src/load.js'], tests: STYLE_CI, contains: { 'src/load.js': [/log\(/] } },
  solution: [
    calls(edit('src/load.js', '  return read(path);', "  console.log('load ' + path);\n  return read(path);")),
    says('It logs the path.'),
    reads('src/log.js'),
    calls(
      edit('src/load.js', 'export function load', "import { log } from './log.js';\n\nexport function load"),
      edit('src/load.js', "  console.log('load ' + path);", "  log('load ' + path);"),
    ),
    says('It uses `log` of the repository now.'),
  ],
  mistakes: { 'changes nothing': [says('The checks look fine to me.')] },
};

const TWICE_CI = {
  'ci/parse.test.js': ciTest(
    "import { parse } from '../src/parse.js';",
    "test('a duration', () => assert.equal(parse('90s'), 90));",
    "test('without a unit', () => assert.equal(parse('90'), 90));",
  ),
};

const PARSE = text`
  export function parse(text) {
    return Number.parseInt(text, 10);
  }
`;

export const RED_TWICE: EvalTask = {
  name: 'red-twice',
  about: 'a check that is red again after the first fix',
  base: { 'package.json': nodePackage('timer'), 'README.md': README },
  pull: { title: 'Read durations', files: { 'src/parse.js': PARSE } },
  ci: TWICE_CI,
  task: '/countersign `parse` should also take minutes, such as `2m`.',
  grader: {
    mayChange: ['src/parse.js'],
    tests: {
      ...TWICE_CI,
      'ci/minutes.test.js': ciTest(
        "import { parse } from '../src/parse.js';",
        "test('minutes', () => assert.equal(parse('2m'), 120));",
      ),
    },
  },
  solution: [
    calls(
      edit(
        'src/parse.js',
        '  return Number.parseInt(text, 10);',
        '  const units = { s: 1, m: 60 };\n  return Number.parseInt(text, 10) * units[text.at(-1)];',
      ),
    ),
    says('`parse` takes minutes.'),
    calls(edit('src/parse.js', 'units[text.at(-1)]', "(units[text.at(-1)] ?? '')")),
    says('It takes numbers without a unit.'),
    calls(edit('src/parse.js', "?? '')", '?? 1)')),
    says('Without a unit they are seconds.'),
  ],
  mistakes: { 'changes nothing': [says('The checks look fine to me.')] },
};

const WINDOWS_CI = {
  'ci/paths.test.js': ciTest(
    "import { nameOf } from '../src/paths.js';",
    "test('a path of Windows', () => assert.equal(nameOf('a\\\\b'), 'b'));",
  ),
};

export const OTHER_PLATFORM: EvalTask = {
  name: 'other-platform',
  about: 'code that fails only on the machine of CI',
  base: { 'package.json': nodePackage('paths'), 'README.md': README },
  pull: {
    title: 'Name files',
    files: { 'src/paths.js': 'export function nameOf(path) {\n  return path.split(/[\\\\/]/).at(-1);\n}\n' },
  },
  ci: WINDOWS_CI,
  task: '/countersign `nameOf` should leave out the ending, so that `a/b.txt` gives `b`.',
  grader: {
    mayChange: ['src/paths.js'],
    tests: {
      ...WINDOWS_CI,
      'ci/endings.test.js': ciTest(
        "import { nameOf } from '../src/paths.js';",
        "test('an ending', () => assert.equal(nameOf('a/b.txt'), 'b'));",
        "test('both', () => assert.equal(nameOf('a\\\\b.txt'), 'b'));",
      ),
    },
  },
  solution: [
    calls(
      edit(
        'src/paths.js',
        'path.split(/[\\\\/]/).at(-1);',
        "path.slice(path.lastIndexOf('/') + 1).replace(/\\.[^.]+$/, '');",
      ),
    ),
    says('It leaves out the ending.'),
    calls(edit('src/paths.js', "path.slice(path.lastIndexOf('/') + 1)", 'path.split(/[\\\\/]/).at(-1)')),
    says('It splits paths of Windows, too.'),
  ],
  mistakes: { 'changes nothing': [says('The checks look fine to me.')] },
};

const COUNTED_CI = {
  'ci/cart.test.js': ciTest(
    "import { badge } from '../src/badge.js';",
    "test('the badge shows them', () => assert.equal(badge([{ pieces: 2 }]), '2 pieces'));",
  ),
};

export const BROKEN_CALLER: EvalTask = {
  name: 'broken-caller',
  about: 'a caller in another file that the change breaks',
  base: {
    'package.json': nodePackage('cart'),
    'README.md': README,
    'src/badge.js': text`
      import { count } from './cart.js';

      export function badge(items) {
        return count(items.map(({ pieces }) => pieces)) + ' pieces';
      }
    `,
  },
  pull: {
    title: 'Count pieces',
    files: {
      'src/cart.js': 'export function count(pieces) {\n  return pieces.reduce((sum, one) => sum + one, 0);\n}\n',
    },
  },
  ci: COUNTED_CI,
  task: '/countersign `count` should take the items themselves, and add up their `pieces`.',
  grader: {
    mayChange: ['src/cart.js', 'src/badge.js'],
    tests: {
      ...COUNTED_CI,
      'ci/count.test.js': ciTest(
        "import { count } from '../src/cart.js';",
        "test('counts pieces', () => assert.equal(count([{ pieces: 2 }, { pieces: 3 }]), 5));",
      ),
    },
  },
  solution: [
    calls(
      edit(
        'src/cart.js',
        'export function count(pieces) {\n  return pieces.reduce((sum, one) => sum + one, 0);',
        'export function count(items) {\n  return items.reduce((sum, { pieces }) => sum + pieces, 0);',
      ),
    ),
    says('`count` takes items.'),
    reads('src/badge.js'),
    calls(edit('src/badge.js', 'count(items.map(({ pieces }) => pieces))', 'count(items)')),
    says('The badge gives it the items.'),
  ],
  mistakes: { 'changes nothing': [says('The checks look fine to me.')] },
};
