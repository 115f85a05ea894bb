import type { EvalTask } from './task.ts';
import { calls, edit, nodePackage, nodeTest, reads, says, text } from './writing.ts';

const MEAN_TEST = nodeTest`
  import { mean } from '../src/mean.js';

  test('the mean of some values', () => {
    assert.equal(mean([1, 2, 6]), 3);
  });
`;

const GUARD = edit('src/mean.js', '  const sum =', '  if (values.length === 0) return 0;\n  const sum =');

export const EMPTY_LIST: EvalTask = {
  name: 'empty-list',
  about: 'a division by zero, and a test for it',
  base: { 'package.json': nodePackage('sensors'), 'README.md': '# Sensors\n\nReads sensors.\n' },
  pull: {
    title: 'Show the mean of the last hour',
    files: {
      'src/mean.js': text`
        /** The mean of the measured values. */
        export function mean(values) {
          const sum = values.reduce((total, value) => total + value, 0);
          return sum / values.length;
        }
      `,
      'test/mean.test.js': MEAN_TEST,
    },
  },
  discussion: [
    { by: 'ben', on: { path: 'src/mean.js', line: 4 }, says: '`mean([])` returns NaN here. It should return 0.' },
  ],
  task: '/countersign Please do that, and add a test for it, too.',
  place: { inThreadOf: 0 },
  grader: {
    mayChange: ['src/mean.js', 'test/'],
    tests: {
      'test/mean.test.js': MEAN_TEST,
      'test/mean-of-nothing.test.js': nodeTest`
        import { mean } from '../src/mean.js';

        test('the mean of nothing is 0', () => assert.equal(mean([]), 0));
        test('the mean of one value', () => assert.equal(mean([-4]), -4));
      `,
    },
    coversChangeOf: ['src/mean.js'],
  },
  solution: [
    reads('src/mean.js', 'test/mean.test.js'),
    calls(
      GUARD,
      edit(
        'test/mean.test.js',
        '  assert.equal(mean([1, 2, 6]), 3);\n});\n',
        "  assert.equal(mean([1, 2, 6]), 3);\n});\n\ntest('the mean of nothing is 0', () => {\n  assert.equal(mean([]), 0);\n});\n",
      ),
    ),
    says('`mean` returns 0 for an empty list now, and a test says so.'),
  ],
  mistakes: { 'no test': [calls(GUARD), says('Done.')] },
};

const PAGES_TEST = nodeTest`
  import { lastPage, pageOf } from '../lib/pages.js';

  test('the last page of a list that does not fill it', () => assert.equal(lastPage(41, 20), 3));
  test('the last page of a list that fills it', () => assert.equal(lastPage(40, 20), 2));
  test('an empty list has one page', () => assert.equal(lastPage(0, 20), 1));
  test('items of a page', () => assert.deepEqual(pageOf(['a', 'b', 'c'], 2, 2), ['c']));
`;

export const OFF_BY_ONE: EvalTask = {
  name: 'off-by-one',
  about: 'a red test that tells what is wrong',
  base: {
    'package.json': nodePackage('catalog'),
    'lib/pages.js': text`
      /** Items of a page; the first page is 1. */
      export function pageOf(items, page, size) {
        return items.slice((page - 1) * size, page * size);
      }
    `,
  },
  pull: {
    title: 'Link to the last page',
    files: {
      'lib/pages.js': text`
        /** Items of a page; the first page is 1. */
        export function pageOf(items, page, size) {
          return items.slice((page - 1) * size, page * size);
        }

        /** The number of the last page. An empty list has one page. */
        export function lastPage(count, size) {
          return Math.floor(count / size) + 1;
        }
      `,
      'test/pages.test.js': PAGES_TEST,
    },
  },
  task: '/countersign The test "the last page of a list that fills it" fails. Fix the code, not the test.',
  grader: { mayChange: ['lib/pages.js'], tests: { 'test/pages.test.js': PAGES_TEST } },
  solution: [
    reads('lib/pages.js', 'test/pages.test.js'),
    calls(edit('lib/pages.js', 'Math.floor(count / size) + 1', 'Math.max(1, Math.ceil(count / size))')),
    says('A full last page no longer counts as two.'),
  ],
  mistakes: {
    'the empty list forgotten': [
      calls(edit('lib/pages.js', 'Math.floor(count / size) + 1', 'Math.ceil(count / size)')),
      says('Done.'),
    ],
    'the test changed': [
      calls(edit('test/pages.test.js', 'lastPage(40, 20), 2', 'lastPage(40, 20), 3')),
      says('The test expected too little.'),
    ],
  },
};

