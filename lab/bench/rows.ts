import { createHash } from 'node:crypto';
import { COMMAND_GRAMMAR } from '../../src/core/commands/all-commands.ts';
import { parseComment } from '../../src/core/comments/parse-comment.ts';
import { interpret } from '../../src/core/webhooks/interpret.ts';
import { HOSTILE_BODIES, SIZE } from '../../test/unit/core/comments/hostile-bodies.ts';
import { APP, issueComment, reviewComment } from '../../test/unit/core/webhooks/payloads.ts';
import { type BenchmarkRow, measureMs, measurePerSecond } from './measure.ts';

/** Comments of a typical mix on pull requests. */
const COMMENTS: readonly string[] = [
  '/approve',
  '/approve k7q2 m3x9\nThanks, that reads better.',
  '/deny the name is used by the plugin',
  '/countersign use bigint for the totals\n\n- in `src/total.ts`\n- and in its tests, please',
  'Could you keep the old name as an alias?',
  'lgtm',
  '@ana what do you think?',
  '> **Edit** `src/total.ts` (line 3) · `k7q2`\n\n/approve',
  '> so that nobody is surprised\n\nI would rather see the error thrown.',
  '```suggestion\nconst total = 0n;\n```\nlike this',
  'I ran this on our data:\n\n```\n$ npm test\n  12 passing\n```\n\nand it works.',
  '/edit shorter, please\n\nOn Mon, Nov 16, 2026 at 9:00 AM Ana <ana@example.org> wrote:\n\n> old\n> older',
];

const DELIVERIES = COMMENTS.flatMap((body) => [
  { event: 'issue_comment', payload: issueComment(body), app: APP },
  { event: 'pull_request_review_comment', payload: reviewComment(body), app: APP },
]);

const HASH_INPUT = Buffer.alloc(SIZE, 'a');

/** The slowest bodies by one measurement each, so that only these are measured many times. */
function findSlowestBodies(count: number): readonly string[] {
  const timed = HOSTILE_BODIES.map(([, body]) => {
    const startedAt = performance.now();
    parseComment(COMMAND_GRAMMAR, body, APP.slug);
    return { body, ms: performance.now() - startedAt };
  });
  return timed
    .sort((left, right) => right.ms - left.ms)
    .slice(0, count)
    .map(({ body }) => body);
}

/** All rows of the benchmark. The first is the yardstick of the rows with its unit. */
export const ROWS: readonly BenchmarkRow[] = [
  {
    name: 'yardstick: SHA-256 of 65,536 bytes',
    unit: 'per second',
    sample: () =>
      measurePerSecond(() => {
        createHash('sha256').update(HASH_INPUT).digest();
        return 1;
      }),
  },
  {
    name: 'comments parsed',
    unit: 'per second',
    sample: () =>
      measurePerSecond(() => {
        for (const body of COMMENTS) parseComment(COMMAND_GRAMMAR, body, APP.slug);
        return COMMENTS.length;
      }),
  },
  {
    name: 'deliveries interpreted',
    unit: 'per second',
    sample: () =>
      measurePerSecond(() => {
        for (const delivery of DELIVERIES) interpret(delivery);
        return DELIVERIES.length;
      }),
  },
  {
    name: 'slowest comment of 65,536 characters, parsed (S63, goal: 50)',
    unit: 'ms',
    sample: () =>
      Math.max(...findSlowestBodies(5).map((body) => measureMs(() => parseComment(COMMAND_GRAMMAR, body, APP.slug)))),
  },
];
