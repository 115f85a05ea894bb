import { describe, expect, it } from 'vitest';
import type { QuotedId } from '../../src/command/quoted-ids.ts';
import { newPull } from '../../src/run/run.ts';
import { answered } from '../../src/run/targets.ts';
import { bigint, proposal } from '../render/sample.ts';

const ref = { installationId: 1, repositoryId: 2, owner: 'ana', repo: 'shop', number: 3 };
const comment = { kind: 'issue-comment', id: 5, nodeId: 'IC_5', url: '', createdAt: '', bodyHash: '' } as const;
const shown = proposal(bigint, { comment });
const pull = { ...newPull(ref), proposals: [shown, proposal(bigint, { id: 'm3x9' })] };
const digest = shown.change.digest.slice(0, 12);

function quoting(...quotedIds: readonly QuotedId[]) {
  return answered(pull, { place: { at: 'conversation', commentId: 9 }, quotedIds, createdAt: '' });
}

describe('S59: what a quote answers', () => {
  it('is the proposal whose change has the quoted digest', () => {
    expect(quoting({ id: 'k7q2', digest })).toBe(shown);
  });

  it('is nothing where the digest is another change’s, so that a forged line aims at nothing', () => {
    expect(quoting({ id: 'k7q2', digest: '0123456789ab' })).toBeNull();
    expect(quoting({ id: 'k7q2', digest }, { id: 'k7q2', digest: '0123456789ab' })).toBeNull();
  });

  it('is nothing where there is no such proposal, or none on the page', () => {
    expect(quoting()).toBeNull();
    expect(quoting({ id: 'z9z9', digest })).toBeNull();
    expect(quoting({ id: 'm3x9', digest })).toBeNull();
  });
});
