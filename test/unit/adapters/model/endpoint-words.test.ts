import { describe, expect, it } from 'vitest';
import { endpointWords } from '../../../../src/adapters/model/endpoint-words.ts';
import type { TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';

const SENT = { apiKey: 'k3y-of-the-endpoint', messages: [{ role: 'user', content: 'x'.repeat(50) }] } as const;

describe('endpointWords', () => {
  it.each([
    ['the key', 'bad key k3y-of-the-endpoint!', 'bad key [key]!'],
    ['a masked key', 'bad key k3y-****************oint.', 'bad key [key].'],
    ['a key of another account', 'bad key sk-canary-0123456789', 'bad key [redacted]'],
  ])('does not keep %s (O14)', (_, text, words) => {
    expect(endpointWords(text, SENT)).toBe(words);
  });

  it('is one line of at most 500 characters (O14, S166)', () => {
    expect(endpointWords('not\n\tfound\u0000\u202e!', SENT)).toBe('not found !');
    expect(endpointWords('ab '.repeat(100_000), SENT)).toMatch(/^(?:ab )+ab? ?…$/);
    expect(endpointWords('ab '.repeat(100_000), SENT).length).toBeLessThanOrEqual(500);
  });

  it.each(['a', '-', '7*', 'sk-', ' ', '@'])('of a million characters like %j take linear time (O14, H12)', (unit) => {
    const seconds = cpuSeconds(() => endpointWords(unit.repeat(1_000_000 / unit.length), SENT));
    expect(seconds).toBeLessThan(2);
  });

  it.each(['content', 'arguments', 'opaque members'])(
    'does not quote the request’s %s, at any place (O14)',
    (where) => {
      const secret = 'the quick brown fox jumps over it';
      const call = { id: 'a', name: 'write_file', arguments: `{"content":"${secret}"}` };
      const opaque = { model: 'm', endpoint: 'e', message: { details: [{ text: secret }] }, calls: {} };
      const messages: Readonly<Record<string, TranscriptMessage>> = {
        content: { role: 'user', content: `before ${secret} after` },
        arguments: { role: 'assistant', content: null, toolCalls: [call] },
        'opaque members': { role: 'assistant', content: null, toolCalls: [], opaque },
      };
      const message = messages[where] ?? { role: 'user', content: '' };
      for (let shift = 0; shift < 20; shift += 1) {
        const words = endpointWords(`${'-'.repeat(shift)} invalid: ${secret}; this value is unknown`, {
          ...SENT,
          messages: [message],
        });
        expect(words).toContain('[…]');
        expect(words).toContain('is unknown');
        expect(words).not.toMatch(/quick|brown|fox|jumps/);
      }
    },
  );

  it('keeps short words that the request has too (O14)', () => {
    const messages = [{ role: 'user', content: 'the model does not exist' }] as const;
    expect(endpointWords('model does not', { apiKey: null, messages })).toBe('model does not');
  });
});
