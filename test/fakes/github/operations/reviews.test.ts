import { describe, expect, it } from 'vitest';
import { createReviewComment } from '../../../../fakes/github/operations/review-comments.ts';
import { resolveReviewThread, unresolveReviewThread } from '../../../../fakes/github/operations/review-threads.ts';
import { createPullRequestReview } from '../../../../fakes/github/operations/reviews.ts';
import { reviewCommentPayload } from '../../../../fakes/github/payloads/pull-requests.ts';
import { findPullFileDiff } from '../../../../fakes/github/state/commits.ts';
import { BASE_TEXT, createFixture, HEAD_TEXT, LINES, requireDefined } from '../fixture.ts';

const path = 'src/a.txt';

describe('reviews', () => {
  it('refuses a whole review for one invalid line, with the message of the reviews endpoint (C15)', () => {
    const fixture = createFixture();
    const target = { actor: fixture.actors.bot, repositoryId: fixture.repositoryId, number: fixture.number };
    const good = { path, line: 15, body: 'fine' };
    const refusal = (bad: Omit<typeof good, 'path' | 'body'> & { path?: string; startLine?: number; side?: 'LEFT' }) =>
      fixture.refusal(createPullRequestReview, {
        ...target,
        event: 'COMMENT',
        body: 'x',
        comments: [good, { path, body: 'bad', ...bad }],
      });
    const line = 'Line could not be resolved';
    expect(refusal({ line: 1 })).toMatchObject({ status: 422, message: 'Unprocessable Entity', errors: [line] });
    expect(refusal({ line: 16, side: 'LEFT' }).errors).toEqual([line]);
    expect(refusal({ line: 15, path: 'README' }).errors).toEqual(['Path could not be resolved']);
    expect(refusal({ line: 16, startLine: 2 }).errors).toEqual([
      'Pull request review thread start line must be part of the same hunk as the line.',
    ]);
    expect(refusal({ line: 16, startLine: 16 }).errors).toEqual([
      'Pull request review thread start line must precede the end line.',
    ]);
    expect(fixture.pull().reviews.size + fixture.pull().reviewComments.size).toBe(0);
  });

  it('a person’s review can contain replies; the webhooks are the review, then each reply (S55)', () => {
    const fixture = createFixture();
    const target = { repositoryId: fixture.repositoryId, number: fixture.number };
    const commitSha = fixture.pull().head.sha;
    const root = fixture.apply(createReviewComment, {
      ...target,
      actor: fixture.actors.bot,
      commitSha,
      path,
      line: 15,
      body: 'x',
    });
    const eventsBefore = fixture.events.length;
    const replies = [{ inReplyTo: root.id, body: 'no' }];
    const review = { ...target, actor: fixture.actors.ana, event: 'REQUEST_CHANGES', body: 'Not so', replies } as const;
    const posted = fixture.apply(createPullRequestReview, review);
    const reply = [...fixture.pull().reviewComments.values()].at(-1);
    expect(reply).toMatchObject({ inReplyToId: root.id, threadId: root.id, reviewId: posted.id, body: 'no' });
    const names = fixture.events.slice(eventsBefore).map(({ name, action }) => `${name}.${action}`);
    expect(names).toEqual(['pull_request_review.submitted', 'pull_request_review_comment.created']);
    const below = [{ inReplyTo: reply?.id ?? 0, body: 'again' }];
    expect(fixture.refusal(createPullRequestReview, { ...review, replies: below }).status).toBe(404);
    expect(
      fixture.refusal(createPullRequestReview, { ...review, replies: [{ inReplyTo: root.id, body: ' ' }] }).status,
    ).toBe(422);
  });

  it('accepts exactly the lines of the patch, on their side', () => {
    const fixture = createFixture();
    const patch = requireDefined(
      requireDefined(findPullFileDiff(fixture.state().store, fixture.pull(), path)).patch.text,
    );
    const shown = parsePatchLines(patch);
    const target = { actor: fixture.actors.bot, repositoryId: fixture.repositoryId, number: fixture.number };
    for (const side of ['LEFT', 'RIGHT'] as const) {
      for (let line = 1; line <= LINES.length + 2; line += 1) {
        const input = { ...target, event: 'COMMENT', body: 'x', comments: [{ path, line, side, body: 'y' }] } as const;
        expect([side, line, createPullRequestReview(fixture.state(), input, 0).ok]).toEqual([
          side,
          line,
          shown[side].has(line),
        ]);
      }
    }
  });

  it('sends one webhook for a review and one for each of its comments', () => {
    const fixture = createFixture();
    fixture.clearEvents();
    const target = { actor: fixture.actors.bot, repositoryId: fixture.repositoryId, number: fixture.number };
    const comments = [
      { path, startLine: 14, line: 16, body: 'range' },
      { path, line: 15, side: 'LEFT' as const, body: 'old' },
      { path: 'src/new.txt', line: 2, body: 'new' },
    ];
    fixture.apply(createPullRequestReview, { ...target, event: 'COMMENT', body: 'summary', comments });
    expect(fixture.eventNames()).toEqual([
      'pull_request_review.submitted',
      ...comments.map(() => 'pull_request_review_comment.created'),
    ]);
    expect(fixture.problems).toEqual([]);
    const [range, old] = [...fixture.pull().reviewComments.values()].map((comment) =>
      reviewCommentPayload(fixture.state(), fixture.repository(), fixture.pull(), comment),
    );
    expect(range).toMatchObject({ line: 16, start_line: 14, side: 'RIGHT', start_side: 'RIGHT', original_line: 16 });
    expect(range).toMatchObject({ position: 6, diff_hunk: expect.stringMatching(/^@@ -12,7 \+12,8 @@.*\n line 12\n/) });
    expect(requireDefined(range)['diff_hunk']).toMatch(/\n\+added 16$/);
    expect(old).toMatchObject({ line: 15, side: 'LEFT', start_line: null });
  });

  it('resolves and unresolves with one webhook, only with the right to do so (S53)', () => {
    const fixture = createFixture();
    const target = { actor: fixture.actors.ben, repositoryId: fixture.repositoryId, number: fixture.number };
    const root = fixture.apply(createReviewComment, {
      ...target,
      commitSha: fixture.pull().head.sha,
      path,
      line: 15,
      body: 'root',
    });
    const threadNodeId = requireDefined(fixture.pull().threads.get(root.id)).nodeId;
    expect(threadNodeId).toMatch(/^PRRT_/);
    expect(fixture.refusal(resolveReviewThread, { actor: fixture.actors.eve, threadNodeId }).status).toBe(403);
    expect(fixture.refusal(resolveReviewThread, { actor: fixture.actors.ben, threadNodeId: 'PRRT_x' })).toMatchObject({
      type: 'NOT_FOUND',
    });
    fixture.clearEvents();
    fixture.apply(resolveReviewThread, { actor: fixture.actors.ben, threadNodeId });
    fixture.apply(resolveReviewThread, { actor: fixture.actors.ben, threadNodeId });
    expect(requireDefined(fixture.pull().threads.get(root.id)).resolvedById).toBe(fixture.actors.ben.accountId);
    fixture.apply(unresolveReviewThread, { actor: fixture.actors.bot, threadNodeId });
    expect(fixture.eventNames()).toEqual([
      'pull_request_review_thread.resolved',
      'pull_request_review_thread.unresolved',
    ]);
    expect(fixture.problems).toEqual([]);
  });
});

