import type { ScriptedCall } from '../../../fakes/model/script.ts';
import type { EvalTask } from './task.ts';
import { calls, edit, edits, nodePackage, nodeTest, reads, remove, says, text, write } from './writing.ts';

const FLEET_TEST = nodeTest`
  import { openRides, rideReport } from '../src/report.js';
  import { addRide } from '../src/rides.js';

  test('the report of a ride', () => {
    const ride = addRide({ car: 'B-7', km: 12 });
    assert.equal(rideReport(ride), 'B-7: 12 km');
    assert.deepEqual(openRides([ride]), [ride]);
  });
`;

const FLEET = {
  'package.json': nodePackage('fleet'),
  'src/rides.js': text`
    import { checkCar } from './cars.js';

    export function addRide({ car, km }) {
      checkCar(car);
      return { car, km, closed: false };
    }
  `,
  'src/cars.js': text`
    export function checkCar(car) {
      if (!/^[A-Z]-[0-9]+$/.test(car)) throw new TypeError('no car: ' + car);
    }
  `,
  'src/report.js': text`
    import { checkCar } from './cars.js';

    export function rideReport({ car, km }) {
      checkCar(car);
      return car + ': ' + km + ' km';
    }

    export function openRides(rides) {
      return rides.filter(({ closed }) => !closed);
    }
  `,
  'src/service.js': text`
    import { checkCar } from './cars.js';

    /** Plans the service of a car. checkCar throws for other names. */
    export const planService = (car, day) => (checkCar(car), { car, day });
  `,
  'test/report.test.js': FLEET_TEST,
};

const CARS_TEST = (name: string): string =>
  [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    `import { ${name} } from '../src/cars.js';`,
    '',
    `test('a car', () => assert.doesNotThrow(() => ${name}('B-7')));`,
    `test('no car', () => assert.throws(() => ${name}('B7'), TypeError));`,
    '',
  ].join('\n');

/** Six files that call the function in five or six places each. */
const FLEET_CHECKS = Object.fromEntries(
  ['wash', 'fuel', 'tyres', 'brakes', 'lights', 'doors'].map((part, at) => [
    `src/check-${part}.js`,
    [
      "import { checkCar } from './cars.js';",
      '',
      ...Array.from({ length: at < 4 ? 5 : 4 }, (_, n) => `export const ${part}${n} = (car) => (checkCar(car), ${n});`),
      '',
    ].join('\n'),
  ]),
);

const CAR_FILES = [
  ...['src/rides.js', 'src/cars.js', 'src/report.js', 'src/service.js', 'test/cars.test.js'],
  ...Object.keys(FLEET_CHECKS),
];

function renameIn(paths: readonly string[]): ScriptedCall {
  const changes = paths.map((path) => ({
    ...{ op: 'edit', path, old_string: 'checkCar', new_string: 'assertCarName', replace_all: true },
  }));
  return { name: 'change_files', arguments: { summary: 'Rename checkCar to assertCarName.', changes } };
}

export const RENAME: EvalTask = {
  name: 'rename',
  about: 'a function that eleven files name',
  base: { ...FLEET, ...FLEET_CHECKS },
  pull: { title: 'Test the names of cars', files: { 'test/cars.test.js': CARS_TEST('checkCar') } },
  task: '/countersign Rename `checkCar` to `assertCarName` everywhere.',
  grader: {
    mayChange: ['src/', 'test/cars.test.js'],
    tests: {
      'test/report.test.js': FLEET_TEST,
      'test/renamed.test.js': CARS_TEST('assertCarName'),
      'test/service.test.js': nodeTest`
        import { planService } from '../src/service.js';

        test('the service of a car', () => assert.deepEqual(planService('B-7', 3), { car: 'B-7', day: 3 }));
      `,
    },
    contains: { 'test/cars.test.js': [/assertCarName\('B7'\)/] },
    check: ({ after }) =>
      Object.entries(after)
        .filter(([, content]) => content.includes('checkCar'))
        .map(([path]) => `${path} still has the old name`),
  },
  solution: [
    calls({ name: 'search', arguments: { query: 'checkCar', context: 2 } }),
    calls(renameIn(CAR_FILES)),
    says('`checkCar` is called `assertCarName` in all eleven files.'),
  ],
  mistakes: { 'one file forgotten': [calls(renameIn(CAR_FILES.slice(1))), says('Done.')] },
};

