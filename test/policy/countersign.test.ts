import { describe, expect, it } from 'vitest';
import { blobSha } from '../../src/change/blob.ts';
import type { Change, Region } from '../../src/change/change.ts';
import { placeAt } from '../../src/change/region.ts';
import { encodeText } from '../../src/change/text.ts';
import { countersign } from '../../src/policy/countersign.ts';
import type { FileContent } from '../../src/policy/countersigned.ts';
import { DEFAULT_SETTINGS } from '../../src/policy/settings.ts';
import { ana, bigint, head, links, proposal, total, vote } from '../render/sample.ts';

const RULES = { ...DEFAULT_SETTINGS, author: null, requester: null };

/** Signs a change that ana approved as `shown`, from a row that now says `stored`, on this text. */
function sign(stored: Change, options: { shown?: Change; text?: string; region?: Region | null } = {}) {
  const { shown = bigint, text = total, region = stored.region } = options;
  const voted = proposal(shown, { state: 'executing', votes: [vote('approve', ana)] });
  const file = { ref: { blob: blobSha(encodeText(text)), mode: '100644' }, text } as const;
  return countersign({
    branch: 'topic',
    head,
    signings: [{ proposal: { ...voted, change: stored }, region, permissions: { [ana.id]: 'write' } }],
    files: new Map([[shown.path, file]]),
    rules: RULES,
    links,
  });
}

function blobIn(content: FileContent): string | null {
  return content.kind === 'bytes' ? blobSha(content.bytes) : null;
}

function regionOf(change: Change): Region {
  if (change.region === null) throw new Error('It has no lines.');
  return change.region;
}

describe('S92, B3: what is signed is what was shown', () => {
  it('an untouched row is signed under the digest that people saw', () => {
    const { plan, made } = sign(bigint);
    expect(made['k7q2']?.digest).toBe(bigint.digest);
    expect(plan.message).toContain(`Countersign-Digest: sha256:${bigint.digest}`);
    expect(plan.files.map(({ content }) => blobIn(content))).toEqual([bigint.result?.blob]);
  });

  it('one other line in the row, whichever, is refused', () => {
    const region = regionOf(bigint);
    for (const side of ['before', 'old', 'new', 'after'] as const) {
      const lines = region[side].map((line, at) => (at === 0 ? line.replace(/\S/, '#') : line));
      expect(lines).not.toEqual(region[side]);
      expect(() => sign({ ...bigint, region: { ...region, [side]: lines } })).toThrow('is not what was shown');
    }
  });

  it('another digest in the row is nobody’s approval, and other lines with a digest that fits them are neither', () => {
    const forged = { ...bigint, digest: 'f'.repeat(64) };
    expect(() => sign(forged)).toThrow('has not the approvals that count');
  });

  it('another path, mode or promised blob is refused', () => {
    expect(() => sign({ ...bigint, path: 'src/other.ts' })).toThrow('is not what was shown');
    const result = { blob: bigint.result?.blob ?? '', mode: '100755' } as const;
    expect(() => sign({ ...bigint, result })).toThrow('is not what was shown');
    expect(() => sign({ ...bigint, result: { blob: '0'.repeat(40), mode: '100644' } })).toThrow('other bytes');
  });

  it('what the payload says is never written', () => {
    if (bigint.payload.type !== 'edit') throw new Error('It is an edit.');
    const payload = { ...bigint.payload, new_string: 'let total = steal();' };
    const { plan } = sign({ ...bigint, payload });
    expect(plan.files.map(({ content }) => blobIn(content))).toEqual([bigint.result?.blob]);
  });

  it('lines other than those shown are refused, wherever they are to be put', () => {
    const region = { ...regionOf(bigint), new: ['  let total = 1n;\n'] };
    expect(() => sign(bigint, { region })).toThrow('would write other lines than were shown');
  });

  it('where only the context changed, the trailer has the digest of now, and the vote the one that people saw', () => {
    const text = total.replace('for (const item of items)', 'for (const one of items)');
    const region = placeAt(text, regionOf(bigint), regionOf(bigint).oldStart);
    const { plan, made } = sign(bigint, { text, region });
    const digest = made['k7q2']?.digest ?? '';
    expect(digest).not.toBe(bigint.digest);
    expect(plan.message).toContain(`Countersign-Digest: sha256:${digest}`);
  });
});
