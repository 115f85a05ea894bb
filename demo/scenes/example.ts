import type { PullSource } from '../local-repository.ts';
import type { PlannedChange } from '../script.ts';
import { editCall, writeCall } from './scene-script.ts';
import { SAVED_ROW, SHOP, WHOLE_CENTS } from './shop.ts';

const TEST = `import { memberDiscount } from '../src/discount.ts';

if (memberDiscount(1234) !== 123) throw new Error('ten percent of 12.34');
`;

const TEST_PATH = 'test/discount.test.ts';

/** The task of the built-in example. */
export const EXAMPLE_TASK = 'Keep amounts whole cents, let the receipt say how much a member saves, and test it.';

/** The built-in example: a small shop, and a pull request that gives members ten percent off. */
export function createExamplePull(): PullSource {
  const { repository, pullTitle, base, head } = SHOP;
  return { name: repository, title: pullTitle, description: 'the built-in example', base, head, headTree: null };
}

/** What the scripted model proposes for the example, and how people decide on it: five changes, five ends. */
export const EXAMPLE_PLAN: readonly PlannedChange[] = [
  { path: 'src/discount.ts', line: 5, call: WHOLE_CENTS, decision: { kind: 'commit-suggestion' }, revision: null },
  { path: 'src/receipt.ts', line: 6, call: SAVED_ROW, decision: { kind: 'approve' }, revision: null },
  {
    path: 'README.md',
    line: 4,
    call: editCall(
      'README.md',
      'All amounts are whole cents.\n',
      'All amounts are whole cents.\nMembers save ten percent.\n',
      'The discount is new.',
    ),
    decision: { kind: 'approve' },
    revision: null,
  },
  {
    path: 'src/basket.ts',
    line: 7,
    call: editCall('src/basket.ts', '  member = false;\n', '  isMember = false;\n', 'It reads like a question.'),
    decision: { kind: 'deny', comment: 'the name is part of our API' },
    revision: null,
  },
  {
    path: TEST_PATH,
    line: 0,
    call: writeCall(TEST_PATH, TEST, 'The discount had no test.'),
    decision: { kind: 'instruct', comment: 'Good, but please test an amount of nothing, too.' },
    revision: writeCall(
      TEST_PATH,
      `${TEST}if (memberDiscount(0) !== 0) throw new Error('nothing');\n`,
      'The discount had no test. It now tests an amount of nothing, too.',
    ),
  },
];
