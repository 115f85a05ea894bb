import type { EvalTask } from './task.ts';
import { calls, edit, move, nodePackage, nodeTest, reads, remove, says, text, write } from './writing.ts';

const CLAMP_TEST = nodeTest`
  import { clamp } from '../src/clamp.js';

  test('a number within, below and above the range', () => {
    assert.deepEqual([5, -1, 11].map((value) => clamp(value, 0, 10)), [5, 0, 10]);
  });
  test('an empty range', () => assert.throws(() => clamp(1, 3, 2), RangeError));
`;

const CLAMP = text`
  /** The value, limited to the range from low to high. Throws RangeError if low is above high. */
  export function clamp(value, low, high) {
    if (low > high) throw new RangeError('the range is empty');
    return Math.min(Math.max(value, low), high);
  }
`;

export const ADD_FILE: EvalTask = {
  name: 'add-file',
  about: 'a new module that a test describes',
  base: { 'package.json': nodePackage('math'), 'src/sum.js': 'export const sum = (left, right) => left + right;\n' },
  pull: { title: 'Test clamp', files: { 'test/clamp.test.js': CLAMP_TEST } },
  task: '/countersign Write `src/clamp.js`, so that the tests of this pull request pass. One new file, nothing else.',
  grader: { mayChange: ['src/clamp.js'], tests: { 'test/clamp.test.js': CLAMP_TEST } },
  solution: [
    reads('test/clamp.test.js', 'src/sum.js'),
    calls(write('src/clamp.js', CLAMP)),
    says('`clamp` is in a file of its own.'),
  ],
  mistakes: {
    'the error forgotten': [calls(write('src/clamp.js', CLAMP.replace(/ {2}if .*\n/, ''))), says('Done.')],
  },
};

export const DELETE_FILES: EvalTask = {
  name: 'delete-files',
  about: 'of three files that look unused, one is used by its name',
  base: {
    'package.json': nodePackage('themes'),
    'src/load.js': text`
      /** Loads a theme by its name, such as "dark". */
      export const load = async (name) => (await import('./themes/' + name + '.js')).colors;
    `,
    'src/settings.js': "export const DEFAULT_THEME = 'dark';\n",
    'src/themes/dark.js': "export const colors = ['black', 'white'];\n",
    'src/legacy/colors.js': "export const legacyColors = ['gray'];\n",
    'src/legacy/fonts.js': "export const legacyFonts = ['serif'];\n",
    'test/load.test.js': nodeTest`
      import { load } from '../src/load.js';
      import { DEFAULT_THEME } from '../src/settings.js';

      test('the default theme', async () => assert.deepEqual(await load(DEFAULT_THEME), ['black', 'white']));
    `,
  },
  pull: { title: 'Clean up', files: { 'README.md': '# Themes\n' } },
  task: '/countersign Delete the files below src that nothing uses any more.',
  grader: {
    mayChange: ['src/legacy/'],
    exists: { 'src/legacy/colors.js': false, 'src/legacy/fonts.js': false, 'src/themes/dark.js': true },
    tests: {},
  },
  solution: [
    reads('src/load.js', 'src/settings.js', 'src/themes/dark.js', 'src/legacy/colors.js', 'src/legacy/fonts.js'),
    calls(remove('src/legacy/colors.js'), remove('src/legacy/fonts.js')),
    says('The legacy files are gone. `themes/dark.js` is loaded by its name, so it stays.'),
  ],
  mistakes: {
    'the theme as well': [
      calls(remove('src/legacy/colors.js'), remove('src/legacy/fonts.js'), remove('src/themes/dark.js')),
      says('Done.'),
    ],
  },
};

const DAYS = 'export const days = (from, to) => Math.round((to - from) / 86_400_000);\n';

