import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IGNORE_REASONS } from '../../src/command/ignore-reason.ts';
import { type Interpretation, interpret } from '../../src/command/interpret.ts';
import {
  ANA,
  BOT,
  closed,
  dismissed,
  issueComment,
  type Payload,
  pushed,
  review,
  reviewComment,
  SELF,
  thread,
} from './payloads.ts';

const read = (event: string, payload: unknown): Interpretation => interpret({ event, payload, self: SELF });

/** The reason for doing nothing, or the kind of the intent; of a notice what is lost. */
function outcome(event: string, payload: unknown): string {
  const meaning = read(event, payload);
  switch (meaning.kind) {
    case 'nothing':
      return meaning.reason;
    case 'intent':
      return meaning.intent.kind;
    case 'notice':
      return meaning.notice.kind === 'access-lost' ? meaning.notice.loss : meaning.notice.kind;
  }
}

const PULL = { installationId: 42, repositoryId: 501, owner: 'acme', repo: 'shop', number: 12 };
const ACTOR = { id: 11, login: 'ana', type: 'User', viaApp: false };
const ID_LINE = '> Change 1 of 1 · `k7q2` · digest `0123456789ab` · head `0a1b2c3`';

describe('what becomes an intent', () => {
  it('a command in the conversation, with everything that the store needs', () => {
    expect(read('issue_comment', issueComment('/approve k7q2'))).toEqual({
      kind: 'intent',
      intent: {
        kind: 'said',
        pull: PULL,
        actor: ACTOR,
        place: { at: 'conversation', commentId: 7001 },
        utterance: {
          kind: 'command',
          addressed: false,
          command: { name: 'approve', targets: { by: 'ids', ids: ['k7q2'] }, note: '' },
        },
        reviewState: null,
        quotedIds: [],
        createdAt: '2026-11-20T10:00:00Z',
        bodyHash: createHash('sha256').update('/approve k7q2').digest('hex'),
      },
    });
  });

  it('a plain reply in a thread, whoever the thread belongs to', () => {
    expect(read('pull_request_review_comment', reviewComment('use bigint'))).toMatchObject({
      intent: {
        kind: 'said',
        place: {
          at: 'thread',
          commentId: 8001,
          rootId: 8000,
          reviewId: 8100,
          path: 'src/total.ts',
          line: 3,
          diffHunk: '@@ -1,3 +1,3 @@\n-let total = 0',
        },
        utterance: { kind: 'remark', text: 'use bigint' },
      },
    });
  });

  it('a command on a line of the diff, an outdated line or a whole file', () => {
    const place = (fields: Payload): unknown => {
      const meaning = read('pull_request_review_comment', reviewComment('@countersign fix', fields));
      return meaning.kind === 'intent' && meaning.intent.kind === 'said' ? meaning.intent.place : meaning;
    };
    expect(place({ in_reply_to_id: undefined })).toMatchObject({ rootId: 8001, line: 3 });
    expect(place({ in_reply_to_id: null, line: null })).toMatchObject({ rootId: 8001, line: null });
    expect(place({ subject_type: 'file', line: 1 })).toMatchObject({ line: null });
    expect(place({ pull_request_review_id: null, diff_hunk: null })).toMatchObject({ reviewId: null, diffHunk: '' });
  });

  it('a command as the body of a review', () => {
    expect(read('pull_request_review', review('/approve all', { state: 'approved' }))).toMatchObject({
      intent: { kind: 'said', place: { at: 'review', reviewId: 9001 }, createdAt: '2026-11-20T10:00:00Z' },
    });
  });

  it('S55: the words of a review that asks for changes', () => {
    expect(read('pull_request_review', review('add a test', { state: 'CHANGES_REQUESTED' }))).toMatchObject({
      intent: { kind: 'said', reviewState: 'changes_requested', utterance: { kind: 'remark', text: 'add a test' } },
    });
  });

  it('S52, S53: a dismissal of our review, and a thread by its first comment', () => {
    const common = { pull: PULL, actor: ACTOR };
    expect(read('pull_request_review', dismissed())).toEqual({
      kind: 'intent',
      intent: { ...common, kind: 'dismissed', reviewId: 9100 },
    });
    for (const resolved of [true, false]) {
      expect(read('pull_request_review_thread', thread(resolved ? 'resolved' : 'unresolved'))).toEqual({
        kind: 'intent',
        intent: { ...common, kind: 'thread', rootId: 8000, resolved },
      });
    }
  });

  it('S59: plain words below a quote of ours', () => {
    expect(read('issue_comment', issueComment(`${ID_LINE}\n\nuse bigint`))).toMatchObject({
      intent: {
        kind: 'said',
        quotedIds: [{ id: 'k7q2', digest: '0123456789ab' }],
        utterance: { kind: 'remark', text: 'use bigint' },
      },
    });
  });

  it('times are kept in whole seconds of UTC', () => {
    const at = (created_at: string): unknown => read('issue_comment', issueComment('/stop', { created_at }));
    expect(at('2026-11-20T12:00:00.900+02:00')).toMatchObject({ intent: { createdAt: '2026-11-20T10:00:00Z' } });
  });

  it('pushes and closings, by bots too: the App’s own push may have come through another pull request', () => {
    expect(read('pull_request', pushed({ sender: { ...BOT, id: 5 } }))).toEqual({
      kind: 'intent',
      intent: {
        kind: 'pushed',
        pull: PULL,
        actor: { id: 5, login: 'countersign[bot]', type: 'Bot', viaApp: false },
        before: 'a'.repeat(40),
        after: 'b'.repeat(40),
      },
    });
    expect(read('pull_request', pushed({ sender: BOT }))).toMatchObject({ intent: { kind: 'pushed' } });
    expect(read('pull_request', closed(true))).toMatchObject({ intent: { kind: 'closed', merged: true } });
    expect(read('pull_request', closed(false))).toMatchObject({ intent: { kind: 'closed', merged: false } });
  });
});

