import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IGNORE_REASONS } from '../../../../src/core/step/reasons.ts';
import { type Interpretation, interpret } from '../../../../src/core/webhooks/interpret.ts';
import {
  ANA,
  APP,
  BOT,
  closed,
  dismissed,
  issueComment,
  type Payload,
  pushed,
  review,
  reviewComment,
} from './payloads.ts';

const read = (event: string, payload: unknown): Interpretation => interpret({ event, payload, app: APP });

/** The reason to ignore a delivery, the kind of its intent, or the effect of its installation event. */
function outcome(event: string, payload: unknown): string {
  const interpretation = read(event, payload);
  switch (interpretation.kind) {
    case 'ignored':
      return interpretation.reason;
    case 'intent':
      return interpretation.intent.kind;
    case 'check-event':
      return interpretation.checkEvent.key;
    case 'installation-event':
      return interpretation.installationEvent.kind === 'access-lost'
        ? interpretation.installationEvent.cause
        : interpretation.installationEvent.kind;
  }
}

const PULL = { installationId: 42, repositoryId: 501, owner: 'acme', repo: 'shop', number: 12 };

const ACTOR = { id: 11, login: 'ana' };

const ID_LINE = '> **Edit** `src/total.ts` (line 3) · `k7q2`';

describe('deliveries that become an intent', () => {
  it('a command in the conversation, with all fields of the intent', () => {
    expect(read('issue_comment', issueComment('/approve k7q2'))).toEqual({
      kind: 'intent',
      intent: {
        kind: 'comment',
        pull: PULL,
        actor: ACTOR,
        location: { at: 'conversation', commentId: 7001 },
        parsed: {
          kind: 'command',
          addressedToApp: false,
          command: { name: 'approve', targets: { by: 'ids', ids: ['k7q2'] }, note: '' },
        },
        quote: null,
        reviewState: null,
        quotedIds: [],
        createdAt: '2026-11-20T10:00:00Z',
        bodyHash: createHash('sha256').update('/approve k7q2').digest('hex'),
      },
    });
  });

  it('a plain reply in any thread', () => {
    expect(read('pull_request_review_comment', reviewComment('use bigint'))).toMatchObject({
      intent: {
        kind: 'comment',
        location: {
          at: 'thread',
          commentId: 8001,
          rootId: 8000,
          reviewId: 8100,
          path: 'src/total.ts',
          line: 3,
          startLine: null,
          side: null,
          diffHunk: '@@ -1,3 +1,3 @@\n-let total = 0',
        },
        parsed: { kind: 'text', text: 'use bigint' },
      },
    });
  });

  it('a command on a line of the diff, an outdated line or a whole file', () => {
    const location = (fields: Payload): unknown => {
      const interpretation = read('pull_request_review_comment', reviewComment('@countersign fix', fields));
      return interpretation.kind === 'intent' && interpretation.intent.kind === 'comment'
        ? interpretation.intent.location
        : interpretation;
    };
    expect(location({ in_reply_to_id: undefined })).toMatchObject({ rootId: 8001, line: 3 });
    expect(location({ in_reply_to_id: null, line: null })).toMatchObject({ rootId: 8001, line: null });
    expect(location({ subject_type: 'file', line: 1 })).toMatchObject({ line: null });
    expect(location({ pull_request_review_id: null, diff_hunk: null })).toMatchObject({ reviewId: null, diffHunk: '' });
  });

  it('a command as the body of a review', () => {
    expect(read('pull_request_review', review('/approve all', { state: 'approved' }))).toMatchObject({
      intent: { kind: 'comment', location: { at: 'review', reviewId: 9001 }, createdAt: '2026-11-20T10:00:00Z' },
    });
  });

  it('the body of a review that requests changes (S55)', () => {
    expect(read('pull_request_review', review('add a test', { state: 'CHANGES_REQUESTED' }))).toMatchObject({
      intent: { kind: 'comment', reviewState: 'changes_requested', parsed: { kind: 'text', text: 'add a test' } },
    });
  });

  it('a dismissal of the App’s review (S52)', () => {
    const common = { pull: PULL, actor: ACTOR };
    expect(read('pull_request_review', dismissed())).toEqual({
      kind: 'intent',
      intent: { ...common, kind: 'dismissed', reviewId: 9100 },
    });
  });

  it('plain text below a quoted proposal (S59)', () => {
    expect(read('issue_comment', issueComment(`${ID_LINE}\n\nuse bigint`))).toMatchObject({
      intent: {
        kind: 'comment',
        quotedIds: ['k7q2'],
        parsed: { kind: 'text', text: 'use bigint' },
      },
    });
  });

  it('times are converted to UTC in whole seconds', () => {
    const at = (created_at: string): unknown => read('issue_comment', issueComment('/stop', { created_at }));
    expect(at('2026-11-20T12:00:00.900+02:00')).toMatchObject({ intent: { createdAt: '2026-11-20T10:00:00Z' } });
  });

  it('a push or a close by any account, also by a bot or the App itself', () => {
    expect(read('pull_request', pushed({ sender: { ...BOT, id: 5 } }))).toEqual({
      kind: 'intent',
      intent: {
        kind: 'pushed',
        pull: PULL,
        actor: { id: 5, login: 'countersign[bot]' },
        before: 'a'.repeat(40),
        after: 'b'.repeat(40),
      },
    });
    expect(read('pull_request', pushed({ sender: BOT }))).toMatchObject({ intent: { kind: 'pushed' } });
    expect(read('pull_request', closed(true))).toMatchObject({ intent: { kind: 'closed', merged: true } });
    expect(read('pull_request', closed(false))).toMatchObject({ intent: { kind: 'closed', merged: false } });
  });
});

