import type { EvalTask } from './task.ts';
import { calls, edit, nodePackage, reads, says, text } from './writing.ts';

const DURATION = text`
  /** 3725 seconds are "1 h 2 min 5 s". Parts that are 0 are left out. */
  export function formatDuration(seconds) {
    const parts = [
      [Math.floor(seconds / 3600), 'h'],
      [Math.floor(seconds / 60), 'min'],
      [seconds % 60, 's'],
    ];
    return parts.filter(([count]) => count > 0).map(([count, unit]) => count + ' ' + unit).join(' ');
  }
`;

const DURATION_TEST = text`
  import assert from 'node:assert/strict';
  import { test } from 'node:test';
  import { formatDuration } from '../src/duration.js';

  test('an hour and more', () => assert.equal(formatDuration(3725), '1 h 2 min 5 s'));
  test('minutes', () => assert.equal(formatDuration(120), '2 min'));
`;

export const PASTED_CI_ERROR: EvalTask = {
  name: 'pasted-ci-error',
  about: 'the output of CI in the task, with colors and addresses of another machine',
  base: { 'package.json': nodePackage('runner') },
  pull: {
    title: 'Show how long a run took',
    files: { 'src/duration.js': DURATION, 'test/duration.test.js': DURATION_TEST },
  },
  task: [
    '/countersign CI is red, please mend it:',
    '',
    '```',
    '2026-03-02T09:14:07.3120915Z \u{1b}[31m✖ an hour and more (1.9ms)\u{1b}[39m',
    "  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: '1 h 62 min 5 s' !== '1 h 2 min 5 s'",
    '      at TestContext.<anonymous> (file:///home/runner/work/runner/runner/test/duration.test.js:5:38)',
    '      at formatDuration (file:///home/runner/work/runner/runner/src/duration.js:5:11)',
    '2026-03-02T09:14:07.4417320Z ##[error]Process completed with exit code 1.',
    '```',
  ].join('\n'),
  grader: {
    mayChange: ['src/duration.js', 'test/'],
    tests: {
      'test/duration.test.js': DURATION_TEST,
      'test/more.test.js': text`
        import assert from 'node:assert/strict';
        import { test } from 'node:test';
        import { formatDuration } from '../src/duration.js';

        test('exact hours', () => assert.equal(formatDuration(7200), '2 h'));
        test('almost an hour', () => assert.equal(formatDuration(3599), '59 min 59 s'));
      `,
    },
  },
  solution: [
    calls(edit('src/duration.js', 'Math.floor(seconds / 60)', 'Math.floor((seconds % 3600) / 60)')),
    says('The minutes no longer contain the hours.'),
  ],
  mistakes: {
    'the test instead of the code': [calls(edit('test/duration.test.js', '1 h 2 min', '1 h 62 min')), says('Green.')],
  },
};

const RETRY_ROW = '| `retries` | 3 | How often a request is tried again. |';

export const DOCS_AND_CHANGELOG: EvalTask = {
  name: 'docs-and-changelog',
  about: 'a new option in the documentation and in the changelog, below what is not released yet',
  base: {
    'package.json': nodePackage('fetcher'),
    'README.md': [
      '# Fetcher\n',
      '| option | default | meaning |',
      '|---|---|---|',
      '| `timeout` | 30 | Seconds until a request fails. |\n',
    ].join('\n'),
    'CHANGELOG.md': text`
      # Changelog

      ## Unreleased

      - Node 24 is required.

      ## 1.4.2

      - A timeout of 0 waits forever.
    `,
  },
  pull: {
    title: 'Try failed requests again',
    files: { 'src/options.js': 'export const DEFAULTS = { timeout: 30, retries: 3 };\n' },
  },
  task: '/countersign Document the new option in the README, and add a line to the changelog.',
  grader: {
    mayChange: ['README.md', 'CHANGELOG.md'],
    contains: {
      'README.md': [
        /^\| `retries` +\| `?3`? +\| \S.* \|$/m,
        /^\| `timeout` \| 30 \| Seconds until a request fails\. \|$/m,
      ],
      'CHANGELOG.md': [
        /## Unreleased\n(?:[^#]*\n)?- [^\n#]*`?retries`?[^#]*\n## 1\.4\.2\n\n- A timeout of 0 waits forever\.\n$/,
      ],
    },
  },
  solution: [
    reads('README.md', 'CHANGELOG.md'),
    calls(
      edit('README.md', 'Seconds until a request fails. |', `Seconds until a request fails. |\n${RETRY_ROW}`),
      edit(
        'CHANGELOG.md',
        '- Node 24 is required.\n',
        '- Node 24 is required.\n- The option `retries` tries a failed request again.\n',
      ),
    ),
    says('The README and the changelog name `retries`.'),
  ],
  mistakes: {
    'below a release': [
      calls(
        edit('README.md', 'Seconds until a request fails. |', `Seconds until a request fails. |\n${RETRY_ROW}`),
        edit('CHANGELOG.md', '- A timeout', '- The option `retries` tries a failed request again.\n- A timeout'),
      ),
      says('Done.'),
    ],
  },
};