describe('what means nothing, and why', () => {
  const nobody = { sender: null };
  it.each<readonly [string, string, unknown]>([
    ['unknown-event', 'push', { ref: 'refs/heads/main' }],
    ['unknown-event', '__proto__', issueComment('/approve')],
    ['unknown-event', 'constructor', issueComment('/approve')],
    ['unknown-action', 'issue_comment', issueComment('/approve', {}, { action: 'pinned' })],
    ['unknown-action', 'issue_comment', issueComment('/approve', {}, { action: 'constructor' })],
    ['harmless-edit', 'pull_request_review', review('looks good', {}, { action: 'edited' })],
    ['own-event', 'pull_request_review', review('/approve', { user: BOT }, { action: 'edited', sender: BOT })],
    ['unknown-action', 'pull_request', pushed({ action: 'opened' })],
    ['malformed', 'issue_comment', null],
    ['malformed', 'issue_comment', []],
    ['malformed', 'issue_comment', { action: 'created', installation: { id: 42 }, sender: ANA }],
    ['malformed', 'issue_comment', issueComment('/approve', { id: '7001' })],
    ['malformed', 'issue_comment', issueComment('/approve', { created_at: 'yesterday' })],
    ['malformed', 'pull_request_review', review('/approve', { submitted_at: null })],
    ['malformed', 'pull_request', pushed({ after: 'main' })],
    ['no-installation', 'issue_comment', issueComment('/approve', {}, { installation: undefined })],
    ['no-installation', 'pull_request', closed(true, { installation: null })],
    ['not-a-pull-request', 'issue_comment', issueComment('/approve', {}, { issue: { number: 12 } })],
    [
      'not-a-pull-request',
      'issue_comment',
      issueComment('/approve', {}, { issue: { number: 12, pull_request: null } }),
    ],
    ['no-actor', 'issue_comment', issueComment('/approve', {}, nobody)],
    ['no-actor', 'issue_comment', issueComment('/approve', { user: null })],
    ['no-actor', 'pull_request_review', review('/approve', { user: null })],
    ['no-actor', 'pull_request', pushed(nobody)],
    ['no-actor', 'pull_request', closed(true, nobody)],
    ['own-event', 'issue_comment', issueComment('/approve', { user: BOT }, { sender: BOT })],
    [
      'own-event',
      'issue_comment',
      issueComment('/approve', {}, { sender: { ...BOT, type: 'User', login: 'renamed' } }),
    ],
    ['own-event', 'pull_request_review_comment', reviewComment('/approve', { user: BOT }, { sender: BOT })],
    ['another-hand', 'issue_comment', issueComment('/approve', { user: { ...ANA, id: 12 } })],
    ['via-app', 'issue_comment', issueComment('/approve', { performed_via_github_app: { id: 3, slug: 'other' } })],
    ['empty-review', 'pull_request_review', review(null)],
    ['empty-review', 'pull_request_review', review(' \r\n')],
    ['empty-review', 'pull_request_review', review('', { state: 'changes_requested' })],
    ['not-addressed', 'pull_request_review', review('looks good', { state: 'commented' })],
    ['not-addressed', 'pull_request_review', review('looks good', { state: 'dismissed' })],
    ['malformed', 'pull_request_review', dismissed({ id: null })],
    ['no-actor', 'pull_request_review', dismissed({}, nobody)],
    ['own-event', 'pull_request_review', dismissed({}, { sender: BOT })],
    ['bot', 'pull_request_review', dismissed({}, { sender: { ...BOT, id: 5 } })],
    ['not-our-review', 'pull_request_review', dismissed({ user: ANA })],
    ['not-our-review', 'pull_request_review', dismissed({ user: null })],
    ['malformed', 'pull_request_review_thread', { ...thread('resolved'), thread: {} }],
    ['malformed', 'pull_request_review_thread', { ...thread('resolved'), thread: { comments: [] } }],
    ['no-actor', 'pull_request_review_thread', thread('resolved', nobody)],
    ['no-actor', 'pull_request_review_thread', thread('resolved', { sender: undefined })],
    ['own-event', 'pull_request_review_thread', thread('resolved', { sender: BOT })],
    ['bot', 'pull_request_review_thread', thread('resolved', { sender: { ...BOT, id: 5 } })],
    ['not-a-person', 'pull_request_review_thread', thread('unresolved', { sender: { ...ANA, type: 'Organization' } })],
    ['not-addressed', 'issue_comment', issueComment('use bigint')],
    ['not-addressed', 'issue_comment', issueComment('')],
    ['not-addressed', 'issue_comment', issueComment('lgtm')],
    ['not-addressed', 'issue_comment', issueComment('> /approve')],
    ['not-addressed', 'pull_request_review_comment', reviewComment('use bigint', { in_reply_to_id: undefined })],
    ['not-addressed', 'pull_request_review', review(`${ID_LINE}\n\nuse bigint`)],
    ['other-command', 'issue_comment', issueComment('/retest')],
    ['other-command', 'pull_request_review', review('/lgtm')],
    ['other-command', 'pull_request_review_comment', reviewComment('/retest', { in_reply_to_id: undefined })],
  ])('%s: %s', (reason, event, payload) => {
    expect(outcome(event, payload)).toBe(reason);
  });

  it('S62: an unknown command is heard where it may be meant for us', () => {
    expect(outcome('issue_comment', issueComment('/aprove'))).toBe('said');
    expect(outcome('issue_comment', issueComment('/countersign /retest'))).toBe('said');
    expect(outcome('pull_request_review_comment', reviewComment('/retest'))).toBe('said');
  });

  it('A14: of a plain review approval nothing is kept but that it was one', () => {
    for (const body of ['', 'looks good', '@ben: very nice']) {
      expect(read('pull_request_review', review(body, { state: 'approved' }))).toMatchObject({
        intent: { kind: 'said', reviewState: 'approved', utterance: { kind: 'remark', text: '' } },
      });
    }
    for (const state of ['commented', 'changes_requested', 'dismissed']) {
      expect(outcome('pull_request_review', review('', { state }))).toBe('empty-review');
    }
  });
});

