import { describe, expect, it } from 'vitest';
import { findAnsweredProposal } from '../../../../../src/core/commands/shared/targets.ts';
import type { QuotedId } from '../../../../../src/core/state/intent.ts';
import { createPullState } from '../../../../../src/core/state/pull-state.ts';
import { bigint, inConversation, proposal } from '../../messages/sample.ts';

const ref = { installationId: 1, repositoryId: 2, owner: 'ana', repo: 'shop', number: 3 };

const comment = { kind: 'issue-comment', id: 5, nodeId: 'IC_5', url: '', createdAt: '', bodyHash: '' } as const;

const location = { at: 'conversation', commentId: 9 } as const;

const shown = proposal(bigint, { comment, placement: inConversation });

const pull = { ...createPullState(ref), proposals: [shown, proposal(bigint, { id: 'm3x9' })] };

const digest = shown.change.digest.slice(0, 12);

function quoteOf(...quotedIds: readonly QuotedId[]) {
  return findAnsweredProposal(pull, { location, quotedIds });
}

describe('the proposal that a quote answers (S59)', () => {
  it('has a change with the quoted digest', () => {
    expect(quoteOf({ id: 'k7q2', digest })).toBe(shown);
  });

  it('is none if the digest is that of another change, so that forged id lines have no effect', () => {
    expect(quoteOf({ id: 'k7q2', digest: '0123456789ab' })).toBeNull();
    expect(quoteOf({ id: 'k7q2', digest }, { id: 'k7q2', digest: '0123456789ab' })).toBeNull();
  });

  it('is none if the proposal is unknown or not posted', () => {
    expect(quoteOf()).toBeNull();
    expect(quoteOf({ id: 'z9z9', digest })).toBeNull();
    expect(quoteOf({ id: 'm3x9', digest })).toBeNull();
  });
});