export const QUESTION: EvalTask = {
  name: 'question',
  about: 'a question whose answer is spread over several files',
  base: {
    'package.json': nodePackage('jobs'),
    'src/queue.js': text`
      import { retryDelay } from './retry.js';
      import { LIMITS } from './limits.js';

      export async function runJob(job, sleep) {
        for (let attempt = 1; ; attempt += 1) {
          try {
            return await job();
          } catch (error) {
            if (attempt === LIMITS.attempts) throw error;
            await sleep(retryDelay(attempt));
          }
        }
      }
    `,
    'src/retry.js': text`
      import { LIMITS } from './limits.js';

      /** Milliseconds before the next attempt. */
      export const retryDelay = (attempt) => Math.min(LIMITS.base * 2 ** (attempt - 1), LIMITS.longest);
    `,
    'src/limits.js': text`
      export const LIMITS = { attempts: 5, base: 200, longest: 1_000 };
    `,
  },
  pull: { title: 'Describe jobs', files: { 'README.md': '# Jobs\n\nA job that fails is tried again.\n' } },
  task: '/countersign Change nothing, only tell me: how often is a failing job tried in all, and how many milliseconds does it wait before each new attempt?',
  grader: {
    mayChange: [],
    // 200, 400, 800, 1000: the fourth delay would be 1600 without the limit.
    answer: [/\b(?:5|five)\b/i, /\b200\b/, /\b400\b/, /\b800\b/, /\b1[,. _]?000\b/],
    proposesAtMost: 0,
  },
  solution: [
    reads('src/queue.js', 'src/retry.js', 'src/limits.js'),
    says(
      'A failing job is tried 5 times in all. It waits 200, 400, 800 and 1000 milliseconds: the last delay is limited.',
    ),
  ],
  mistakes: { 'a guess': [says('It is tried 3 times and waits 100 ms each time.')] },
};

const CALLERS = {
  'src/invoice.js': text`
    import { formatMoney } from './money.js';

    export const invoiceLine = (name, cents) => name + ' ' + formatMoney(cents, 'EUR', true);
  `,
  'src/receipt.js': text`
    import { formatMoney } from './money.js';

    export const receiptLine = (name, cents) => name + ': ' + formatMoney(cents, 'USD', false);
  `,
  'src/summary.js': text`
    import { formatMoney } from './money.js';

    export const summaryLine = (cents) => 'Sum ' + formatMoney(cents, 'EUR', false);
  `,
};

const MONEY = text`
  export function formatMoney(cents, currency, withSymbol) {
    const amount = (cents / 100).toFixed(2);
    const symbols = { EUR: '€', USD: '$' };
    return withSymbol ? amount + ' ' + symbols[currency] : amount;
  }
`;

const OPTIONS_SIGNATURE = edit(
  'src/money.js',
  'formatMoney(cents, currency, withSymbol)',
  'formatMoney(cents, { currency, withSymbol })',
);

export const SIGNATURE: EvalTask = {
  name: 'signature',
  about: 'another signature, and three callers',
  base: { 'package.json': nodePackage('billing'), ...CALLERS },
  pull: { title: 'Format money in one place', files: { 'src/money.js': MONEY } },
  task: '/countersign The boolean argument of `formatMoney` is hard to read. Let it take an object as its second argument: `formatMoney(cents, { currency, withSymbol })`. Adapt all callers.',
  grader: {
    mayChange: ['src/', 'test/'],
    tests: {
      'test/lines.test.js': nodeTest`
        import { invoiceLine } from '../src/invoice.js';
        import { formatMoney } from '../src/money.js';
        import { receiptLine } from '../src/receipt.js';
        import { summaryLine } from '../src/summary.js';

        test('the function', () => assert.equal(formatMoney(150, { currency: 'USD', withSymbol: true }), '1.50 $'));
        test('its callers', () => {
          assert.equal(invoiceLine('Tea', 250), 'Tea 2.50 €');
          assert.equal(receiptLine('Tea', 250), 'Tea: 2.50');
          assert.equal(summaryLine(5), 'Sum 0.05');
        });
      `,
    },
    lacks: Object.fromEntries(Object.keys(CALLERS).map((path) => [path, [/,\s*(?:true|false)\)/]])),
  },
  solution: [
    calls({ name: 'search', arguments: { query: 'formatMoney' } }),
    calls(
      OPTIONS_SIGNATURE,
      edit('src/invoice.js', "'EUR', true", "{ currency: 'EUR', withSymbol: true }"),
      edit('src/receipt.js', "'USD', false", "{ currency: 'USD', withSymbol: false }"),
      edit('src/summary.js', "'EUR', false", "{ currency: 'EUR', withSymbol: false }"),
    ),
    says('All callers pass an object.'),
  ],
  mistakes: { 'callers forgotten': [calls(OPTIONS_SIGNATURE), says('Done.')] },
};