describe('deliveries that are ignored, with the reason', () => {
  const noSender = { sender: null };
  it.each<readonly [string, string, unknown]>([
    ['unknown-event', 'push', { ref: 'refs/heads/main' }],
    ['ping', 'ping', { zen: 'Design for failure.', hook_id: 1 }],
    ['unknown-event', '__proto__', issueComment('/approve')],
    ['unknown-event', 'issue_comment', issueComment('/approve', {}, { action: 'pinned' })],
    ['irrelevant-edit', 'pull_request_review', review('looks good', {}, { action: 'edited' })],
    ['own-event', 'pull_request_review', review('/approve', { user: BOT }, { action: 'edited', sender: BOT })],
    ['unknown-event', 'pull_request', pushed({ action: 'labeled' })],
    ['malformed', 'issue_comment', null],
    ['malformed', 'issue_comment', { action: 'created', installation: { id: 42 }, sender: ANA }],
    ['malformed', 'issue_comment', issueComment('/approve', { id: '7001' })],
    ['malformed', 'pull_request', pushed({ after: 'main' })],
    ['malformed', 'issue_comment', issueComment('/approve', {}, { installation: undefined })],
    ['not-a-pull-request', 'issue_comment', issueComment('/approve', {}, { issue: { number: 12 } })],
    [
      'not-a-pull-request',
      'issue_comment',
      issueComment('/approve', {}, { issue: { number: 12, pull_request: null } }),
    ],
    ['not-a-person', 'issue_comment', issueComment('/approve', {}, noSender)],
    ['not-a-person', 'issue_comment', issueComment('/approve', { user: null })],
    ['own-event', 'issue_comment', issueComment('/approve', { user: BOT }, { sender: BOT })],
    [
      'own-event',
      'issue_comment',
      issueComment('/approve', {}, { sender: { ...BOT, type: 'User', login: 'renamed' } }),
    ],
    ['own-event', 'pull_request_review_comment', reviewComment('/approve', { user: BOT }, { sender: BOT })],
    // Events of the App itself are not read further.
    ['own-event', 'issue_comment', issueComment('/approve', { id: '7001', user: BOT }, { sender: BOT })],
    ['not-a-person', 'issue_comment', issueComment('/approve', { user: { ...ANA, id: 12 } })],
    ['not-a-person', 'issue_comment', issueComment('/approve', { performed_via_github_app: { id: 3, slug: 'other' } })],
    ['empty-review', 'pull_request_review', review(null)],
    ['empty-review', 'pull_request_review', review('', { state: 'changes_requested' })],
    ['not-addressed', 'pull_request_review', review('looks good', { state: 'commented' })],
    ['not-addressed', 'pull_request_review', review('looks good', { state: 'dismissed' })],
    ['malformed', 'pull_request_review', dismissed({ id: null })],
    ['not-a-person', 'pull_request_review', dismissed({}, noSender)],
    ['own-event', 'pull_request_review', dismissed({}, { sender: BOT })],
    ['bot', 'pull_request_review', dismissed({}, { sender: { ...BOT, id: 5 } })],
    ['not-addressed', 'pull_request_review', dismissed({ user: ANA })],
    ['not-addressed', 'issue_comment', issueComment('@ana use bigint')],
    ['not-addressed', 'issue_comment', issueComment('')],
    ['not-addressed', 'issue_comment', issueComment('> /approve')],
    ['not-addressed', 'pull_request_review_comment', reviewComment('use bigint', { in_reply_to_id: undefined })],
    ['not-addressed', 'pull_request_review', review(`${ID_LINE}\n\nuse bigint`)],
    ['not-addressed', 'issue_comment', issueComment('/retest')],
    ['not-addressed', 'pull_request_review_comment', reviewComment('/retest', { in_reply_to_id: undefined })],
  ])('%s: %s', (reason, event, payload) => {
    expect(outcome(event, payload)).toBe(reason);
  });

  it('an unknown command is an intent if it might be for the App (S62)', () => {
    expect(outcome('issue_comment', issueComment('/aprove'))).toBe('comment');
    expect(outcome('issue_comment', issueComment('/countersign /retest'))).toBe('comment');
    expect(outcome('pull_request_review_comment', reviewComment('/retest'))).toBe('comment');
  });

  it('the text of an approving review is dropped (A14)', () => {
    for (const body of ['', 'looks good', '@ben: very nice']) {
      expect(read('pull_request_review', review(body, { state: 'approved' }))).toMatchObject({
        intent: { kind: 'comment', reviewState: 'approved', parsed: { kind: 'text', text: '' } },
      });
    }
    for (const state of ['commented', 'changes_requested', 'dismissed']) {
      expect(outcome('pull_request_review', review('', { state }))).toBe('empty-review');
    }
  });
});

