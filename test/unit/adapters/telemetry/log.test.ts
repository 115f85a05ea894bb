import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../../src/adapters/telemetry/log.ts';
import { ModelError } from '../../../../src/core/step/model-port.ts';
import { GitHubError } from '../../../../src/core/step/ports.ts';
import { KnownFaultError } from '../../../../src/lib/outage.ts';
import { isRecord, parseJson } from '../../../../src/lib/trust.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

const token = `ghs_1234_${'a1.B-_'.repeat(80)}`;

const modelKey = 'my"model\\key';

function listen(format: 'json' | 'pretty', secrets: readonly string[] = []) {
  const lines: string[] = [];
  const stream = { write: (text: string) => void lines.push(text) };
  return { lines, log: createLogger({ level: 'debug', format, secrets, stream }) };
}

describe('log', () => {
  it.each(['json', 'pretty'] as const)('no credential reaches a %s line (I2)', (format) => {
    const { lines, log } = listen(format, [modelKey, pem]);
    const error = Object.assign(new Error(`refused ${token}`, { cause: new Error(pem) }), {
      request: { headers: { authorization: `token ${token}` } },
    });
    log.info({ deep: { token, list: [`x ${token} y`] }, url: 'postgres://ana:hunter2@db/x', modelKey }, 'event');
    log.error({ err: error }, `sent Bearer ${token}`);
    log.warn({ pem }, pem);
    const all = lines.join('');
    for (const secret of [
      token.slice(0, 20),
      token.slice(-20),
      pem.slice(60, 90),
      'hunter2',
      'model\\\\key',
      'model\\key',
    ])
      expect(all).not.toContain(secret);
    expect(all).toContain('[redacted]');
    expect(all).toContain('event');
  });

  it('keeps only name, message, stack and causes of an error', () => {
    const { lines, log } = listen('json');
    log.error(
      { err: Object.assign(new TypeError('broken', { cause: 'the disk' }), { event: 'a private comment' }) },
      'x',
    );
    expect(lines[0]).not.toContain('private comment');
    expect(parseJson(lines[0] ?? '')).toMatchObject({
      err: { type: 'TypeError', message: 'broken', cause: { message: 'the disk' } },
    });
  });

  it.each([
    ['GitHub', new GitHubError('GET /repos failed with status 502', 502, null)],
    ['the model', new ModelError('transient', 'The model endpoint is failing.', null, { cause: new Error('502') })],
    ['the database', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['the setup', new KnownFaultError('the worker is not running')],
  ])('a failure of %s has no stack, and an unknown error keeps it (O13)', (_, error) => {
    const { lines, log } = listen('json');
    log.warn({ err: error }, 'failed');
    log.warn({ err: new TypeError('a bug', { cause: error }) }, 'failed');
    expect(lines[0]).toContain(error.message);
    expect(lines[0]).not.toContain('stack');
    expect(parseJson(lines[1] ?? '')).toMatchObject({ err: { stack: expect.stringContaining('log.test.ts') } });
  });

  it('adds its fields to each line of a child, masked as everywhere (O12, I2)', () => {
    const { lines, log } = listen('json', ['a-secret-name']);
    log.child({ repo: 'acme/shop', run: 'a-secret-name' }).info({ pr: 7 }, 'decided');
    expect(parseJson(lines[0] ?? '')).toMatchObject({ repo: 'acme/shop', run: '[redacted]', pr: 7, msg: 'decided' });
  });

  it.each(['json', 'pretty'] as const)('a %s line controls no terminal, whatever an error says (C13)', (format) => {
    const { lines, log } = listen(format);
    const hostile = 'a\u001b[2J\u009b31m\r\u202eb\u2028c';
    log.error({ err: new Error(hostile), [hostile]: hostile }, 'failed');
    log.error({ err: new Error('\u001b[2J', { cause: new Error('\u009b2J\r') }) }, 'failed');
    for (const line of lines) expect(line).not.toMatch(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(lines.join('')).toContain('failed');
    if (format === 'json') expect(parseJson(lines[0] ?? '')).toMatchObject({ [hostile]: hostile });
  });

  it('writes one line for each event, with any text by strangers (C13)', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter }), { maxLength: 5 }), (texts) => {
        const { lines, log } = listen('json');
        for (const text of [...texts, '\u001b[31m\nlevel":60', 'a\r\nb\u2028c']) log.info({ text }, 'said');
        expect(lines).toHaveLength(texts.length + 2);
        for (const line of lines) {
          expect([...line.trimEnd()].filter((character) => character < ' ')).toEqual([]);
          expect(isRecord(parseJson(line))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
