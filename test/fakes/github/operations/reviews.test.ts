import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createReviewComment,
  deleteReviewComment,
  editReviewComment,
  replyToReviewComment,
} from '../../../../fakes/github/operations/review-comments.ts';
import { resolveReviewThread, unresolveReviewThread } from '../../../../fakes/github/operations/review-threads.ts';
import {
  createPullRequestReview,
  deletePendingReview,
  dismissPullRequestReview,
  editPullRequestReview,
  submitPullRequestReview,
} from '../../../../fakes/github/operations/reviews.ts';
import { reviewCommentPayload } from '../../../../fakes/github/payloads/pull-requests.ts';
import { findPullFileDiff } from '../../../../fakes/github/state/commits.ts';
import { BASE_TEXT, found, HEAD_TEXT, LINES, scene } from '../scene.ts';

const path = 'src/a.txt';

describe('reviews', () => {
  it('refuses a whole review for one invalid line, with the message of the reviews endpoint (C15)', () => {
    const stage = scene();
    const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
    const good = { path, line: 15, body: 'fine' };
    const refusal = (bad: Omit<typeof good, 'path' | 'body'> & { path?: string; startLine?: number; side?: 'LEFT' }) =>
      stage.refusal(createPullRequestReview, {
        ...here,
        event: 'COMMENT',
        body: 'x',
        comments: [good, { path, body: 'bad', ...bad }],
      });
    const line = 'Pull request review thread line must be part of the diff';
    expect(refusal({ line: 1 })).toMatchObject({ status: 422, message: 'Unprocessable Entity', errors: [line] });
    expect(refusal({ line: 16, side: 'LEFT' }).errors).toEqual([line]);
    expect(refusal({ line: 15, path: 'README' }).errors).toEqual(['Path could not be resolved']);
    expect(refusal({ line: 16, startLine: 2 }).errors).toEqual([
      'Pull request review thread start line must be part of the same hunk as the line.',
    ]);
    expect(refusal({ line: 16, startLine: 16 }).errors).toEqual([
      'Pull request review thread start line must precede the end line.',
    ]);
    expect(stage.pull().reviews.size + stage.pull().reviewComments.size).toBe(0);
  });

  it('a person’s review can contain replies; the webhooks are the review, then each reply (S55)', () => {
    const stage = scene();
    const here = { repositoryId: stage.repositoryId, number: stage.number };
    const commitSha = stage.pull().head.sha;
    const root = stage.apply(createReviewComment, {
      ...here,
      actor: stage.actors.bot,
      commitSha,
      path,
      line: 15,
      body: 'x',
    });
    const eventsBefore = stage.events.length;
    const replies = [{ inReplyTo: root.id, body: 'no' }];
    const review = { ...here, actor: stage.actors.ana, event: 'REQUEST_CHANGES', body: 'Not so', replies } as const;
    const made = stage.apply(createPullRequestReview, review);
    const reply = [...stage.pull().reviewComments.values()].at(-1);
    expect(reply).toMatchObject({ inReplyToId: root.id, threadId: root.id, reviewId: made.id, body: 'no' });
    const names = stage.events.slice(eventsBefore).map(({ name, action }) => `${name}.${action}`);
    expect(names).toEqual(['pull_request_review.submitted', 'pull_request_review_comment.created']);
    const below = [{ inReplyTo: reply?.id ?? 0, body: 'again' }];
    expect(stage.refusal(createPullRequestReview, { ...review, replies: below }).status).toBe(404);
    expect(
      stage.refusal(createPullRequestReview, { ...review, replies: [{ inReplyTo: root.id, body: ' ' }] }).status,
    ).toBe(422);
  });

  it('refuses a single comment with the message of the comments endpoint', () => {
    const stage = scene();
    const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
    const commitSha = stage.pull().head.sha;
    const error = stage.refusal(createReviewComment, { ...here, commitSha, path, line: 1, body: 'bad' });
    expect(error).toMatchObject({ status: 422, message: 'Validation Failed' });
    expect(error.errors).toEqual([
      {
        resource: 'PullRequestReviewComment',
        code: 'custom',
        field: 'pull_request_review_thread.line',
        message: 'pull_request_review_thread.line must be part of the diff',
      },
    ]);
    const unknown = stage.refusal(createReviewComment, {
      ...here,
      commitSha: 'f'.repeat(40),
      path,
      line: 15,
      body: 'x',
    });
    expect(unknown.status).toBe(422);
  });

  it('accepts exactly the lines of the patch, on their side', () => {
    const stage = scene();
    const patch = found(found(findPullFileDiff(stage.state().store, stage.pull(), path)).patch.text);
    const shown = linesOfPatch(patch);
    const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
    for (const side of ['LEFT', 'RIGHT'] as const) {
      for (let line = 1; line <= LINES.length + 2; line += 1) {
        const input = { ...here, event: 'COMMENT', body: 'x', comments: [{ path, line, side, body: 'y' }] } as const;
        expect([side, line, createPullRequestReview(stage.state(), input, 0).ok]).toEqual([
          side,
          line,
          shown[side].has(line),
        ]);
      }
    }
  });

  it('sends one webhook for a review and one for each of its comments', () => {
    const stage = scene();
    stage.forget();
    const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
    const comments = [
      { path, startLine: 14, line: 16, body: 'range' },
      { path, line: 15, side: 'LEFT' as const, body: 'old' },
      { path: 'src/new.txt', line: 2, body: 'new' },
    ];
    stage.apply(createPullRequestReview, { ...here, event: 'COMMENT', body: 'summary', comments });
    expect(stage.eventNames()).toEqual([
      'pull_request_review.submitted',
      ...comments.map(() => 'pull_request_review_comment.created'),
    ]);
    expect(stage.problems).toEqual([]);
    const [range, old] = [...stage.pull().reviewComments.values()].map((comment) =>
      reviewCommentPayload(stage.state(), stage.repository(), stage.pull(), comment),
    );
    expect(range).toMatchObject({ line: 16, start_line: 14, side: 'RIGHT', start_side: 'RIGHT', original_line: 16 });
    expect(range).toMatchObject({ position: 6, diff_hunk: expect.stringMatching(/^@@ -12,7 \+12,8 @@.*\n line 12\n/) });
    expect(found(range)['diff_hunk']).toMatch(/\n\+added 16$/);
    expect(old).toMatchObject({ line: 15, side: 'LEFT', start_line: null });
  });

  it('shows a pending review only to its author, who cannot review, comment or reply meanwhile', () => {
    const stage = scene();
    const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
    stage.apply(createPullRequestReview, {
      ...here,
      event: 'COMMENT',
      body: 'first',
      comments: [{ path, line: 15, body: 'root' }],
    });
    const root = found([...stage.pull().reviewComments.keys()][0]);
    stage.forget();
    const pending = stage.apply(createPullRequestReview, { ...here, comments: [{ path, line: 16, body: 'draft' }] });
    expect(stage.events).toEqual([]);
    expect(pending).toMatchObject({ state: 'PENDING', submittedAt: null });
    expect(stage.refusal(createPullRequestReview, { ...here, event: 'COMMENT', body: 'x' }).errors).toEqual([
      'User can only have one pending review per pull request',
    ]);
    const reply = stage.refusal(replyToReviewComment, { ...here, inReplyTo: root, body: 'x' });
    expect(JSON.stringify(reply.errors)).toContain('user_id can only have one pending review per pull request');
    stage.apply(submitPullRequestReview, { ...here, reviewId: pending.id, event: 'COMMENT', body: 'done' });
    expect(stage.eventNames()).toEqual(['pull_request_review.submitted', 'pull_request_review_comment.created']);
    expect(stage.refusal(deletePendingReview, { ...here, reviewId: pending.id }).status).toBe(422);
    const other = stage.apply(createPullRequestReview, { ...here, comments: [{ path, line: 17, body: 'draft' }] });
    stage.apply(deletePendingReview, { ...here, reviewId: other.id });
    expect([...stage.pull().threads.keys()].length).toBe(2);
    expect(stage.problems).toEqual([]);
  });

  it('requires a body, and lets authors neither approve nor request changes', () => {
    const stage = scene();
    const here = { actor: stage.actors.ben, repositoryId: stage.repositoryId, number: stage.number };
    const ana = { ...here, actor: stage.actors.ana };
    expect(stage.refusal(createPullRequestReview, { ...ana, event: 'COMMENT' }).status).toBe(422);
    expect(stage.refusal(createPullRequestReview, { ...ana, event: 'REQUEST_CHANGES', body: ' ' }).status).toBe(422);
    expect(stage.refusal(createPullRequestReview, { ...here, event: 'APPROVE' }).status).toBe(422);
    expect(stage.refusal(createPullRequestReview, { ...ana, event: 'COMMENT', body: 'x'.repeat(65_537) }).status).toBe(
      422,
    );
    const approved = stage.apply(createPullRequestReview, { ...ana, event: 'APPROVE' });
    const commented = stage.apply(createPullRequestReview, { ...ana, event: 'COMMENT', body: 'x' });
    stage.apply(editPullRequestReview, { ...ana, reviewId: commented.id, body: 'y' });
    stage.apply(dismissPullRequestReview, { ...here, reviewId: approved.id, message: 'no' });
    expect(stage.refusal(dismissPullRequestReview, { ...here, reviewId: commented.id, message: 'no' }).status).toBe(
      422,
    );
    expect(stage.refusal(dismissPullRequestReview, { ...here, reviewId: approved.id, message: 'no' }).status).toBe(422);
    expect(stage.eventNames().slice(-2)).toEqual(['pull_request_review.edited', 'pull_request_review.dismissed']);
    expect(stage.problems).toEqual([]);
  });

  it('wraps a reply and a single comment in a review without a body', () => {
    const stage = scene();
    const here = { actor: stage.actors.ben, repositoryId: stage.repositoryId, number: stage.number };
    const commitSha = stage.pull().head.sha;
    const root = stage.apply(createReviewComment, { ...here, commitSha, path, line: 15, body: 'root' });
    stage.forget();
    const reply = stage.apply(replyToReviewComment, { ...here, inReplyTo: root.id, body: '/approve' });
    expect(stage.eventNames()).toEqual(['pull_request_review.submitted', 'pull_request_review_comment.created']);
    expect(stage.events[0]?.payload['review']).toMatchObject({ state: 'commented', body: null });
    expect(stage.events[1]?.payload['comment']).toMatchObject({
      in_reply_to_id: root.id,
      pull_request_review_id: reply.reviewId,
    });
    expect(stage.refusal(replyToReviewComment, { ...here, inReplyTo: reply.id, body: 'x' }).status).toBe(422);
    const whole = stage.apply(createReviewComment, { ...here, commitSha, path, subjectType: 'file', body: 'file' });
    const shown = reviewCommentPayload(stage.state(), stage.repository(), stage.pull(), whole);
    expect(shown).toMatchObject({ subject_type: 'file', line: 1 });
    stage.forget();
    stage.apply(editReviewComment, { ...here, actor: stage.actors.ana, commentId: root.id, body: 'changed' });
    stage.apply(deleteReviewComment, { ...here, commentId: root.id });
    expect(stage.eventNames()).toEqual(['pull_request_review_comment.edited', 'pull_request_review_comment.deleted']);
    expect(stage.events[0]?.payload).toMatchObject({
      changes: { body: { from: 'root' } },
      sender: { login: 'ana' },
      comment: { user: { login: 'ben' } },
    });
    expect(
      stage.refusal(editReviewComment, { ...here, actor: stage.actors.eve, commentId: reply.id, body: 'x' }).status,
    ).toBe(403);
    expect(stage.problems).toEqual([]);
  });

  it('resolves and unresolves with one webhook, only with the right to do so (S53)', () => {
    const stage = scene();
    const here = { actor: stage.actors.ben, repositoryId: stage.repositoryId, number: stage.number };
    const root = stage.apply(createReviewComment, {
      ...here,
      commitSha: stage.pull().head.sha,
      path,
      line: 15,
      body: 'root',
    });
    const threadNodeId = found(stage.pull().threads.get(root.id)).nodeId;
    expect(threadNodeId).toMatch(/^PRRT_/);
    expect(stage.refusal(resolveReviewThread, { actor: stage.actors.eve, threadNodeId }).status).toBe(403);
    expect(stage.refusal(resolveReviewThread, { actor: stage.actors.ben, threadNodeId: 'PRRT_x' })).toMatchObject({
      type: 'NOT_FOUND',
    });
    stage.forget();
    stage.apply(resolveReviewThread, { actor: stage.actors.ben, threadNodeId });
    stage.apply(resolveReviewThread, { actor: stage.actors.ben, threadNodeId });
    expect(found(stage.pull().threads.get(root.id)).resolvedById).toBe(stage.actors.ben.accountId);
    stage.apply(unresolveReviewThread, { actor: stage.actors.bot, threadNodeId });
    expect(stage.eventNames()).toEqual([
      'pull_request_review_thread.resolved',
      'pull_request_review_thread.unresolved',
    ]);
    expect(stage.problems).toEqual([]);
  });
});

