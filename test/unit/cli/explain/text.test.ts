import { describe, expect, it } from 'vitest';
import { eventText } from '../../../../src/cli/explain/text.ts';

const common = {
  pull: { installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop', number: 3 },
  actor: { id: 11, login: 'ana', type: 'User', viaApp: false },
} as const;

const location = { at: 'conversation', commentId: 5 } as const;

describe('events other than comments', () => {
  it.each([
    [{ kind: 'own-comment', action: 'deleted', location }, 'a comment of the App, deleted by another account'],
    [{ kind: 'pushed', before: 'abc', after: 'def' }, 'a push from abc to def'],
    [{ kind: 'retargeted', from: 'main', to: 'next' }, 'a change of the base branch from main to next'],
    [{ kind: 'closed', merged: true }, 'the pull request was merged'],
    [{ kind: 'dismissed', reviewId: 7 }, 'the App’s review 7 was dismissed'],
    [{ kind: 'thread', rootId: 8, resolved: false }, 'the review thread of comment 8 was reopened'],
  ] as const)('%j', (event, words) => {
    expect(eventText({ ...common, ...event })).toBe(words);
  });
});
