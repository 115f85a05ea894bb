import { createHash } from 'node:crypto';
import { interpret } from '../src/command/interpret.ts';
import { readComment } from '../src/command/read-comment.ts';
import { HOSTILE_BODIES, SIZE } from '../test/command/hostile-bodies.ts';
import { issueComment, reviewComment, SELF } from '../test/command/payloads.ts';
import { BOUND_ROWS } from './bound-rows.ts';
import { CHANGE_ROWS } from './change-rows.ts';
import { HEAD_ROWS } from './head-rows.ts';
import { cost, perSecond, type Row } from './measure.ts';
import { PAGE_ROWS } from './page-rows.ts';

/** What people write on pull requests, in about the proportions in which they do. */
const COMMENTS: readonly string[] = [
  '/approve',
  '/approve k7q2 m3x9\nThanks, that reads better.',
  '/deny the name is used by the plugin',
  '/countersign use bigint for the totals\n\n- in `src/total.ts`\n- and in its tests, please',
  'Could you keep the old name as an alias?',
  'lgtm',
  '@ana what do you think?',
  '> Change 1 of 2 · `k7q2` · digest `0123456789ab` · head `0123456`\n\n/approve',
  '> so that nobody is surprised\n\nI would rather see the error thrown.',
  '```suggestion\nconst total = 0n;\n```\nlike this',
  'I ran this on our data:\n\n```\n$ npm test\n  12 passing\n```\n\nand it works.',
  '/edit shorter, please\n\nOn Mon, Nov 16, 2026 at 9:00 AM Ana <ana@example.org> wrote:\n\n> old\n> older',
];
const DELIVERIES = COMMENTS.flatMap((body) => [
  { event: 'issue_comment', payload: issueComment(body), self: SELF },
  { event: 'pull_request_review_comment', payload: reviewComment(body), self: SELF },
]);
const BLOCK = Buffer.alloc(SIZE, 'a');

/** The bodies that seem to take longest: only these are worth many repetitions. */
function slowest(count: number): readonly string[] {
  const timed = HOSTILE_BODIES.map(([, body]) => {
    const from = performance.now();
    readComment(body, SELF.slug);
    return { body, time: performance.now() - from };
  });
  return timed
    .sort((one, other) => other.time - one.time)
    .slice(0, count)
    .map(({ body }) => body);
}

/** Every row; the first is the yardstick that the others of its unit are compared with. */
export const ROWS: readonly Row[] = [
  {
    name: 'yardstick: SHA-256 of 65,536 bytes',
    unit: 'per second',
    sample: () =>
      perSecond(() => {
        createHash('sha256').update(BLOCK).digest();
        return 1;
      }),
  },
  {
    name: 'comments parsed',
    unit: 'per second',
    sample: () =>
      perSecond(() => {
        for (const body of COMMENTS) readComment(body, SELF.slug);
        return COMMENTS.length;
      }),
  },
  {
    name: 'deliveries interpreted',
    unit: 'per second',
    sample: () =>
      perSecond(() => {
        for (const delivery of DELIVERIES) interpret(delivery);
        return DELIVERIES.length;
      }),
  },
  {
    name: 'worst comment of 65,536 characters (S63, goal: 50)',
    unit: 'ms',
    sample: () => Math.max(...slowest(5).map((body) => cost(() => readComment(body, SELF.slug)))),
  },
  ...CHANGE_ROWS,
  ...PAGE_ROWS,
  ...BOUND_ROWS,
  ...HEAD_ROWS,
];
