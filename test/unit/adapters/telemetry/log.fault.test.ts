import { describe, expect, it } from 'vitest';
import { createFault, createLogger } from '../../../../src/adapters/telemetry/log.ts';
import { parseJson } from '../../../../src/lib/trust.ts';

const OPTIONS = { level: 'warn', message: 'database away', endMessage: 'database back' } as const;

/** A fault under a clock that the test moves (in seconds), and the lines of its log. */
function faulty(options: Parameters<typeof createFault>[0] = OPTIONS) {
  const lines: unknown[] = [];
  const clock = { seconds: 0 };
  const stream = { write: (line: string) => void lines.push(parseJson(line)) };
  const log = createLogger({ level: 'info', format: 'json', secrets: [], stream });
  const fault = createFault({ ...options, now: () => clock.seconds * 1_000 });
  const at = (seconds: number, action: 'fails' | 'ends'): void => {
    clock.seconds = seconds;
    if (action === 'fails') fault.failed(log, new Error('refused'), { delivery: 'd' });
    else fault.ended(log);
  };
  return { lines, at };
}

describe('a fault that lasts (O13)', () => {
  it('is logged when it begins, once a minute with its length, and when it ends', () => {
    const { lines, at } = faulty();
    for (let seconds = 0; seconds <= 150; seconds += 1) at(seconds, 'fails');
    at(151, 'ends');
    at(152, 'ends');
    expect(lines).toMatchObject([
      { msg: 'database away', delivery: 'd', err: { message: 'refused' } },
      { msg: 'database away', ms: 60_000, repeated: 59 },
      { msg: 'database away', ms: 120_000, repeated: 59 },
      { msg: 'database back', ms: 151_000 },
    ]);
    expect(lines[0]).not.toHaveProperty('ms');
  });

  it('without a message for its end is silent then, and names no length', () => {
    const { lines, at } = faulty({ level: 'error', message: 'delivery not stored' });
    at(0, 'fails');
    at(1, 'ends');
    at(61, 'fails');
    at(122, 'fails');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).not.toHaveProperty('ms');
  });
});
