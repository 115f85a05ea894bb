import { describe, expect, it } from 'vitest';
import { naturalKey } from '../../src/command/natural-key.ts';
import { readListed } from '../../src/command/read-listed.ts';

const REF = { installationId: 3, repositoryId: 2, owner: 'acme', repo: 'shop', number: 5 };
const SELF = { slug: 'countersign', botId: 99 };
const AT = '2026-11-21T12:00:00Z';

function listed(body: string, more: object = {}) {
  const user = { id: 7, login: 'ana', type: 'User' };
  const comment = { id: 21, user, body, created_at: AT, updated_at: AT, performed_via_github_app: null, ...more };
  return { event: 'issue_comment', comment } as const;
}

describe('a comment as GitHub lists it', () => {
  it('F8: means what its webhook meant, under the same key', () => {
    const heard = readListed(REF, listed('/approve k7q2'), SELF);
    expect(heard?.intent).toMatchObject({ kind: 'said', pull: REF, actor: { id: 7 }, createdAt: AT });
    expect(heard === null ? null : naturalKey(heard.intent)).toBe('issue-comment:21');
    const thread = { in_reply_to_id: 20, pull_request_review_id: 4, path: 'a.ts', line: 3, diff_hunk: '@@' };
    const reply = { event: 'pull_request_review_comment', comment: listed('/deny', thread).comment } as const;
    expect(readListed(REF, reply, SELF)?.intent).toMatchObject({
      place: { at: 'thread', commentId: 21, rootId: 20, reviewId: 4, path: 'a.ts' },
    });
  });

  it('S60: is an edit where it was edited since, and decides nothing', () => {
    const edited = readListed(REF, listed('/approve k7q2', { updated_at: '2026-11-21T12:00:01Z' }), SELF);
    expect(edited?.intent.kind).toBe('edited');
    expect(edited === null ? null : naturalKey(edited.intent)).toBeNull();
  });

  it.each([
    ['S68: of a bot', { user: { id: 8, login: 'helper[bot]', type: 'Bot' } }],
    ['S68: of the App itself', { user: { id: 99, login: 'countersign[bot]', type: 'Bot' } }],
    ['S68: that an App wrote in a person’s name', { performed_via_github_app: { id: 1 } }],
    ['of an account that is gone', { user: null }],
  ])('%s means nothing', (_, more) => {
    expect(readListed(REF, listed('/approve k7q2', more), SELF)).toBeNull();
  });
});