describe('threads after a push', () => {
  it('follow moved lines, become outdated by a changed line, and are current again when it is restored', () => {
    const fixture = createFixture();
    const target = { actor: fixture.actors.bot, repositoryId: fixture.repositoryId, number: fixture.number };
    const written = fixture.pull().head.sha;
    fixture.apply(createPullRequestReview, {
      ...target,
      event: 'COMMENT',
      body: 'x',
      comments: [{ path, startLine: 15, line: 16, body: 'range' }],
    });
    const comment = () => {
      const pull = fixture.pull();
      return reviewCommentPayload(
        fixture.state(),
        fixture.repository(),
        pull,
        requireDefined([...pull.reviewComments.values()][0]),
      );
    };
    const moved = fixture.push({ [path]: `top\n${HEAD_TEXT}` });
    expect(comment()).toMatchObject({
      line: 17,
      start_line: 16,
      commit_id: moved,
      original_line: 16,
      original_commit_id: written,
    });
    fixture.push({ [path]: HEAD_TEXT.replace('added 16', 'other 16') });
    expect(comment()).toMatchObject({
      line: null,
      start_line: null,
      position: null,
      commit_id: moved,
      original_line: 16,
      original_position: 6,
    });
    const back = fixture.push({ [path]: HEAD_TEXT });
    expect(comment()).toMatchObject({ line: 16, start_line: 15, commit_id: back });
    fixture.push({ [path]: BASE_TEXT });
    expect(comment()).toMatchObject({ line: null });
    expect(fixture.problems).toEqual([]);
  });
});

/** Returns the line numbers on both sides of a patch. */
function parsePatchLines(patch: string): { LEFT: Set<number>; RIGHT: Set<number> } {
  const shown = { LEFT: new Set<number>(), RIGHT: new Set<number>() };
  let left = 0;
  let right = 0;
  for (const row of patch.split('\n')) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(row);
    if (header !== null) {
      left = Number(header[1]);
      right = Number(header[2]);
    } else if (row.startsWith('-')) shown.LEFT.add(left++);
    else if (row.startsWith('+')) shown.RIGHT.add(right++);
    else if (row.startsWith(' ')) {
      left += 1;
      shown.RIGHT.add(right++);
    }
  }
  return shown;
}