export const MISSING_AWAIT: EvalTask = {
  name: 'missing-await',
  about: 'a promise that nobody waits for',
  base: {
    'package.json': nodePackage('importer'),
    'src/store.js': text`
      /** Keeps rows in memory. Saving takes a moment, as in the real database. */
      export function createStore() {
        const rows = [];
        return {
          rows,
          async save(row) {
            await new Promise((resolve) => setTimeout(resolve, 1));
            if (row.id === undefined) throw new Error('a row needs an id');
            rows.push(row);
          },
        };
      }
    `,
  },
  pull: {
    title: 'Import rows from a file',
    files: {
      'src/import.js': text`
        /** Saves all rows in order and returns how many there are. Rejects at the first row that cannot be saved. */
        export async function importRows(store, rows) {
          let count = 0;
          rows.forEach(async (row) => {
            await store.save(row);
            count += 1;
          });
          return count;
        }
      `,
    },
  },
  task: '/countersign `importRows` always returns 0, and errors get lost. Make it do what its comment says.',
  grader: {
    mayChange: ['src/import.js', 'test/'],
    tests: {
      'test/import-rows.test.js': nodeTest`
        import { importRows } from '../src/import.js';
        import { createStore } from '../src/store.js';

        test('counts the rows, in order', async () => {
          const store = createStore();
          assert.equal(await importRows(store, [{ id: 2 }, { id: 1 }]), 2);
          assert.deepEqual(store.rows, [{ id: 2 }, { id: 1 }]);
        });

        test('rejects at the first bad row', async () => {
          const store = createStore();
          await assert.rejects(importRows(store, [{ id: 1 }, {}, { id: 3 }]), /needs an id/);
          await new Promise((resolve) => setTimeout(resolve, 20));
          assert.deepEqual(store.rows, [{ id: 1 }]);
        });
      `,
    },
  },
  solution: [
    reads('src/import.js', 'src/store.js'),
    calls(
      edit(
        'src/import.js',
        '  rows.forEach(async (row) => {\n    await store.save(row);\n    count += 1;\n  });\n',
        '  for (const row of rows) {\n    await store.save(row);\n    count += 1;\n  }\n',
      ),
    ),
    says('The rows are saved one after the other, and an error reaches the caller.'),
  ],
  mistakes: {
    'saved at the same time': [
      calls(
        edit('src/import.js', '  rows.forEach(async (row) => {', '  await Promise.all(rows.map(async (row) => {'),
        edit('src/import.js', '    count += 1;\n  });', '    count += 1;\n  }));'),
      ),
      says('Done.'),
    ],
  },
};

