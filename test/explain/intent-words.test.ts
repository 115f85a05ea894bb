import { describe, expect, it } from 'vitest';
import { eventWords } from '../../src/explain/intent-words.ts';

const common = {
  pull: { installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop', number: 3 },
  actor: { id: 11, login: 'ana', type: 'User', viaApp: false },
} as const;
const place = { at: 'conversation', commentId: 5 } as const;

describe('events that are no words', () => {
  it.each([
    [{ kind: 'own-comment', deed: 'deleted', place }, 'a comment of the App, deleted by somebody else'],
    [{ kind: 'pushed', before: 'abc', after: 'def' }, 'a push from abc to def'],
    [{ kind: 'retargeted', from: 'main', to: 'next' }, 'another base branch: next instead of main'],
    [{ kind: 'closed', merged: true }, 'the pull request was merged'],
    [{ kind: 'dismissed', reviewId: 7 }, 'the App’s review 7 was dismissed'],
    [{ kind: 'thread', rootId: 8, resolved: false }, 'the review thread of comment 8 was opened again'],
  ] as const)('%j', (event, words) => {
    expect(eventWords({ ...common, ...event })).toBe(words);
  });
});
