import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { COMMAND_GRAMMAR } from '../../src/core/commands/all-commands.ts';
import { parseComment } from '../../src/core/comments/parse-comment.ts';
import { interpret } from '../../src/core/webhooks/interpret.ts';
import { parseJson } from '../../src/lib/trust.ts';
import { offloadInline } from '../../src/worker/offload/offload.ts';
import { HOSTILE_BODIES, SIZE } from '../../test/unit/core/comments/hostile-bodies.ts';
import { APP, issueComment, reviewComment } from '../../test/unit/core/webhooks/payloads.ts';
import { COMMENT_ROWS, EDIT_ROWS } from './edit-rows.ts';
import {
  type BenchmarkRow,
  longestBlockOf,
  longestOwnThreadMs,
  measureMs,
  measureOwnThreadMs,
  measurePerSecond,
} from './measure.ts';
import { WORST_CASE_CALLS } from './worst-case-calls.ts';
import { WORST_CASE_PUSHES } from './worst-case-pushes.ts';

/** A number that a script beside this one prints, measured in a process of its own. */
function runScript(script: string, key: string, ...flags: readonly string[]): number {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const written: unknown = parseJson(execFileSync(process.execPath, [...flags, file], { encoding: 'utf8' }));
  const entry = Object.entries(written ?? {}).find(([name]) => name === key);
  return Number(entry?.[1]);
}

/** What one tool call may cost, whatever its arguments are. */
export const TOOL_CALL_ROWS: readonly BenchmarkRow[] = [
  {
    name: `the longest of ${WORST_CASE_CALLS.length} usual and hostile calls: what this process's own thread has to do (H6, goal: 50)`,
    unit: 'ms',
    sample: () => longestOwnThreadMs(WORST_CASE_CALLS.map(([, call]) => call)),
  },
  {
    name: 'the same worked out, in the thread beside it for what is large',
    unit: 'ms',
    sample: () => Math.max(...WORST_CASE_CALLS.map(([, call]) => measureMs(() => call(offloadInline)))),
  },
  {
    name: 'event loop delay under them with that thread, p99 (H6, goal: 100)',
    unit: 'ms',
    sample: () => runScript('event-loop-delay.ts', 'p99'),
  },
  {
    name: 'memory for an edit of 2 MB (goal: at most 6)',
    unit: '× the file',
    sample: () => runScript('edit-memory.ts', 'times', '--expose-gc'),
  },
];

/** What a head that moved, and what people say of the largest changes, may cost until it is decided. */
const PUSH_ROWS: readonly BenchmarkRow[] = WORST_CASE_PUSHES.flatMap(([name, head]) => [
  {
    name: `${name}: the longest for which it keeps the event loop in one piece (H6, goal: 50)`,
    unit: 'ms',
    sample: () => longestBlockOf(head),
  },
  {
    name: "all that this process's own thread has to do for it, from reading the head to what is decided",
    unit: 'ms',
    sample: () => longestOwnThreadMs([head]),
  },
  {
    name: 'the same with what is worked out in the thread beside it',
    unit: 'ms',
    sample: () => measureOwnThreadMs(() => head(offloadInline)),
  },
]);

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
  { event: 'issue_comment', payload: issueComment(body), app: APP },
  { event: 'pull_request_review_comment', payload: reviewComment(body), app: APP },
]);

const HASH_INPUT = Buffer.alloc(SIZE, 'a');

/** The bodies that seem to take longest: only these are worth many repetitions. */
function findSlowestBodies(count: number): readonly string[] {
  const timed = HOSTILE_BODIES.map(([, body]) => {
    const from = performance.now();
    parseComment(COMMAND_GRAMMAR, body, APP.slug);
    return { body, time: performance.now() - from };
  });
  return timed
    .sort((one, other) => other.time - one.time)
    .slice(0, count)
    .map(({ body }) => body);
}

/** Every row; the first is the yardstick that the others of its unit are compared with. */
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
    name: 'worst comment of 65,536 characters (S63, goal: 50)',
    unit: 'ms',
    sample: () =>
      Math.max(...findSlowestBodies(5).map((body) => measureMs(() => parseComment(COMMAND_GRAMMAR, body, APP.slug)))),
  },
  ...EDIT_ROWS,
  ...COMMENT_ROWS,
  ...TOOL_CALL_ROWS,
  ...PUSH_ROWS,
];