export const SHARED_DEFAULTS: EvalTask = {
  name: 'shared-defaults',
  about: 'a default that callers change by accident',
  base: {
    'package.json': nodePackage('mailer'),
    'src/options.js': text`
      const DEFAULTS = { retries: 3, headers: { 'x-mailer': 'acme' } };

      /** The options of a request, with the defaults for what is not given. */
      export function withDefaults(options = {}) {
        return Object.assign(DEFAULTS, options);
      }
    `,
  },
  pull: {
    title: 'Send with retries',
    files: {
      'src/send.js': text`
        import { withDefaults } from './options.js';

        export function requestFor(to, options) {
          const { retries, headers } = withDefaults(options);
          headers.to = to;
          return { retries, headers };
        }
      `,
    },
  },
  task: '/countersign After one mail with `retries: 0` no mail is tried again, and headers of one mail show up in the next. Fix both; the functions keep their names.',
  grader: {
    mayChange: ['src/', 'test/'],
    tests: {
      'test/defaults.test.js': nodeTest`
        import { withDefaults } from '../src/options.js';
        import { requestFor } from '../src/send.js';

        test('options of one mail do not reach the next', () => {
          assert.equal(requestFor('ana', { retries: 0 }).retries, 0);
          assert.equal(requestFor('ben').retries, 3);
          assert.deepEqual(withDefaults().headers, { 'x-mailer': 'acme' });
        });

        test('headers of one mail do not reach the next, nor the caller', () => {
          const headers = { cc: 'carl' };
          assert.deepEqual(requestFor('ana', { headers }).headers.to, 'ana');
          assert.deepEqual(headers, { cc: 'carl' });
          const first = requestFor('ana');
          requestFor('ben');
          assert.equal(first.headers.to, 'ana');
        });
      `,
    },
  },
  solution: [
    reads('src/options.js', 'src/send.js'),
    calls(
      edit('src/options.js', '  return Object.assign(DEFAULTS, options);', '  return { ...DEFAULTS, ...options };'),
      edit(
        'src/send.js',
        '  headers.to = to;\n  return { retries, headers };',
        '  return { retries, headers: { ...headers, to } };',
      ),
    ),
    says('Neither the defaults nor the headers of a caller are changed any more.'),
  ],
  mistakes: {
    'only the first half': [
      calls(edit('src/options.js', 'Object.assign(DEFAULTS, options)', 'Object.assign({}, DEFAULTS, options)')),
      says('Done.'),
    ],
  },
};

const PORT_TESTS = {
  'test/config.test.js': nodeTest`
    import { readConfig } from '../src/config.js';

    test('the default port', () => assert.equal(readConfig({}).port, 8080));
    test('a port of the environment', () => assert.equal(readConfig({ PORT: '9000' }).port, 9000));
  `,
};

const STRICT_PORT = edit(
  'src/port.js',
  '  return Number.isInteger(port) && port > 0 && port < 65536 ? port : null;',
  '  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new RangeError("not a port: " + text);\n  return port;',
);

export const BROKEN_TEST: EvalTask = {
  name: 'broken-test',
  about: 'a change that can break a test, which people then report',
  base: {
    'package.json': nodePackage('gateway'),
    'src/port.js': text`
      /** The port that a text names; null if it names none. */
      export function parsePort(text) {
        const port = Number(text || NaN);
        return Number.isInteger(port) && port > 0 && port < 65536 ? port : null;
      }
    `,
    'src/config.js': text`
      import { parsePort } from './port.js';

      export function readConfig(environment) {
        return { port: parsePort(environment.PORT ?? '') ?? 8080 };
      }
    `,
    ...PORT_TESTS,
  },
  pull: { title: 'Describe the port', files: { 'README.md': '# Gateway\n\nSet `PORT` to listen elsewhere.\n' } },
  task: '/countersign `parsePort` should throw a RangeError for a text that is no port, instead of returning null.',
  reviewer: { reportsFailures: true },
  grader: {
    mayChange: ['src/', 'test/'],
    tests: {
      ...PORT_TESTS,
      'test/strict-port.test.js': nodeTest`
        import { readConfig } from '../src/config.js';
        import { parsePort } from '../src/port.js';

        test('no port', () => {
          for (const text of ['', 'http', '0', '70000', '1.5']) assert.throws(() => parsePort(text), RangeError);
        });
        test('a port', () => assert.equal(parsePort('443'), 443));
        test('a wrong port stops the start', () => assert.throws(() => readConfig({ PORT: 'x' }), RangeError));
      `,
    },
  },
  solution: [
    calls(STRICT_PORT),
    says('`parsePort` throws now.'),
    reads('src/config.js'),
    calls(
      edit(
        'src/config.js',
        "parsePort(environment.PORT ?? '') ?? 8080",
        'environment.PORT === undefined ? 8080 : parsePort(environment.PORT)',
      ),
    ),
    says('The default port no longer goes through `parsePort`.'),
  ],
  mistakes: {
    'the report ignored': [
      calls(STRICT_PORT),
      says('`parsePort` throws now.'),
      says('That has other reasons.'),
      says('I do not know.'),
    ],
  },
};
