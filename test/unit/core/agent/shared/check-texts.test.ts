import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checksLine,
  failedChecksMessage,
  formatCheck,
  formatCheckList,
} from '../../../../../src/core/agent/shared/check-texts.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';
import type { Check, CheckDetails } from '../../../../../src/core/state/checks.ts';
import { hostileText } from '../../messages/hostile-text.ts';

const HEAD = 'a'.repeat(40);

const HISTORY = { failedBefore: [], told: null, rounds: 0 };

function check(name: string, state: Check['state'] = 'failed'): Check {
  return { name, state, word: 'failure', url: null, nodeId: 'n', jobId: '1' };
}

function details(text: string, log: string | Uint8Array = text): CheckDetails {
  const annotations = Array.from({ length: 80 }, () => ({ path: text, line: 3, message: text }));
  return { title: text, summary: text, annotations, logEnd: Buffer.from(log) };
}

/** Lines as any reader could see them. */
const lines = (text: string): readonly string[] => text.split(/\r\n|[\n\r\u0085\u2028\u2029]/);

const logOf = (log: string | Uint8Array): readonly string[] =>
  lines(formatCheck(check('build'), details('', log))).filter((line) => line.startsWith('|'));

describe('foreign text of checks', () => {
  it('(CK11) never stands outside of its own line, and has no hidden character', () => {
    const known = /^(?:\{.*\}|\| .*|\| |What check ".*" says \(material.*|Its annotations:|The last .* of its log:)$/;
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const line of lines(formatCheck(check(text), details(text)))) expect(line).toMatch(known);
        expect(lines(checksLine({ listed: [check(text)], running: [] }))).toHaveLength(1);
        expect(lines(formatCheckList({ listed: [check(text)], running: [] }, HEAD, null))).toHaveLength(2);
      }),
      { numRuns: 200 },
    );
  });

  it('(CK2, CK5) has at most 24 kB of one check, and of all that failed together', () => {
    const long = details('é'.repeat(4_000), 'row\n'.repeat(20_000));
    expect(byteLength(formatCheck(check('build'), long))).toBeLessThanOrEqual(24_000);
    const failed = ['a', 'b', 'c', 'd'].map((name) => check(name));
    const all = new Map(failed.map((one) => [one, long]));
    const message = failedChecksMessage(HEAD, { listed: failed, running: [] }, HISTORY, all);
    expect(byteLength(message)).toBeLessThanOrEqual(24_000);
    for (const { name } of failed) expect(message).toContain(`What check "${name}" says`);
  });
});

describe('the end of a log (CK2)', () => {
  it('has at most 200 whole lines, without times, colours and links', () => {
    const row = (text: string) => `2026-01-05T09:00:00.1234567Z ${text}`;
    expect(
      logOf([row('\u001B[31mred\u001B[0m'), row('\u001B]8;;http://x\u0007link\u001B]8;;\u0007')].join('\r\n')),
    ).toEqual(['| red', '| link']);
    expect(logOf(`half a line\n${'x\n'.repeat(300)}`)).toHaveLength(200);
    expect(logOf('half a line\nwhole\n')).toEqual(['| whole']);
  });

  it('is text whatever its bytes are, and shows no secret', () => {
    const bytes = Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 7) % 256));
    for (const line of logOf(bytes)) expect(line.isWellFormed()).toBe(true);
    expect(logOf('a\ntoken ghp_0123456789abcdefghijABCDEFGHIJ012345\n').join()).not.toContain('ghp_');
  });
});