export const MOVE_FILE: EvalTask = {
  name: 'move-file',
  about: 'a file that moves, and the imports that follow it',
  base: {
    'package.json': nodePackage('calendar'),
    'lib/days.js': DAYS,
    'src/age.js': text`
      import { days } from '../lib/days.js';

      export const age = (born, now) => Math.floor(days(born, now) / 365.25);
    `,
    'src/trip.js': text`
      import { days } from '../lib/days.js';

      export const nights = ({ arrival, departure }) => days(arrival, departure);
    `,
  },
  pull: { title: 'Explain the folders', files: { 'README.md': '# Calendar\n\nAll code is in `src`.\n' } },
  task: '/countersign Move lib/days.js to src/days.js, without a change of its content, and adapt the imports.',
  grader: {
    mayChange: ['lib/days.js', 'src/'],
    exists: { 'lib/days.js': false },
    check: ({ after }) => (after['src/days.js'] === DAYS ? [] : ['src/days.js has another content']),
    tests: {
      'test/calendar.test.js': nodeTest`
        import { age } from '../src/age.js';
        import { nights } from '../src/trip.js';

        test('both users of days', () => {
          assert.equal(age(Date.UTC(2000, 0, 1), Date.UTC(2024, 5, 1)), 24);
          assert.equal(nights({ arrival: Date.UTC(2024, 1, 27), departure: Date.UTC(2024, 2, 1) }), 3);
        });
      `,
    },
  },
  solution: [
    calls({ name: 'search', arguments: { query: 'days.js' } }),
    calls(
      move('lib/days.js', 'src/days.js'),
      edit('src/age.js', "'../lib/days.js'", "'./days.js'"),
      edit('src/trip.js', "'../lib/days.js'", "'./days.js'"),
    ),
    says('The file has moved, and both imports follow it.'),
  ],
  mistakes: { 'an import left': [calls(move('lib/days.js', 'src/days.js')), says('Done.')] },
};

const ROUTES = 240;

/** A route with a number; the one that the task is about answers with the wrong status. */
function route(n: number): string {
  const status = n === 137 ? 200 : 201;
  return [
    `router.post('/items/${n}', (request) => {`,
    '  const item = parse(request.body);',
    `  if (item === null) return { status: 400 };`,
    `  return { status: ${status}, item: { ...item, kind: ${n} } };`,
    '});',
  ].join('\n');
}

const ROUTER = [
  'const routes = new Map();',
  'const router = { post: (path, handler) => routes.set(path, handler) };',
  "const parse = (body) => (typeof body === 'string' ? { name: body } : null);",
  'export const send = (path, body) => routes.get(path)({ body });',
  ...Array.from({ length: ROUTES }, (_, index) => route(index + 1)),
  '',
].join('\n\n');

export const BIG_FILE: EvalTask = {
  name: 'big-file',
  about: 'one line of a file of 1,400 lines that repeats itself',
  base: { 'package.json': nodePackage('routes'), 'src/routes.js': ROUTER },
  pull: { title: 'Explain the routes', files: { 'README.md': '# Routes\n\nA new item is answered with 201.\n' } },
  task: '/countersign Posting to `/items/137` answers with 200 instead of 201. Fix that.',
  grader: {
    mayChange: ['src/routes.js', 'test/'],
    tests: {
      'test/routes.test.js': nodeTest`
        import { send } from '../src/routes.js';

        test('all routes', () => {
          for (let n = 1; n <= 240; n += 1)
            assert.deepEqual(send('/items/' + n, 'x'), { status: 201, item: { name: 'x', kind: n } });
          assert.deepEqual(send('/items/7', null), { status: 400 });
        });
      `,
    },
    check: ({ before, after }) => {
      const [old, now] = [before, after].map((files) => (files['src/routes.js'] ?? '').split('\n'));
      const changed = (now ?? []).filter((line, index) => line !== old?.[index]).length;
      return changed === 1 && now?.length === old?.length ? [] : [`${changed} lines differ, expected one`];
    },
  },
  solution: [
    calls({ name: 'search', arguments: { query: '/items/137', context: 5 } }),
    calls(
      edit('src/routes.js', 'status: 200, item: { ...item, kind: 137 }', 'status: 201, item: { ...item, kind: 137 }'),
    ),
    says('The route answers with 201.'),
  ],
  mistakes: {
    'another route': [
      calls(
        edit('src/routes.js', 'status: 201, item: { ...item, kind: 136 }', 'status: 202, item: { ...item, kind: 136 }'),
      ),
      says('Done.'),
    ],
  },
};