describe('A3, A4, A8, S68: only a person who speaks for themselves is heard', () => {
  it.each<readonly [string, string]>([
    ['Bot', 'bot'],
    ['Organization', 'not-a-person'],
    ['Mannequin', 'not-a-person'],
    ['SomethingNew', 'not-a-person'],
  ])('A3: an account of type %s', (type, reason) => {
    const user = { ...ANA, login: 'evil[bot]', type };
    const sender = { sender: user };
    expect(outcome('issue_comment', issueComment('/approve', { user }, sender))).toBe(reason);
    expect(outcome('pull_request_review_comment', reviewComment('/approve', { user }, sender))).toBe(reason);
    expect(outcome('pull_request_review', review('/approve', { user }, sender))).toBe(reason);
    expect(outcome('issue_comment', issueComment('/approve', { user }, { ...sender, action: 'edited' }))).toBe(reason);
  });

  it('A3: a person is a person by type, whatever the name', () => {
    const user = { ...ANA, login: 'helpful[bot]' };
    expect(outcome('issue_comment', issueComment('/approve', { user }, { sender: user }))).toBe('said');
  });

  it('A10: a bot is one by its type, whichever of its two names GitHub gives', () => {
    for (const login of ['evil', 'evil[bot]']) {
      const user = { ...ANA, login, type: 'Bot' };
      expect(outcome('issue_comment', issueComment('/approve', { user }, { sender: user }))).toBe('bot');
    }
  });

  it('A2: the association says nothing', () => {
    for (const author_association of ['OWNER', 'NONE', 'MEMBER']) {
      expect(read('issue_comment', issueComment('/approve', { author_association }))).toEqual(
        read('issue_comment', issueComment('/approve')),
      );
    }
  });
});

