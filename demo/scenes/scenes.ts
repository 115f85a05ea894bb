import type { SourceFiles } from '../local-repository.ts';
import type { PersonName } from './people.ts';
import { editCall, type SceneScript } from './scene-script.ts';
import {
  DISCOUNT,
  DISCOUNT_LINE,
  MEMBER_ROW,
  RECEIPT_AFTER,
  ROUND_DOWN,
  SAVED_ROW,
  SHOP,
  toFiles,
  WHOLE_CENTS,
} from './shop.ts';

/** What a click of the guide does, as the person whose turn it is. */
export type SceneAct =
  | { readonly kind: 'comment'; readonly body: string }
  /** In the thread of the open change of this file; elsewhere in the conversation, with its id. */
  | { readonly kind: 'reply'; readonly path: string; readonly body: string }
  | { readonly kind: 'commit-suggestion'; readonly path: string }
  | { readonly kind: 'push'; readonly message: string; readonly files: Readonly<Record<string, string>> }
  | { readonly kind: 'look'; readonly at: 'commits' };

/** How far the pull request must be: a file's newest change waits for people, or has ended so. */
export type SceneCondition =
  | { readonly kind: 'always' }
  | { readonly kind: 'pending'; readonly paths: readonly string[] }
  | {
      readonly kind: 'ended';
      readonly path: string;
      readonly as: 'applied' | 'rejected' | 'replaced' | 'withdrawn';
      readonly count?: number;
    }
  | { readonly kind: 'approvals'; readonly count: number }
  /** So many changes of the file were proposed. */
  | { readonly kind: 'proposed'; readonly path: string; readonly count: number };

export type SceneStep = {
  readonly as: PersonName;
  /** The words on the button. */
  readonly does: string;
  /** What to look at once it is done. */
  readonly result: string;
  readonly act: SceneAct;
  readonly done: SceneCondition;
  readonly ready: SceneCondition;
};

/** The one job of the repository's CI. It fails while the file has a line with this text. */
export type SceneTest = {
  readonly name: string;
  readonly path: string;
  /** Null never fails. */
  readonly failsOn: string | null;
  readonly title: string;
  readonly log: string;
};

export type Scene = {
  readonly id: string;
  readonly title: string;
  /** One sentence: why it matters. */
  readonly why: string;
  readonly repository: string;
  readonly pullTitle: string;
  readonly pullBody: string;
  readonly base: SourceFiles;
  readonly head: SourceFiles;
  /** Null plays the model of the pull request at hand. */
  readonly script: SceneScript | null;
  /** None leave people to themselves. */
  readonly steps: readonly SceneStep[];
  /** Null has no CI. */
  readonly test: SceneTest | null;
  /** What the scripted model can do here; empty for a story. */
  readonly note: string;
};

const ALWAYS = { kind: 'always' } as const;

const DISCOUNT_AND_RECEIPT = { kind: 'pending', paths: ['src/discount.ts', 'src/receipt.ts'] } as const;

function task(as: PersonName, text: string, paths: readonly string[], result: string): SceneStep {
  const act = { kind: 'comment', body: `/countersign ${text}` } as const;
  return { as, does: 'gives the agent a task', result, act, ready: ALWAYS, done: { kind: 'pending', paths } };
}

function lookAtCommits(ready: SceneCondition): SceneStep {
  return {
    as: 'ana',
    does: 'looks at the commits',
    result:
      'Each commit of the agent names who approved it, and git alone proves that it holds the approved bytes and nothing else.',
    act: { kind: 'look', at: 'commits' },
    ready,
    done: ALWAYS,
  };
}

