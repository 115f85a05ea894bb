import { describe, expect, it } from 'vitest';
import { contentKey, interpretListedComment } from '../../../../src/core/webhooks/interpret.ts';

const REF = { installationId: 3, repositoryId: 2, owner: 'acme', repo: 'shop', number: 5 };

const APP = { slug: 'countersign', botId: 99 };

const AT = '2026-11-21T12:00:00Z';

function listed(body: string, more: object = {}) {
  const user = { id: 7, login: 'ana', type: 'User' };
  const comment = { id: 21, user, body, created_at: AT, updated_at: AT, performed_via_github_app: null, ...more };
  return { event: 'issue_comment', comment } as const;
}

describe('a comment from GitHub’s list', () => {
  it('becomes the same intent as its webhook, with the same key (F8)', () => {
    const recovered = interpretListedComment(REF, listed('/approve k7q2'), APP);
    expect(recovered?.intent).toMatchObject({ kind: 'comment', pull: REF, actor: { id: 7 }, createdAt: AT });
    expect(recovered === null ? null : contentKey(recovered.intent)).toBe('issue-comment:21');
    const thread = { in_reply_to_id: 20, pull_request_review_id: 4, path: 'a.ts', line: 3, diff_hunk: '@@' };
    const reply = { event: 'pull_request_review_comment', comment: listed('/deny', thread).comment } as const;
    expect(interpretListedComment(REF, reply, APP)?.intent).toMatchObject({
      location: { at: 'thread', commentId: 21, rootId: 20, reviewId: 4, path: 'a.ts' },
    });
  });

  it('is an edit if it was edited since, and decides nothing (S60)', () => {
    const edited = interpretListedComment(REF, listed('/approve k7q2', { updated_at: '2026-11-21T12:00:01Z' }), APP);
    expect(edited?.intent.kind).toBe('edited');
    expect(edited === null ? null : contentKey(edited.intent)).toBeNull();
  });

  it.each([
    ['by a bot (S68)', { user: { id: 8, login: 'helper[bot]', type: 'Bot' } }],
    ['by the App itself (S68)', { user: { id: 99, login: 'countersign[bot]', type: 'Bot' } }],
    ['by an App in a person’s name (S68)', { performed_via_github_app: { id: 1 } }],
    ['by a deleted account', { user: null }],
  ])('is ignored: %s', (_, more) => {
    expect(interpretListedComment(REF, listed('/approve k7q2', more), APP)).toBeNull();
  });
});
