import type { EvalTask } from './task.ts';
import { calls, edit, nodePackage, nodeTest, reads, says, text, write } from './writing.ts';

const UNITS = text`
  export const toMiles = (km) => km / 1.609344;
`;

const UNITS_SPEC = (more: string): string =>
  [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { toKilometers } from '../src/units.js';",
    '',
    `test('${more}', () => assert.equal(toKilometers(10), 16.09344));`,
    '',
  ].join('\n');

export const AGENTS_FILE: EvalTask = {
  name: 'agents-file',
  about: 'instructions of the repository for names, tests and the changelog',
  base: {
    'package.json': nodePackage('units'),
    'AGENTS.md': text`
      # For agents

      - Functions are arrow functions in one line, as those that exist.
      - Every new function has a test in checks/, in a file that ends in .spec.mjs.
      - Every change adds a line to NEWS.txt, at the top, that begins with "* ".
    `,
    'NEWS.txt': '* Miles.\n',
    'src/units.js': UNITS,
  },
  pull: { title: 'Describe units', files: { 'README.md': '# Units\n\nKilometers and miles.\n' } },
  task: '/countersign Add `toKilometers(miles)`.',
  grader: {
    mayChange: ['src/units.js', 'checks/', 'NEWS.txt'],
    contains: {
      'src/units.js': [/^export const toMiles/m, /^export const toKilometers = \(?\w+\)? => .*;$/m],
      'NEWS.txt': [/^\* .+\n\* Miles\.\n$/],
    },
    tests: { 'test/kilometers.test.js': UNITS_SPEC('kilometers') },
    check: ({ after }) => {
      const specs = Object.entries(after).filter(([path]) => /^checks\/.+\.spec\.mjs$/.test(path));
      return specs.some(([, spec]) => spec.includes('toKilometers')) ? [] : ['no test in checks/*.spec.mjs'];
    },
  },
  solution: [
    reads('src/units.js', 'NEWS.txt'),
    calls(
      edit('src/units.js', UNITS, `${UNITS}\nexport const toKilometers = (miles) => miles * 1.609344;\n`),
      write('checks/units.spec.mjs', UNITS_SPEC('ten miles')),
      edit('NEWS.txt', '* Miles.', '* Kilometers.\n* Miles.'),
    ),
    says('`toKilometers` is there, with its test and a line in NEWS.txt.'),
  ],
  mistakes: {
    'as anywhere else': [
      calls(
        edit('src/units.js', UNITS, `${UNITS}\nexport const toKilometers = (miles) => miles * 1.609344;\n`),
        write('test/units.test.js', UNITS_SPEC('ten miles')),
      ),
      says('Done.'),
    ],
  },
};

const ERRORS = text`
  export const notFound = (what) => ({ code: 'E404', text: what + ' is not there' });
`;

export const NESTED_AGENTS_FILE: EvalTask = {
  name: 'nested-agents-file',
  about: 'instructions that hold for one directory only',
  base: {
    'package.json': nodePackage('suite'),
    'AGENTS.md': '# For agents\n\nError texts end without a full stop.\n',
    'packages/api/AGENTS.md':
      '# For agents\n\nIn this package error codes have the form E and three digits, the status code of HTTP.\n',
    'packages/api/README.md': '# API\n',
    'packages/api/errors.js': 'export const FIRST = null;\n',
  },
  pull: { title: 'Errors of the API', files: { 'packages/api/errors.js': ERRORS } },
  task: '/countersign Add an error `tooLarge(what)` next to `notFound`. Its text is the name and "is too large".',
  grader: {
    mayChange: ['packages/api/'],
    tests: {
      'test/errors.test.js': nodeTest`
        import { notFound, tooLarge } from '../packages/api/errors.js';

        test('errors', () => {
          assert.deepEqual(tooLarge('The body'), { code: 'E413', text: 'The body is too large' });
          assert.equal(notFound('It').code, 'E404');
        });
      `,
    },
  },
  solution: [
    reads('packages/api/errors.js'),
    calls(
      edit(
        'packages/api/errors.js',
        ERRORS,
        `${ERRORS}\nexport const tooLarge = (what) => ({ code: 'E413', text: what + ' is too large' });\n`,
      ),
    ),
    says('`tooLarge` has the code E413.'),
  ],
  mistakes: {
    'a code of its own': [
      calls(
        edit(
          'packages/api/errors.js',
          ERRORS,
          `${ERRORS}\nexport const tooLarge = (what) => ({ code: 'TOO_LARGE', text: what + ' is too large.' });\n`,
        ),
      ),
      says('Done.'),
    ],
  },
};