describe('threads after a push', () => {
  it('follow moved lines, become outdated by a changed line, and return with their lines', () => {
    const stage = scene();
    const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
    const written = stage.pull().head.sha;
    stage.apply(createPullRequestReview, {
      ...here,
      event: 'COMMENT',
      body: 'x',
      comments: [{ path, startLine: 15, line: 16, body: 'range' }],
    });
    const comment = () => {
      const pull = stage.pull();
      return reviewCommentPayload(stage.state(), stage.repository(), pull, found([...pull.reviewComments.values()][0]));
    };
    const moved = stage.push({ [path]: `top\n${HEAD_TEXT}` });
    expect(comment()).toMatchObject({
      line: 17,
      start_line: 16,
      commit_id: moved,
      original_line: 16,
      original_commit_id: written,
    });
    stage.push({ [path]: HEAD_TEXT.replace('added 16', 'other 16') });
    expect(comment()).toMatchObject({
      line: null,
      start_line: null,
      position: null,
      commit_id: moved,
      original_line: 16,
      original_position: 6,
    });
    const back = stage.push({ [path]: HEAD_TEXT });
    expect(comment()).toMatchObject({ line: 16, start_line: 15, commit_id: back });
    stage.push({ [path]: BASE_TEXT });
    expect(comment()).toMatchObject({ line: null });
    expect(stage.problems).toEqual([]);
  });

  it('refer to their original lines while current', () => {
    const words = fc.constantFrom('line 14', 'changed 15', 'added 16', 'x', 'y', 'line 16');
    const texts = fc.array(fc.array(words, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
    let current = 0;
    fc.assert(
      fc.property(texts, (pushes) => {
        const stage = scene();
        const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
        const comments = [15, 16, 17].map((line) => ({ path, line, body: String(line) }));
        stage.apply(createPullRequestReview, { ...here, event: 'COMMENT', body: 'x', comments });
        for (const lines of pushes) {
          const text = [...LINES.slice(0, 13), ...lines, ...LINES.slice(17)].join('\n');
          if (stage.file(path) !== text) stage.push({ [path]: text });
          for (const { location } of stage.pull().threads.values()) {
            if (location.kind === 'file' || location.current === null) continue;
            current += 1;
            const original = HEAD_TEXT.split('\n')[location.original.line - 1];
            expect(text.split('\n')[location.current.line - 1]).toBe(original);
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(current).toBeGreaterThan(20);
  });
});

/** The line numbers in the text of a patch. */
function linesOfPatch(patch: string): { LEFT: Set<number>; RIGHT: Set<number> } {
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