/** The six guided stories, in the order in which a newcomer wants to know. */
export const SCENES: readonly Scene[] = [
  {
    ...SHOP,
    id: 'approve',
    title: 'Approve, and go on',
    why: 'Nothing is pushed before a person says yes, and the commit holds exactly the bytes that were shown.',
    script: {
      says: 'Two small changes keep amounts whole and the receipt honest.',
      changes: [{ call: WHOLE_CENTS }, { call: SAVED_ROW }],
      closing: 'Amounts stay whole cents, and the receipt names what a member saves.',
    },
    note: '',
    steps: [
      task(
        'ana',
        'Keep amounts whole cents, and let the receipt say how much a member saves.',
        ['src/discount.ts', 'src/receipt.ts'],
        'The agent read the code and proposes two changes, each with its exact diff. Nothing is committed yet.',
      ),
      {
        as: 'ana',
        does: 'replies /approve to the first change',
        result: 'One commit on the branch, with “Approved-by: ana” in its message.',
        act: { kind: 'reply', path: 'src/discount.ts', body: '/approve' },
        ready: DISCOUNT_AND_RECEIPT,
        done: { kind: 'ended', path: 'src/discount.ts', as: 'applied' },
      },
      {
        as: 'ben',
        does: 'presses Commit suggestion on the second',
        result: 'GitHub’s own button counts too. The agent hears of both, and goes on.',
        act: { kind: 'commit-suggestion', path: 'src/receipt.ts' },
        ready: { kind: 'pending', paths: ['src/receipt.ts'] },
        done: { kind: 'ended', path: 'src/receipt.ts', as: 'applied' },
      },
      lookAtCommits({ kind: 'ended', path: 'src/receipt.ts', as: 'applied' }),
    ],
  },
  {
    ...SHOP,
    id: 'instruct',
    title: 'Ask for something else, then deny',
    why: 'People steer with plain words where they read the change; a no is final, and its reason reaches the agent.',
    script: {
      says: 'Below five euros there is no discount any more.',
      changes: [
        {
          call: editCall(
            'src/discount.ts',
            DISCOUNT_LINE,
            `  return cents < 500 ? 0 : (cents * MEMBER_PERCENT) / 100;\n`,
            'Small amounts get no discount.',
          ),
          again: editCall(
            'src/discount.ts',
            DISCOUNT,
            DISCOUNT.replace(
              '10;\n',
              '10;\n\n/** Below this amount members save nothing. */\nconst MEMBER_MINIMUM = 500;\n',
            ).replace(DISCOUNT_LINE, '  return cents < MEMBER_MINIMUM ? 0 : (cents * MEMBER_PERCENT) / 100;\n'),
            'The limit has a name now, as ben asked.',
          ),
        },
        {
          call: editCall(
            'src/receipt.ts',
            MEMBER_ROW,
            "  if (basket.member) rows.push('Prices for members from 5.00 on');\n",
            'Customers should know the limit.',
          ),
        },
      ],
      closing: 'The discount begins at five euros. The receipt stays as it was, as carl wished.',
    },
    note: '',
    steps: [
      task(
        'ana',
        'Members should save only from five euros on.',
        ['src/discount.ts', 'src/receipt.ts'],
        'Two changes wait. People answer them one by one.',
      ),
      {
        as: 'ben',
        does: 'replies in plain words',
        result: 'A reply without a command is an instruction: this version is not made.',
        act: { kind: 'reply', path: 'src/discount.ts', body: 'Please give the 500 a name.' },
        ready: DISCOUNT_AND_RECEIPT,
        done: { kind: 'ended', path: 'src/discount.ts', as: 'replaced' },
      },
      {
        as: 'carl',
        does: 'denies the other change, with a reason',
        result:
          'The author of the pull request may always say no. The agent gets the reason, and proposes the first change anew.',
        act: { kind: 'reply', path: 'src/receipt.ts', body: '/deny the receipt is long enough' },
        ready: { kind: 'pending', paths: ['src/receipt.ts'] },
        done: { kind: 'ended', path: 'src/receipt.ts', as: 'rejected' },
      },
      {
        as: 'ana',
        does: 'approves the new version',
        result: 'Only this version is committed. What was denied is nowhere on the branch.',
        act: { kind: 'reply', path: 'src/discount.ts', body: '/approve' },
        ready: { kind: 'pending', paths: ['src/discount.ts'] },
        done: { kind: 'ended', path: 'src/discount.ts', as: 'applied' },
      },
      lookAtCommits({ kind: 'ended', path: 'src/discount.ts', as: 'applied' }),
    ],
  },
  {
    ...SHOP,
    id: 'own-lines',
    title: 'Your own lines',
    why: 'If you know better, write the lines yourself: they are committed in your name, and the agent learns of them.',
    script: {
      says: 'One line keeps the amounts whole.',
      changes: [
        {
          call: ROUND_DOWN,
        },
      ],
      closing: 'The discount is rounded as ben wrote it.',
    },
    note: '',
    steps: [
      task('ana', 'Keep the discount whole cents.', ['src/discount.ts'], 'The agent rounds down.'),
      {
        as: 'ben',
        does: 'replies with his own lines',
        result:
          'A suggestion block in the reply replaces the agent’s lines. It was committed at once, with ben’s approval.',
        act: {
          kind: 'reply',
          path: 'src/discount.ts',
          body: 'Members should not lose by it.\n\n```suggestion\n  return Math.ceil((cents * MEMBER_PERCENT) / 100);\n```',
        },
        ready: { kind: 'pending', paths: ['src/discount.ts'] },
        done: { kind: 'ended', path: 'src/discount.ts', as: 'applied' },
      },
      lookAtCommits({ kind: 'ended', path: 'src/discount.ts', as: 'applied' }),
    ],
  },
  {
    ...SHOP,
    id: 'moved',
    title: 'The branch moves under a pending change',
    why: 'An approval is for the lines that were shown: a change that no longer fits is never applied somewhere near.',
    script: {
      says: 'Two small changes keep amounts whole and the receipt honest.',
      changes: [
        {
          call: WHOLE_CENTS,
          again: editCall(
            'src/discount.ts',
            '  return (amount * MEMBER_PERCENT) / 100;\n',
            '  return Math.round((amount * MEMBER_PERCENT) / 100);\n',
            'The same, on the lines that ben pushed.',
          ),
        },
        { call: SAVED_ROW },
      ],
      closing: 'Both changes are in, on top of ben’s push.',
    },
    note: '',
    steps: [
      task(
        'ana',
        'Keep amounts whole cents, and let the receipt say how much a member saves.',
        ['src/discount.ts', 'src/receipt.ts'],
        'Two changes wait for a decision.',
      ),
      {
        as: 'ben',
        does: 'pushes to the branch',
        result:
          'His commit rewrote the line of the first change, so it is withdrawn. The second still fits, two lines further down.',
        act: {
          kind: 'push',
          message: 'Say amount, not cents',
          files: {
            'src/discount.ts': DISCOUNT.replaceAll(/cents(?=:| \*)/g, 'amount'),
            'src/receipt.ts': `// The printer has 40 columns.\n\n${RECEIPT_AFTER}`,
          },
        },
        ready: DISCOUNT_AND_RECEIPT,
        done: { kind: 'ended', path: 'src/discount.ts', as: 'withdrawn' },
      },
      {
        as: 'ana',
        does: 'approves the change that still fits',
        result:
          'It is committed on top of ben’s push, at its new place. The agent hears of both, and proposes the first one anew.',
        act: { kind: 'reply', path: 'src/receipt.ts', body: '/approve' },
        ready: { kind: 'pending', paths: ['src/receipt.ts'] },
        done: { kind: 'ended', path: 'src/receipt.ts', as: 'applied' },
      },
      {
        as: 'ana',
        does: 'approves the new version of the other',
        result: 'Both are in, and ben’s push is untouched.',
        act: { kind: 'reply', path: 'src/discount.ts', body: '/approve' },
        ready: { kind: 'pending', paths: ['src/discount.ts'] },
        done: { kind: 'ended', path: 'src/discount.ts', as: 'applied' },
      },
      lookAtCommits({ kind: 'ended', path: 'src/discount.ts', as: 'applied' }),
    ],
  },
  {
    ...SHOP,
    id: 'checks',
    title: 'The checks fail after the commit',
    why: 'The agent sees what CI says of its own commits and proposes the fix; a person approves it like any other change.',
    test: {
      ...SHOP.test,
      failsOn: 'Math.floor',
      title: 'memberDiscount(1235) must be 124, and is 123',
      log: 'not ok 3 - rounds to the nearest cent\n  expected: 124\n  actual: 123\n1 of 4 failed\n',
    },
    script: {
      says: 'One line keeps the amounts whole.',
      changes: [{ call: ROUND_DOWN }],
      fix: {
        call: editCall(
          'src/discount.ts',
          '  return Math.floor((cents * MEMBER_PERCENT) / 100);\n',
          '  return Math.round((cents * MEMBER_PERCENT) / 100);\n',
          'The test expects the nearest cent: 123.5 is 124.',
        ),
      },
      closing: 'The discount is rounded to the nearest cent, and the checks pass.',
    },
    note: '',
    steps: [
      task('ana', 'Keep the discount whole cents.', ['src/discount.ts'], 'The agent rounds down.'),
      {
        as: 'ana',
        does: 'approves it',
        result:
          'It was committed, and CI failed on that commit. Nobody pasted a log: the agent read it, and proposes a fix.',
        act: { kind: 'reply', path: 'src/discount.ts', body: '/approve' },
        ready: { kind: 'pending', paths: ['src/discount.ts'] },
        done: { kind: 'proposed', path: 'src/discount.ts', count: 2 },
      },
      {
        as: 'ben',
        does: 'approves the fix',
        result: 'The fix is a commit of its own, and CI runs again, green this time.',
        act: { kind: 'reply', path: 'src/discount.ts', body: '/approve' },
        ready: { kind: 'pending', paths: ['src/discount.ts'] },
        done: { kind: 'ended', path: 'src/discount.ts', as: 'applied', count: 2 },
      },
      lookAtCommits({ kind: 'ended', path: 'src/discount.ts', as: 'applied', count: 2 }),
    ],
  },
  {
    id: 'two-approvals',
    title: 'Two approvals, and a late no',
    why: 'A repository decides how many people must agree; one no beats any number of yes until the commit is made.',
    repository: 'payments',
    test: SHOP.test,
    pullTitle: 'Refund in parts',
    pullBody: 'A payment can be refunded in several parts.\n\nThis repository asks for `required_approvals: 2`.',
    base: toFiles({
      '.github/countersign.yml': 'required_approvals: 2\n',
      'src/refund.ts': 'export function refund(): never {\n  throw new Error("not yet");\n}\n',
    }),
    head: toFiles({
      '.github/countersign.yml': 'required_approvals: 2\n',
      'src/refund.ts': [
        'export type Payment = { readonly card: string; readonly cents: number; refunded: number };',
        '',
        '/** Refunds a part of a payment. */',
        'export function refund(payment: Payment, cents: number): void {',
        '  payment.refunded += cents;',
        '}',
        '',
      ].join('\n'),
      'src/log.ts': [
        "import type { Payment } from './refund.ts';",
        '',
        '/** One line for each refund. */',
        'export function logRefund(payment: Payment, cents: number): string {',
        "  return 'refund ' + cents + ' of ' + payment.cents;",
        '}',
        '',
      ].join('\n'),
    }),
    script: {
      says: 'A refund cannot exceed the payment, and the log names the card.',
      changes: [
        {
          call: editCall(
            'src/refund.ts',
            '  payment.refunded += cents;\n',
            "  if (payment.refunded + cents > payment.cents) throw new Error('more than was paid');\n  payment.refunded += cents;\n",
            'Nobody gets back more than was paid.',
          ),
        },
        {
          call: editCall(
            'src/log.ts',
            "  return 'refund ' + cents + ' of ' + payment.cents;\n",
            "  return 'refund ' + cents + ' of ' + payment.cents + ' to card ' + payment.card;\n",
            'The log is easier to search.',
          ),
        },
      ],
      closing: 'The limit is in. The log stays without the card, as ben demanded.',
    },
    note: '',
    steps: [
      task(
        'ana',
        'Refuse refunds above the payment, and make the log easier to search.',
        ['src/refund.ts', 'src/log.ts'],
        'Two changes, and each needs two people.',
      ),
      {
        as: 'ana',
        does: 'approves both',
        result: 'One of two approvals: still nothing is committed.',
        act: { kind: 'comment', body: '/approve all' },
        ready: { kind: 'pending', paths: ['src/refund.ts', 'src/log.ts'] },
        done: { kind: 'approvals', count: 1 },
      },
      {
        as: 'ben',
        does: 'approves the first',
        result: 'Now two people agree, and exactly this change is committed, with both names.',
        act: { kind: 'reply', path: 'src/refund.ts', body: '/approve' },
        ready: { kind: 'pending', paths: ['src/refund.ts', 'src/log.ts'] },
        done: { kind: 'ended', path: 'src/refund.ts', as: 'applied' },
      },
      {
        as: 'ben',
        does: 'says no to the second',
        result: 'The card number never reaches the log, although ana had approved.',
        act: { kind: 'reply', path: 'src/log.ts', body: '/deny a log must not hold card numbers' },
        ready: { kind: 'pending', paths: ['src/log.ts'] },
        done: { kind: 'ended', path: 'src/log.ts', as: 'rejected' },
      },
      lookAtCommits({ kind: 'ended', path: 'src/log.ts', as: 'rejected' }),
    ],
  },
];