describe('only a person’s own comments count (A3, A4, A8, S68)', () => {
  it.each<readonly [string, string]>([
    ['Bot', 'bot'],
    ['Organization', 'not-a-person'],
    ['Mannequin', 'not-a-person'],
    ['SomethingNew', 'not-a-person'],
  ])('an account of type %s is ignored (A3)', (type, reason) => {
    const user = { ...ANA, login: 'evil[bot]', type };
    const sender = { sender: user };
    expect(outcome('issue_comment', issueComment('/approve', { user }, sender))).toBe(reason);
    expect(outcome('pull_request_review_comment', reviewComment('/approve', { user }, sender))).toBe(reason);
    expect(outcome('pull_request_review', review('/approve', { user }, sender))).toBe(reason);
    expect(outcome('issue_comment', issueComment('/approve', { user }, { ...sender, action: 'edited' }))).toBe(reason);
  });

  it('a person is recognized by the account type, even with the login of a bot (A3)', () => {
    const user = { ...ANA, login: 'helpful[bot]' };
    expect(outcome('issue_comment', issueComment('/approve', { user }, { sender: user }))).toBe('comment');
  });

  it('a bot is recognized by the account type, with either form of its login (A10)', () => {
    for (const login of ['evil', 'evil[bot]']) {
      const user = { ...ANA, login, type: 'Bot' };
      expect(outcome('issue_comment', issueComment('/approve', { user }, { sender: user }))).toBe('bot');
    }
  });

  it('the author association has no effect (A2)', () => {
    for (const author_association of ['OWNER', 'NONE', 'MEMBER']) {
      expect(read('issue_comment', issueComment('/approve', { author_association }))).toEqual(
        read('issue_comment', issueComment('/approve')),
      );
    }
  });
});

