import type { EvalTask } from './task.ts';
import { answering, calls, edit, edits, nodePackage, nodeTest, reads, says, text } from './writing.ts';

const ORDERS = text`
  import { priceOf } from './prices.js';

  /** The total of an order, in cents. */
  export function totalOf(order) {
    let total = 0;
    for (const item of order.items) {
      total += priceOf(item.sku) * item.count;
    }
    return total;
  }

  /** The order's items by their number, for the invoice. */
  export function byNumber(order) {
    const sorted = order.items.sort((left, right) => left.sku - right.sku);
    return sorted.map((item) => item.sku);
  }
`;

const PRICES = text`
  const PRICES = new Map([[1, 250], [2, 1999], [12, 5]]);

  export function priceOf(sku) {
    return PRICES.get(sku) ?? 0;
  }
`;

const SHOP = { 'package.json': nodePackage('shop'), 'src/prices.js': PRICES };

const ADD_ORDERS = { title: 'Add orders', files: { 'src/orders.js': ORDERS } };

const COPY_TEST = nodeTest`
  import { byNumber, totalOf } from '../src/orders.js';

  const order = () => ({ items: [{ sku: 12, count: 1 }, { sku: 2, count: 2 }] });

  test('sorts a copy', () => {
    const one = order();
    assert.deepEqual(byNumber(one), [2, 12]);
    assert.deepEqual(one, order());
  });
  test('the total', () => assert.equal(totalOf(order()), 4003));
`;

const COUNT_ONE = edit('src/orders.js', '* item.count', '* (item.count ?? 1)');

const SAY_FREE = edit(
  'src/orders.js',
  'The total of an order, in cents.',
  'The total of an order, in cents. Unknown articles cost nothing.',
);

const SAYS_FREE = /\/\*\*[^/]*(?:unknown|unlisted|not known|nothing|free)[^/]*\*\/\s*export function totalOf/i;

const SORT_A_COPY = edit('src/orders.js', 'order.items.sort(', 'order.items.toSorted(');

export const THREAD: EvalTask = {
  name: 'thread',
  about: 'a task that is only "do what this comment says"',
  base: SHOP,
  pull: ADD_ORDERS,
  discussion: [
    {
      by: 'ben',
      on: { path: 'src/orders.js', line: 14 },
      says: 'This changes the order that the caller holds. Please sort a copy.',
    },
  ],
  task: '/countersign Do what this comment says.',
  place: { inThreadOf: 0 },
  grader: { mayChange: ['src/orders.js', 'test/'], tests: { 'test/orders.test.js': COPY_TEST } },
  solution: [answering(['src/orders.js line 14', SORT_A_COPY]), says('`byNumber` sorts a copy now.')],
  mistakes: {
    'the wrong place': [
      calls(edit('src/orders.js', 'for (const item of order.items)', 'for (const item of [...order.items])')),
      says('Done.'),
    ],
  },
};

export const OPEN_COMMENTS: EvalTask = {
  name: 'open-comments',
  about: 'open review threads of three people and a resolved one: each is answered in its thread',
  base: SHOP,
  pull: ADD_ORDERS,
  discussion: [
    { by: 'ben', on: { path: 'src/orders.js', line: 14 }, says: 'Sorts in place. Please sort a copy.' },
    {
      by: 'ana',
      on: { path: 'src/orders.js', line: 5 },
      says: 'Let us call this `sumOf`.',
      resolved: true,
    },
    {
      by: 'carl',
      on: { path: 'src/orders.js', line: 7 },
      says: 'An item without a count counts as one: use `item.count ?? 1`.',
    },
    { by: 'ana', on: { path: 'src/orders.js', line: 3 }, says: 'Say that unknown articles cost nothing.' },
  ],
  task: '/countersign Address all open review comments. The resolved one is settled: the name stays.',
  grader: {
    mayChange: ['src/orders.js', 'test/'],
    tests: {
      'test/orders.test.js': COPY_TEST,
      'test/counts.test.js': nodeTest`
        import { totalOf } from '../src/orders.js';

        test('an item without a count', () => assert.equal(totalOf({ items: [{ sku: 1 }, { sku: 2, count: 0 }] }), 250));
      `,
    },
    contains: { 'src/orders.js': [SAYS_FREE] },
    lacks: { 'src/orders.js': [/sumOf/] },
    check: ({ openThreads }) => (openThreads === 0 ? [] : [`${openThreads} threads are still open`]),
  },
  solution: [
    answering(
      ['src/orders.js line 14', SORT_A_COPY],
      ['src/orders.js line 7', COUNT_ONE],
      ['src/orders.js line 3', SAY_FREE],
    ),
    says('All three comments are done.'),
  ],
  mistakes: {
    'only one of them': [calls(SORT_A_COPY), says('Done.')],
    'the settled one as well': [
      calls(
        SORT_A_COPY,
        SAY_FREE,
        edits('src/orders.js', ['* item.count', '* (item.count ?? 1)'], ['totalOf', 'sumOf']),
      ),
      says('Done.'),
    ],
    'no thread answered': [calls(SORT_A_COPY, COUNT_ONE, SAY_FREE), says('All three comments are done.')],
  },
};

export const COMMENT_ABOVE: EvalTask = {
  name: 'comment-above',
  about: 'a task that points to a comment of the conversation',
  base: {
    'package.json': nodePackage('clock'),
    'src/format.js': text`
      /** 90 is "1:30". */
      export function formatSeconds(seconds) {
        return Math.floor(seconds / 60) + ':' + (seconds % 60);
      }
    `,
  },
  pull: { title: 'Explain the clock', files: { 'README.md': '# Clock\n\nShows how long a game has lasted.\n' } },
  discussion: [
    { by: 'carl', says: 'I like the README.' },
    { by: 'ben', says: 'While you are here: 65 seconds show as `1:5`. It should be `1:05`, with two digits always.' },
    { by: 'carl', says: 'Not mine, but true.' },
  ],
  task: '/countersign Please do what Ben’s comment above asks for.',
  grader: {
    mayChange: ['src/format.js', 'test/'],
    tests: {
      'test/format.test.js': nodeTest`
        import { formatSeconds } from '../src/format.js';

        test('two digits', () => {
          assert.deepEqual([0, 65, 90, 3600].map(formatSeconds), ['0:00', '1:05', '1:30', '60:00']);
        });
      `,
    },
  },
  solution: [
    reads('src/format.js'),
    calls(edit('src/format.js', '(seconds % 60)', "String(seconds % 60).padStart(2, '0')")),
    says('Seconds have two digits now.'),
  ],
  mistakes: { 'words only': [says('Ben is right.')] },
};

export const REVIEW: EvalTask = {
  name: 'review',
  about: 'a review whose inline comments are the task',
  base: SHOP,
  pull: ADD_ORDERS,
  task: '/countersign Please do what the comments of this review say.',
  place: {
    inReviewWith: [
      { path: 'src/orders.js', line: 3, body: 'Say that unknown articles cost nothing.' },
      { path: 'src/orders.js', line: 14, body: 'Sort a copy.' },
    ],
  },
  grader: {
    mayChange: ['src/orders.js', 'test/'],
    tests: { 'test/orders.test.js': COPY_TEST },
    contains: {
      'src/orders.js': [SAYS_FREE],
    },
  },
  solution: [reads('src/orders.js'), calls(SAY_FREE, SORT_A_COPY), says('Both comments are done.')],
  mistakes: { 'only the code': [calls(SORT_A_COPY), says('Done.')] },
};