describe('B7, S60: an edit never decides', () => {
  const edit = { action: 'edited', changes: { body: { from: 'hello' } } };

  it.each(['/approve', '/approve all', '/countersign do it', '@countersign do it', '/approve but', '/countersign /x'])(
    'B7: %s becomes a word about editing',
    (body) => {
      const conversation = read('issue_comment', issueComment(body, {}, edit));
      expect(conversation).toMatchObject({
        intent: { kind: 'edited', place: { at: 'conversation', commentId: 7001 } },
      });
      expect(outcome('pull_request_review_comment', reviewComment(body, {}, edit))).toBe('edited');
    },
  );

  it.each(['hello', 'lgtm', '/retest', '/aprove', '> /approve', `${ID_LINE}\n\nuse bigint`])(
    '%j passes unheard',
    (body) => {
      expect(outcome('issue_comment', issueComment(body, {}, edit))).toBe('harmless-edit');
      expect(outcome('pull_request_review_comment', reviewComment(body, {}, edit))).toBe('harmless-edit');
    },
  );

  it("B7: the actor is the editor, not the comment's author", () => {
    const user = { ...ANA, id: 12, login: 'bob' };
    expect(read('issue_comment', issueComment('/approve', { user }, edit))).toMatchObject({
      intent: { kind: 'edited', actor: { id: 11, login: 'ana' } },
    });
  });

  it('S60: an edit of our own comment is told apart', () => {
    expect(read('issue_comment', issueComment('/approve', { user: BOT }, edit))).toMatchObject({
      intent: { kind: 'own-comment', deed: 'edited', place: { at: 'conversation' }, actor: { login: 'ana' } },
    });
    expect(outcome('issue_comment', issueComment('/approve', { user: BOT }, { ...edit, sender: BOT }))).toBe(
      'own-event',
    );
  });
});

describe('S60, S61: what is deleted', () => {
  const gone = { action: 'deleted' };

  it('a comment of ours that anybody else deleted is told, whoever it was; our own deed is not', () => {
    const bot = { ...BOT, id: 4711 };
    for (const sender of [ANA, bot]) {
      expect(read('issue_comment', issueComment('hello', { user: BOT }, { ...gone, sender }))).toMatchObject({
        intent: { kind: 'own-comment', deed: 'deleted', actor: { id: sender.id } },
      });
    }
    expect(outcome('issue_comment', issueComment('hello', { user: BOT }, { ...gone, sender: BOT }))).toBe('own-event');
  });

  it('words that may have decided something are told, others are not', () => {
    expect(read('issue_comment', issueComment('/approve', {}, gone))).toMatchObject({ intent: { kind: 'deleted' } });
    expect(read('pull_request_review_comment', reviewComment('use bigint', {}, gone))).toMatchObject({
      intent: { kind: 'deleted', place: { at: 'thread' } },
    });
    expect(outcome('issue_comment', issueComment('nice weather', {}, gone))).toBe('not-addressed');
    expect(outcome('issue_comment', issueComment('/retest', {}, gone))).toBe('other-command');
  });
});