describe('an edit never decides (B7, S60)', () => {
  const edit = { action: 'edited', changes: { body: { from: 'hello' } } };

  it.each(['/approve', '/approve all', '/countersign do it', '@countersign do it', '/approve but', '/countersign /x'])(
    '%s becomes the intent of an edit (B7)',
    (body) => {
      const conversation = read('issue_comment', issueComment(body, {}, edit));
      expect(conversation).toMatchObject({
        intent: { kind: 'edited', location: { at: 'conversation', commentId: 7001 } },
      });
      expect(outcome('pull_request_review_comment', reviewComment(body, {}, edit))).toBe('edited');
    },
  );

  it.each(['hello', 'lgtm', '/retest', '> /approve', `${ID_LINE}\n\nuse bigint`])(
    'an edit to %j is ignored',
    (body) => {
      expect(outcome('issue_comment', issueComment(body, {}, edit))).toBe('irrelevant-edit');
      expect(outcome('pull_request_review_comment', reviewComment(body, {}, edit))).toBe('irrelevant-edit');
    },
  );

  it('the actor is the editor, not the comment’s author (B7)', () => {
    const user = { ...ANA, id: 12, login: 'bob' };
    expect(read('issue_comment', issueComment('/approve', { user }, edit))).toMatchObject({
      intent: { kind: 'edited', actor: { id: 11, login: 'ana' } },
    });
  });
});

describe('changes of the base branch and of the installation (S90b, B11, F16)', () => {
  const allPermissions = {
    id: 42,
    permissions: { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' },
  };
  const installation = (permissions: object) => ({
    ...allPermissions,
    permissions: { ...allPermissions.permissions, ...permissions },
  });
  const edited = (changes: unknown) => {
    return pushed({ action: 'edited', changes, pull_request: { number: 12, base: { ref: 'release' } } });
  };

  it('an edited pull request is an intent only if its base branch changed (B11)', () => {
    expect(read('pull_request', edited({ base: { ref: { from: 'main' }, sha: { from: 'a' } } }))).toMatchObject({
      intent: { kind: 'retargeted', from: 'main', to: 'release' },
    });
    expect(outcome('pull_request', edited({ title: { from: 'Old' } }))).toBe('irrelevant-edit');
    expect(outcome('pull_request', edited(undefined))).toBe('irrelevant-edit');
  });

  it.each([
    ['uninstalled', 'installation', { action: 'deleted', installation: allPermissions }],
    ['permissions', 'installation', { installation: installation({ contents: 'read' }) }],
    ['permissions', 'installation', { installation: installation({ pull_requests: undefined }) }],
    ['irrelevant-edit', 'installation', { installation: installation({ issues: 'write', checks: 'read' }) }],
    ['repository-removed', 'installation_repositories', { action: 'removed', repositories_removed: [{ id: 501 }] }],
    ['malformed', 'installation', { installation: { id: 42 } }],
    ['unsuspended', 'installation', { action: 'unsuspend' }],
    ['malformed', 'installation', { action: 'unsuspend', installation: { id: '42' } }],
    ['unknown-event', 'installation', { action: 'suspend' }],
    ['unknown-event', 'installation_repositories', { action: 'added' }],
  ])('%s, by %s (F16)', (expected, event, payload) => {
    const sent =
      payload === null
        ? null
        : {
            action: 'new_permissions_accepted',
            installation: allPermissions,
            sender: { ...ACTOR, type: 'User' },
            ...payload,
          };
    expect(outcome(event, sent)).toBe(expected);
  });
});

describe('any payload has exactly one outcome (F11, F12)', () => {
  const SAMPLES: readonly (readonly [string, Payload])[] = [
    ['issue_comment', issueComment('/approve k7q2')],
    ['issue_comment', issueComment('/approve', {}, { action: 'edited' })],
    ['pull_request_review_comment', reviewComment('use bigint')],
    ['pull_request_review', review('/deny no')],
    ['pull_request', pushed()],
    ['pull_request', closed(true)],
  ];

  it('unknown fields change nothing (F11)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SAMPLES), fc.jsonValue({ maxDepth: 1 }), ([event, payload], value) => {
        expect(read(event, { ...payload, organization: value, later: value })).toEqual(read(event, payload));
      }),
      { numRuns: 200 },
    );
  });

  it('every reason is unique and in kebab case (F12)', () => {
    expect(new Set(IGNORE_REASONS).size).toBe(IGNORE_REASONS.length);
    for (const reason of IGNORE_REASONS) expect(reason).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
  });
});
