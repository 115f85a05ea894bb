import { describe, expect, it } from 'vitest';
import type { LoggedDelivery } from '../../../../src/core/step/ports.ts';
import { createArrivalWatch } from '../../../../src/worker/recovery/arrival-watch.ts';

const NOT_ARRIVING = 'webhooks do not arrive, they are read from the delivery log';

const ARRIVING = 'webhooks arrive again';

const SECOND = 1_000;

/** A delivery that GitHub sent `at` this second, with the response to it. */
function sent(at: number, status = 'timed out'): LoggedDelivery {
  const about = { event: 'issue_comment', action: 'created', repositoryId: 2 };
  return { id: `${at}`, guid: `g${at}`, deliveredAt: at * SECOND, acknowledged: status === 'OK', status, ...about };
}

/** A watch at second 0, and GitHub’s log. */
function scene() {
  const log: LoggedDelivery[] = [];
  const lines: (readonly [level: string, message: string, fields: Readonly<Record<string, unknown>>])[] = [];
  const clock = { now: 0 };
  let asked = 0;
  let scannedAt = 0;
  const watch = createArrivalWatch({
    log: {
      info: (fields, message) => void lines.push(['info', message, fields]),
      warn: (fields, message) => void lines.push(['warn', message, fields]),
    },
    githubTime: () => clock.now * SECOND,
  });
  /** A scan at this second; what was sent since the last one counts. */
  const scan = async (at: number, newest: readonly LoggedDelivery[] | null = log.toReversed()): Promise<void> => {
    clock.now = at;
    const lost = log.filter(({ acknowledged }) => !acknowledged);
    await watch.check(lost, scannedAt * SECOND, async () => {
      asked += 1;
      return newest;
    });
    scannedAt = at;
  };
  const arrives = (at: number): void => {
    clock.now = at;
    log.push(sent(at, 'OK'));
    watch.arrived();
  };
  return { log, lines, watch, clock, scan, arrives, asked: () => asked };
}

describe('createArrivalWatch', () => {
  it('one line for each scan that found lost webhooks alone, and one when they arrive again (O4, O13)', async () => {
    const { log, lines, scan, arrives } = scene();
    log.push(sent(10), sent(20));
    await scan(300);
    await scan(600);
    log.push(sent(700, 'Invalid HTTP Response: 502'));
    await scan(900);
    arrives(1_010);
    arrives(1_011);
    await scan(1_200);
    const fix = expect.stringContaining('Check the webhook URL’s host and port');
    expect(lines).toEqual([
      ['warn', NOT_ARRIVING, { lost: 2, status: 'timed out', ms: 290 * SECOND, fix }],
      ['warn', NOT_ARRIVING, { lost: 1, status: 'Invalid HTTP Response: 502', ms: 890 * SECOND, fix }],
      ['info', ARRIVING, { ms: 1_000 * SECOND }],
    ]);
  });

  it('a webhook that reached this process, even if it could not be stored, means that they arrive (O4)', async () => {
    const { log, lines, watch, clock, scan, asked } = scene();
    clock.now = 10;
    watch.arrived();
    log.push(sent(10, 'Invalid HTTP Response: 503'), sent(20));
    await scan(300);
    expect(lines).toEqual([]);
    expect(asked()).toBe(0);
  });

  it('a webhook that another process answered means that they arrive (O4)', async () => {
    const { log, lines, scan } = scene();
    log.push(sent(10), sent(20, 'OK'));
    await scan(300);
    expect(lines).toEqual([]);
    log.push(sent(310), sent(320));
    await scan(600);
    log.push(sent(630, 'OK'), sent(640, 'OK'));
    await scan(900);
    expect(lines.map(([, message, { ms }]) => [message, ms])).toEqual([
      [NOT_ARRIVING, 290 * SECOND],
      [ARRIVING, 320 * SECOND],
    ]);
  });

  it('asks GitHub for nothing while nothing is lost, and concludes nothing without an answer (O4)', async () => {
    const { log, lines, scan, asked } = scene();
    await scan(300);
    expect(asked()).toBe(0);
    log.push(sent(310));
    await scan(600, null);
    expect(asked()).toBe(1);
    expect(lines).toEqual([]);
  });

  it('webhooks that an earlier scan found do not count again (O4)', async () => {
    const { log, lines, scan, asked } = scene();
    log.push(sent(10), sent(20, 'OK'));
    await scan(300);
    await scan(600);
    expect(lines).toEqual([]);
    expect(asked()).toBe(1);
  });
});
