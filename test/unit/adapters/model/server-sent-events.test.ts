import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../../../src/adapters/model/server-sent-events.ts';

async function* piecesOf(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

async function eventsOf(text: string, length = 65_536) {
  const events: Awaited<ReturnType<ReturnType<typeof readEvents>['next']>>['value'][] = [];
  for await (const event of readEvents(piecesOf(Buffer.from(text), length))) events.push(event);
  return events;
}

describe('server-sent events', () => {
  it.each([
    ['data: a\n\n', [{ name: null, data: 'a' }]],
    ['data:a\ndata:  b\n\n', [{ name: null, data: 'a\n b' }]],
    [
      'event: error\ndata: a\n\ndata: b\n\n',
      [
        { name: 'error', data: 'a' },
        { name: null, data: 'b' },
      ],
    ],
    [': comment\n\nid: 7\nretry: 1\ndatabase: x\n\n', []],
    ['data\n\n', [{ name: null, data: '' }]],
    ['data: the end has no blank line', [{ name: null, data: 'the end has no blank line' }]],
    [
      '\uFEFFdata: a\r\n\r\ndata: b\r\r',
      [
        { name: null, data: 'a' },
        { name: null, data: 'b' },
      ],
    ],
    ['', []],
  ])('of %j are its fields event and data', async (text, events) => expect(await eventsOf(text)).toEqual(events));

  it('are the same, however the bytes and the ends of lines are divided', async () => {
    const lines = fc.array(fc.constantFrom('data: 12 €👩‍👩‍👧', 'data: b', 'event: error', ': c', '', 'x: y', 'data:'));
    const end = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(lines, end, fc.integer({ min: 1, max: 9 }), async (texts, lineEnd, length) => {
        const whole = await eventsOf(texts.join('\n'));
        expect(await eventsOf(texts.join(lineEnd), length)).toEqual(whole);
      }),
    );
  });

  it.each([
    ['blank lines', '\n'.repeat(4_000_000), 65_536],
    ['comments', ':\n\n'.repeat(1_000_000), 65_536],
    ['data in one event', 'data:\n'.repeat(700_000), 65_536],
    ['one line in small pieces', `data: ${'x'.repeat(4_000_000)}`, 100],
  ])('of 4 MB of %s take less than a few seconds, and leave turns for other work (X19)', async (_, text, length) => {
    let turns = 0;
    const work = setInterval(() => {
      turns += 1;
    }, 0);
    const { user } = process.cpuUsage();
    await eventsOf(text, length);
    clearInterval(work);
    expect((process.cpuUsage().user - user) / 1_000_000).toBeLessThan(4);
    expect(turns).toBeGreaterThan(5);
  });
});
