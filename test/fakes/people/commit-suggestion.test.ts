import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommentPositionInput } from '../../../fakes/github/operations/inputs.ts';
import { createReviewComment } from '../../../fakes/github/operations/review-comments.ts';
import { commitPayload } from '../../../fakes/github/payloads/commits.ts';
import {
  type CommitSuggestionInput,
  commitSuggestion,
  parseSuggestionBlock,
  replaceLines,
} from '../../../fakes/people/commit-suggestion.ts';
import { createFixture, HEAD_TEXT, requireDefined } from '../github/fixture.ts';

const path = 'src/a.txt';

const block = (...lines: readonly string[]) => ['Better:', '````suggestion', ...lines, '````', 'because'].join('\n');

function createSuggestionFixture() {
  const fixture = createFixture();
  const { actors, repositoryId, number } = fixture;
  const target = { repositoryId, number };
  const suggest = (body: string, place: Partial<CommentPositionInput> = { line: 15 }, actor = actors.bot) =>
    fixture.apply(createReviewComment, { ...target, actor, commitSha: fixture.pull().head.sha, path, body, ...place })
      .id;
  const press = (...commentIds: readonly number[]): CommitSuggestionInput => ({
    ...target,
    actor: actors.ben,
    commentIds,
  });
  return { fixture, target, suggest, press };
}

describe('Commit suggestion', () => {
  it('commits as the person, with GitHub as committer and the bot as co-author, and resolves the thread (B10)', () => {
    const { fixture, suggest, press } = createSuggestionFixture();
    const id = suggest(block('one', 'two'), { startLine: 15, line: 16 });
    const before = fixture.pull().head.sha;
    fixture.clearEvents();
    const sha = fixture.apply(commitSuggestion, press(id));
    expect(fixture.file(path)).toBe(HEAD_TEXT.replace('changed 15\nadded 16', 'one\ntwo'));
    const { botId } = fixture.app;
    expect(commitPayload(fixture.state(), fixture.repository(), sha)).toMatchObject({
      commit: {
        message: `Apply suggestion from @countersign[bot]\n\nCo-authored-by: countersign[bot] <${botId}+countersign[bot]@users.noreply.github.com>`,
        committer: { name: 'GitHub', email: 'noreply@github.com' },
        verification: { verified: true },
      },
      author: { login: 'ben' },
      committer: { login: 'web-flow' },
      parents: [{ sha: before }],
    });
    expect(fixture.eventNames()).toEqual(['push', 'pull_request.synchronize', 'pull_request_review_thread.resolved']);
    expect(fixture.events[1]?.payload).toMatchObject({ before, after: sha, sender: { login: 'ben' } });
    expect(requireDefined(fixture.pull().threads.get(id))).toMatchObject({
      resolvedById: fixture.actors.ben.accountId,
      location: { current: null },
    });
    expect(fixture.refusal(commitSuggestion, press(id)).message).toMatch(/applied or marked resolved/);
    expect(fixture.problems).toEqual([]);
  });

  it('applies at the current lines, and several in one commit', () => {
    const { fixture, suggest, press } = createSuggestionFixture();
    const first = suggest(block('FIFTEEN'), { line: 15 });
    const second = suggest(block(), { line: 17 }, fixture.actors.ana);
    const clash = suggest(block('x'), { startLine: 14, line: 15 });
    fixture.push({ [path]: `top\n${HEAD_TEXT}` });
    expect(fixture.refusal(commitSuggestion, press(first, clash)).message).toMatch(/one suggestion per line/);
    const sha = fixture.apply(commitSuggestion, press(first, second));
    expect(fixture.file(path)).toBe(`top\n${HEAD_TEXT.replace('changed 15', 'FIFTEEN').replace('line 16\n', '')}`);
    const message = requireDefined(commitPayload(fixture.state(), fixture.repository(), sha))['commit'];
    expect(message).toMatchObject({
      message: expect.stringMatching(/^Apply suggestions from code review\n\nCo-.*\nCo-.*ana/),
    });
  });

  it('adds no final newline and preserves binary bytes (S48)', () => {
    const file = Buffer.from([0xff, 0x0a, 0x61, 0x0d, 0x0a, 0xc3]);
    const after = replaceLines(file, [{ start: 3, end: 3, lines: ['é', 'z'] }]);
    expect([...after]).toEqual([0xff, 0x0a, 0x61, 0x0d, 0x0a, 0xc3, 0xa9, 0x0a, 0x7a]);
    const line = fc.stringMatching(/^[a-c\r é]{0,3}$/);
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.boolean(),
        fc.array(line),
        fc.nat(),
        fc.nat(),
        (lines, end, put, from, size) => {
          const start = (from % lines.length) + 1;
          const last = Math.min(lines.length, start + (size % 3));
          const text = lines.join('\n') + (end ? '\n' : '');
          const expected = [...lines.slice(0, start - 1), ...put, ...lines.slice(last)].join('\n') + (end ? '\n' : '');
          const result = Buffer.from(replaceLines(Buffer.from(text), [{ start, end: last, lines: put }])).toString();
          // Deleting all lines also deletes the final newline, so that case has another result.
          if (put.length > 0 || lines.length > last - start + 1) expect(result).toBe(expected);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('suggestion blocks', () => {
  it.each([
    ['```suggestion\na\n```', ['a']],
    ['~~~ suggestion \na\n~~~', ['a']],
    ['````suggestion\n```\nb\n```\n````', ['```', 'b', '```']],
    ['```suggestion\r\na\r\n```\r\n', ['a']],
    ['```suggestion\n```', []],
    ['```suggestion\n\n```', ['']],
    ['```suggestion\nunclosed', ['unclosed']],
    ['  ```suggestion\n   a\n  ```', [' a']],
    ['```ts\n```suggestion\n```\n```suggestion\nx\n```', ['x']],
    ['```suggestion\nfirst\n```\n```suggestion\nsecond\n```', ['first']],
    ['```Suggestion\na\n```', undefined],
    ['```suggestion x\na\n```', undefined],
    ['    ```suggestion\na\n    ```', undefined],
    ['> ```suggestion\n> a\n> ```', undefined],
    ['````\n```suggestion\na\n```\n````', undefined],
    ['``suggestion\na\n``', undefined],
  ])('reads %j as %j', (body, lines) => {
    expect(parseSuggestionBlock(body)).toEqual(lines);
  });
});