describe('S90b, B11, F16: what happens around the pull request', () => {
  const whole = {
    id: 42,
    permissions: { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' },
  };
  const installation = (permissions: object) => ({ ...whole, permissions: { ...whole.permissions, ...permissions } });
  const edited = (changes: unknown) => {
    return pushed({ action: 'edited', changes, pull_request: { number: 12, base: { ref: 'release' } } });
  };

  it('B11: an edit that changes the base is told, any other is not', () => {
    expect(read('pull_request', edited({ base: { ref: { from: 'main' }, sha: { from: 'a' } } }))).toMatchObject({
      intent: { kind: 'retargeted', from: 'main', to: 'release' },
    });
    expect(outcome('pull_request', edited({ title: { from: 'Old' } }))).toBe('harmless-edit');
    expect(outcome('pull_request', edited(undefined))).toBe('harmless-edit');
  });

  it.each([
    ['uninstalled', 'installation', { action: 'deleted', installation: whole }],
    ['permissions', 'installation', { installation: installation({ contents: 'read' }) }],
    ['permissions', 'installation', { installation: installation({ pull_requests: undefined }) }],
    ['access-stands', 'installation', { installation: installation({ issues: 'write', checks: 'read' }) }],
    ['repository-removed', 'installation_repositories', { action: 'removed', repositories_removed: [{ id: 501 }] }],
    ['malformed', 'installation_repositories', { action: 'removed', repositories_removed: [] }],
    ['malformed', 'installation', { installation: { id: 42 } }],
    ['malformed', 'installation', null],
    ['unsuspended', 'installation', { action: 'unsuspend' }],
    ['malformed', 'installation', { action: 'unsuspend', installation: { id: '42' } }],
    ['unknown-action', 'installation', { action: 'suspend' }],
    ['unknown-action', 'installation', { action: 'created' }],
    ['unknown-action', 'installation_repositories', { action: 'added' }],
  ])('F16: %s, by %s', (loss, event, payload) => {
    const sent =
      payload === null ? null : { action: 'new_permissions_accepted', installation: whole, sender: ACTOR, ...payload };
    expect(outcome(event, sent)).toBe(loss);
  });
});

describe('F11, F12: any payload has exactly one outcome', () => {
  const EVENTS = ['issue_comment', 'pull_request_review_comment', 'pull_request_review', 'pull_request'];
  const KINDS = new Set<string>([...IGNORE_REASONS, 'said', 'edited', 'pushed', 'closed']);
  const SAMPLES: readonly (readonly [string, Payload])[] = [
    ['issue_comment', issueComment('/approve k7q2')],
    ['issue_comment', issueComment('/approve', {}, { action: 'edited' })],
    ['pull_request_review_comment', reviewComment('use bigint')],
    ['pull_request_review', review('/deny no')],
    ['pull_request', pushed()],
    ['pull_request', closed(true)],
  ];

  it('F11: JSON of any shape', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...EVENTS),
        fc.anything(),
        fc.constantFrom('created', 'closed'),
        (event, value, action) => {
          expect(KINDS).toContain(outcome(event, value));
          expect(KINDS).toContain(outcome(event, { action, installation: { id: 1 }, sender: ANA, comment: value }));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('F11: real shapes with fields taken away or exchanged', () => {
    const wrong = fc.oneof(fc.constant(undefined), fc.constant(null), fc.jsonValue({ maxDepth: 1 }));
    fc.assert(
      fc.property(fc.constantFrom(...SAMPLES), fc.nat(), wrong, ([event, payload], pick, value) => {
        const paths = pathsOf(payload);
        expect(KINDS).toContain(outcome(event, replaced(payload, paths[pick % paths.length] ?? [], value)));
      }),
      { numRuns: 3000 },
    );
  });

  it('F11: fields that are not read change nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SAMPLES), fc.jsonValue({ maxDepth: 1 }), ([event, payload], value) => {
        expect(read(event, { ...payload, organization: value, later: value })).toEqual(read(event, payload));
      }),
      { numRuns: 200 },
    );
  });

  it('F12: every reason of the closed list is one word and stands once', () => {
    expect(new Set(IGNORE_REASONS).size).toBe(IGNORE_REASONS.length);
    for (const reason of IGNORE_REASONS) expect(reason).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
  });

  function pathsOf(value: unknown, at: readonly string[] = []): (readonly string[])[] {
    if (typeof value !== 'object' || value === null) return [at];
    return [at, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...at, key]))];
  }

  function replaced(value: unknown, path: readonly string[], by: unknown): unknown {
    const [key, ...rest] = path;
    if (key === undefined) return by;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, name === key ? replaced(inner, rest, by) : inner]),
    );
  }
});