const IMPORT_TEST = text`
  import assert from 'node:assert/strict';
  import { test } from 'node:test';
  import { importRows } from '../src/import.js';

  test('rows of people', () => {
    assert.deepEqual(importRows('name;age\nIda;41\n\nOle;x'), { people: [{ name: 'Ida', age: 41 }], errors: ['line 4: x'] });
  });
`;

const IMPORT = text`
  /** Reads people from lines such as Ida;41. The first line has the names of the columns. */
  export function importRows(source) {
    const people = [];
    const errors = [];
    source.split('\n').forEach((line, index) => {
      if (index === 0 || line.trim() === '') return;
      const [name, age] = line.split(';');
      const years = Number(age);
      if (Number.isInteger(years)) people.push({ name, age: years });
      else errors.push('line ' + (index + 1) + ': ' + age);
    });
    return { people, errors };
  }
`;

const SPLIT = (exported: boolean): string =>
  text`
  /** Reads people from lines such as Ida;41. The first line has the names of the columns. */
  export function importRows(source) {
    const people = [];
    const errors = [];
    source.split('\n').forEach((line, index) => {
      if (index === 0 || line.trim() === '') return;
      const person = parsePerson(line);
      if (person.age === null) errors.push('line ' + (index + 1) + ': ' + line.split(';')[1]);
      else people.push(person);
    });
    return { people, errors };
  }

  /** The person of a line; without an age where it is no whole number. */
  function parsePerson(line) {
    const [name, age] = line.split(';');
    return { name, age: Number.isInteger(Number(age)) ? Number(age) : null };
  }
`.replace('\nfunction parsePerson', exported ? '\nexport function parsePerson' : '\nfunction parsePerson');

export const SPLIT_FUNCTION: EvalTask = {
  name: 'split-function',
  about: 'a function becomes two, and the reviewer wants to import the new one',
  base: { 'package.json': nodePackage('members'), 'src/import.js': IMPORT, 'test/import.test.js': IMPORT_TEST },
  pull: { title: 'Describe the import', files: { 'README.md': '# Members\n\nImports members from files.\n' } },
  task: '/countersign `importRows` does too much. Move what reads one line into a function `parsePerson` of its own.',
  reviewer: {
    objections: [
      { kind: 'instruct', about: /parsePerson/, words: 'Please export parsePerson, too: the form will use it.' },
    ],
  },
  grader: {
    mayChange: ['src/import.js', 'test/'],
    tests: { 'test/import.test.js': IMPORT_TEST },
    contains: { 'src/import.js': [/export (?:function|const) parsePerson\b/, /\bparsePerson\(line/] },
  },
  solution: [
    reads('src/import.js', 'test/import.test.js'),
    calls(edit('src/import.js', IMPORT, SPLIT(false))),
    calls(edit('src/import.js', IMPORT, SPLIT(true))),
    says('`parsePerson` reads one line, and is exported.'),
  ],
  mistakes: {
    'another behaviour': [
      reads('src/import.js'),
      calls(
        edit(
          'src/import.js',
          IMPORT,
          SPLIT(true).replace('Number.isInteger(Number(age)) ? Number(age) : null', 'Number(age)'),
        ),
      ),
      calls(
        edit(
          'src/import.js',
          IMPORT,
          SPLIT(true).replace('Number.isInteger(Number(age)) ? Number(age) : null', 'Number(age)'),
        ),
      ),
      says('Done.'),
    ],
  },
};