const CLEAN_NAME = text`
  function cleanName(name) {
    return name.trim().replaceAll(/\s+/g, ' ');
  }
`;

export const EXTRACT_MODULE: EvalTask = {
  name: 'extract-module',
  about: 'a copied function that moves to a file of its own',
  base: {
    'package.json': nodePackage('members'),
    'src/join.js': `${CLEAN_NAME}\nexport const join = (name) => ({ name: cleanName(name), since: 2024 });\n`,
  },
  pull: {
    title: 'Search members',
    files: {
      'src/find.js': `${CLEAN_NAME}\nexport const find = (members, name) => members.find((one) => one.name === cleanName(name));\n`,
    },
  },
  task: '/countersign `cleanName` is defined twice. Move it to `src/clean-name.js` and import it in both files.',
  grader: {
    mayChange: ['src/', 'test/'],
    exists: { 'src/clean-name.js': true },
    lacks: { 'src/join.js': [/replaceAll/], 'src/find.js': [/replaceAll/] },
    tests: {
      'test/members.test.js': nodeTest`
        import { cleanName } from '../src/clean-name.js';
        import { find } from '../src/find.js';
        import { join } from '../src/join.js';

        test('a member is found by an untidy name', () => {
          const member = join(' Ada  Lovelace ');
          assert.equal(member.name, 'Ada Lovelace');
          assert.equal(find([member], 'Ada Lovelace  '), member);
          assert.equal(cleanName(' a  b '), 'a b');
        });
      `,
    },
  },
  solution: [
    reads('src/join.js', 'src/find.js'),
    calls(
      write('src/clean-name.js', `export ${CLEAN_NAME}`),
      edit('src/join.js', CLEAN_NAME, "import { cleanName } from './clean-name.js';\n"),
      edit('src/find.js', CLEAN_NAME, "import { cleanName } from './clean-name.js';\n"),
    ),
    says('`cleanName` has a file of its own.'),
  ],
  mistakes: { 'a third copy': [calls(write('src/clean-name.js', `export ${CLEAN_NAME}`)), says('Done.')] },
};

export const DEAD_FLAG: EvalTask = {
  name: 'dead-flag',
  about: 'a feature flag to remove, with the code that only it used',
  base: {
    'package.json': nodePackage('search'),
    'src/flags.js': 'export const FLAGS = { newRanking: true, darkMode: false };\n',
    'src/old-ranking.js': text`
      export const rankOld = (hits) => hits.toSorted((left, right) => left.age - right.age);
    `,
    'src/ranking.js': text`
      export const rank = (hits) => hits.toSorted((left, right) => right.score - left.score);
    `,
    'src/search.js': text`
      import { FLAGS } from './flags.js';
      import { rankOld } from './old-ranking.js';
      import { rank } from './ranking.js';

      export function topHits(hits, count) {
        const ranked = FLAGS.newRanking ? rank(hits) : rankOld(hits);
        return ranked.slice(0, count);
      }

      export const theme = () => (FLAGS.darkMode ? 'dark' : 'light');
    `,
  },
  pull: { title: 'Use the new ranking for everybody', files: { 'README.md': '# Search\n\nRanks by score.\n' } },
  task: '/countersign The flag `newRanking` is on everywhere. Remove it, and the old ranking with its file.',
  grader: {
    mayChange: ['src/flags.js', 'src/search.js', 'src/old-ranking.js'],
    exists: { 'src/old-ranking.js': false },
    lacks: { 'src/flags.js': [/newRanking/], 'src/search.js': [/newRanking/, /rankOld/] },
    tests: {
      'test/search.test.js': nodeTest`
        import { FLAGS } from '../src/flags.js';
        import { theme, topHits } from '../src/search.js';

        test('ranks by score', () => {
          const hits = [{ score: 1, age: 1 }, { score: 3, age: 9 }];
          assert.deepEqual(topHits(hits, 1), [hits[1]]);
        });
        test('the other flag stays', () => {
          assert.deepEqual(FLAGS, { darkMode: false });
          assert.equal(theme(), 'light');
        });
      `,
    },
  },
  solution: [
    reads('src/flags.js', 'src/search.js'),
    calls(
      edit('src/flags.js', 'newRanking: true, ', ''),
      edits(
        'src/search.js',
        ["import { rankOld } from './old-ranking.js';\n", ''],
        ['FLAGS.newRanking ? rank(hits) : rankOld(hits)', 'rank(hits)'],
      ),
      remove('src/old-ranking.js'),
    ),
    says('The flag and the old ranking are gone.'),
  ],
  mistakes: { 'the file left': [calls(edit('src/flags.js', 'newRanking: true, ', '')), says('Done.')] },
};
