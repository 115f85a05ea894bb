import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMAND_LIST } from '../../../../src/core/commands/all-commands.ts';
import { decide } from '../../../../src/core/decide.ts';
import { renderProposal } from '../../../../src/core/messages/proposal/proposal-comment.ts';
import { needs } from '../../../../src/core/needs.ts';
import type { CommandName, CommentIntent } from '../../../../src/core/state/intent.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import type { Permission } from '../../../../src/core/state/vote.ts';
import type { Reason } from '../../../../src/core/step/reasons.ts';
import type { Step } from '../../../../src/core/step/step.ts';
import { type Interpretation, interpret } from '../../../../src/core/webhooks/interpret.ts';
import { inConversation, view } from '../messages/sample.ts';
import { ANA, BEN, type TableGame } from '../support/table-game.ts';
import { issueComment, type Payload, review, reviewComment } from '../webhooks/payloads.ts';
import { exampleLine } from './example-lines.ts';
import { type TwoPending, twoPending } from './two-pending.ts';

const SELF = { slug: 'countersign', botId: 999 };

function quote(of: Proposal): string {
  const links = { repository: 'https://github.com/acme/shop' };
  const { body } = renderProposal({ ...view(of, of.placement ?? inConversation), links });
  return body.replaceAll(/^/gm, '> ');
}

type Delivery = { readonly event: string; readonly payload: Payload };

type Surface = (line: string, of: Proposal, fields: Payload, over: Payload) => Delivery;

const SURFACES: Readonly<Record<string, Surface>> = {
  'the conversation': (line, _of, fields, over) => ({
    event: 'issue_comment',
    payload: issueComment(line, fields, over),
  }),
  'a review’s body': (line, _of, { created_at, ...fields }, over) => ({
    event: 'pull_request_review',
    payload: review(line, { ...fields, submitted_at: created_at }, over),
  }),
  'the proposal’s thread': (line, of, fields, over) => ({
    event: 'pull_request_review_comment',
    payload: reviewComment(line, { ...fields, in_reply_to_id: of.comment?.id }, over),
  }),
  'another thread': (line, _of, fields, over) => ({
    event: 'pull_request_review_comment',
    payload: reviewComment(line, { ...fields, in_reply_to_id: 4242 }, over),
  }),
  'a quote reply': (line, of, fields, over) => ({
    event: 'issue_comment',
    payload: issueComment(`${quote(of)}\n\n${line}`, fields, over),
  }),
};

type Access = 'writer' | 'author' | 'outsider' | 'ignored';

type Role = {
  readonly who: { readonly id: number; readonly login: string; readonly type: string } | null;
  readonly permission: Permission;
  readonly access: Access;
};

/** GitHub's permission is `write` for the maintain role and `read` for triage; the App reads the role's name. */
const ROLES: Readonly<Record<string, Role>> = {
  admin: { who: ANA, permission: 'admin', access: 'writer' },
  maintain: { who: ANA, permission: 'maintain', access: 'writer' },
  write: { who: ANA, permission: 'write', access: 'writer' },
  'the author with write': { who: BEN, permission: 'write', access: 'writer' },
  'the author with read': { who: BEN, permission: 'read', access: 'author' },
  'the author with none': { who: BEN, permission: 'none', access: 'author' },
  read: { who: ANA, permission: 'read', access: 'outsider' },
  none: { who: ANA, permission: 'none', access: 'outsider' },
  'a bot': { who: { id: 77, login: 'ci[bot]', type: 'Bot' }, permission: 'admin', access: 'ignored' },
  'the App itself': { who: { id: 999, login: 'x', type: 'User' }, permission: 'admin', access: 'ignored' },
  'an organization': { who: { id: 78, login: 'acme', type: 'Organization' }, permission: 'admin', access: 'ignored' },
  'a ghost': { who: null, permission: 'none', access: 'ignored' },
};

/** The result of each command by an allowed person, with two pending changes in an active run. */
const REASON_OF: Readonly<Record<CommandName, Reason>> = {
  task: 'queued',
  approve: 'approved',
  deny: 'denied',
  edit: 'edit-requested',
  answer: 'nothing-pending',
  ask: 'queued',
  show: 'info-replied',
  undo: 'undo-refused',
  resume: 'resume-refused',
  continue: 'continued',
  stop: 'stopped',
  status: 'info-replied',
  approvals: 'info-replied',
  revoke: 'unknown-ids',
  config: 'info-replied',
  help: 'info-replied',
};

function interpretComment(surface: Surface, line: string, role: Role, { game, first }: TwoPending): Interpretation {
  const { event, payload } = surface(line, first, { user: role.who, created_at: game.now() }, { sender: role.who });
  return interpret({ event, payload, app: SELF });
}

function commentIntent(meaning: Interpretation): CommentIntent {
  if (meaning.kind !== 'intent' || meaning.intent.kind !== 'comment') throw new Error(JSON.stringify(meaning));
  return meaning.intent;
}

/** The step for a comment. Before the permission is known, it needs no other fact. */
function stepFor(intent: CommentIntent, role: Role, allowed: boolean, { game }: TwoPending): Step {
  const signal = { type: 'intent', deliveryId: 'd', intent } as const;
  const { now, app, ownerAllowed, ...known } = game.facts({ permission: role.permission });
  const before = { now, app, ownerAllowed };
  expect(needs(game.pull, signal, before).map(({ kind }) => kind)).toEqual(['permission']);
  if (!allowed) expect(needs(game.pull, signal, { ...before, permission: role.permission })).toEqual([]);
  return decide(game.pull, signal, { ...before, ...known });
}

function isAllowed(access: Access, row: (typeof COMMAND_LIST)[number]): boolean {
  return access === 'writer' || (access === 'author' && row.allowedTo === 'writer-or-author');
}

function expectRefused(step: Step, before: TableGame): void {
  expect(step.reason).toBe('not-allowed');
  expect(step.effects).toMatchObject([{ type: 'reply', reply: expect.stringContaining('needs write access') }]);
  expect(step.votes).toEqual([]);
  expect(step.messages).toEqual([]);
  expect(step.pull.proposals).toEqual(before.pull.proposals);
  expect(step.pull.run).toEqual(before.pull.run);
  expect(step.pull.queue).toEqual(before.pull.queue);
}

/** Commands that have no effect in this state. */
const REPLIED: ReadonlySet<CommandName> = new Set<CommandName>(['answer', 'resume', 'undo', 'revoke']);

/** An accepted comment gets a reaction, any other comment a reply (S64). */
function expectAccepted(step: Step, name: CommandName): void {
  expect(step.reason).toBe(REASON_OF[name]);
  const expected = REPLIED.has(name) ? 'reply' : 'react';
  expect(step.effects.map(({ type }) => type)).toContain(expected);
}

const CASES = Object.entries(SURFACES).flatMap(([at, surface]) =>
  Object.entries(ROLES).map(([who, role]) => ({ at, surface, who, role })),
);

describe('every command, on every surface, by every role (A1, A3, A8, S64, S66–S68)', () => {
  it.each(CASES)('in $at, by $who', ({ surface, role }) => {
    const scene = twoPending();
    for (const row of COMMAND_LIST) {
      for (const word of row.words) {
        const meaning = interpretComment(surface, exampleLine(row, scene.first.id, word), role, scene);
        if (role.access === 'ignored') {
          expect(meaning.kind, word).toBe('ignored');
          continue;
        }
        const allowed = isAllowed(role.access, row);
        const step = stepFor(commentIntent(meaning), role, allowed, scene);
        if (!allowed) expectRefused(step, scene.game);
        else expectAccepted(step, row.name);
      }
    }
  });
});

describe('ambiguous comments never change a file (S65)', () => {
  const piece = fc.constantFrom(
    ...['/approve', '/approve all', 'approve', '/countersign', '@countersign', 'k7q2', 'all', 'lgtm', 'yes', '👍', '1'],
    ...[
      ...['\n', '\n\n', '\r\n', ' ', '    ', '\t', '> ', '- ', '# ', '```', '`', '<!--', '-->', '<pre>', '\u200B'],
      ...['\uFF0F'],
    ],
  );

  /** Whether a line begins with the command, without the code under test. */
  function isAnchored(text: string): boolean {
    return text.split(/\r\n|\r|\n/).some((line) => /^ {0,3}\/(?:countersign[ \t]+\/)?approve(?:[ \t]|$)/i.test(line));
  }

  it('a random body without a line that begins with /approve never approves or commits (S65)', () => {
    const role = { who: ANA, permission: 'admin', access: 'writer' } as const;
    const scene = twoPending();
    let intents = 0;
    const bodies = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(bodies, fc.constantFrom(...Object.values(SURFACES)), (body, surface) => {
        fc.pre(!isAnchored(body));
        const meaning = interpretComment(surface, body, role, scene);
        if (meaning.kind !== 'intent') return;
        intents += 1;
        const facts = scene.game.facts({ permission: 'admin' });
        const { votes, effects } = decide(scene.game.pull, { type: 'intent', deliveryId: 'd', ...meaning }, facts);
        expect(votes.filter(({ action }) => action === 'approve')).toEqual([]);
        expect(effects.filter(({ type }) => type === 'commit')).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(intents).toBeGreaterThan(60);
  });
});

describe('commands: prefixed', () => {
  const role = { who: ANA, permission: 'write', access: 'writer' } as const;

  function prefixed(): TwoPending {
    const scene = twoPending();
    const { run } = scene.game.pull;
    if (run === null) throw new Error('no run');
    scene.game.pull = { ...scene.game.pull, run: { ...run, settings: { ...run.settings, commands: 'prefixed' } } };
    return scene;
  }

  function step(at: string, line: (id: string) => string): Step {
    const scene = prefixed();
    const surface = SURFACES[at];
    if (surface === undefined) throw new Error(at);
    const intent = commentIntent(interpretComment(surface, line(scene.first.id), role, scene));
    return decide(
      scene.game.pull,
      { type: 'intent', deliveryId: 'd', intent },
      scene.game.facts({ permission: 'write' }),
    );
  }

  it.each(Object.keys(SURFACES))('in %s commands after /countersign are accepted', (at) => {
    for (const row of COMMAND_LIST) {
      const line = (id: string) => (row.name === 'task' ? '' : '/countersign ') + exampleLine(row, id);
      expectAccepted(step(at, line), row.name);
    }
  });

  it.each(['the proposal’s thread', 'a quote reply'])(
    'in %s a command without the prefix gets a hint and has no effect',
    (at) => {
      const short = COMMAND_LIST.filter(({ name }) => name !== 'task').map(
        (row) => (id: string) => exampleLine(row, id),
      );
      for (const line of [...short, () => '/approve but', () => '/undo k7q2']) {
        const { reason, effects, votes } = step(at, line);
        expect([reason, votes]).toEqual(['malformed-command', []]);
        expect(effects).toMatchObject([
          { type: 'reply', reply: expect.stringContaining('`/help` lists all commands.') },
        ]);
        expect(JSON.stringify(effects)).toContain('/countersign /');
      }
    },
  );

  it.each(['the conversation', 'a review’s body', 'another thread'])(
    'in %s a command without the prefix gets no reply',
    (at) => {
      for (const line of [...COMMAND_LIST.map((row) => (id: string) => exampleLine(row, id)), () => '/aprove']) {
        if (line('x').startsWith('/countersign')) continue;
        const { effects, votes } = step(at, line);
        expect([effects, votes]).toEqual([[], []]);
      }
    },
  );

  it('replies and mentions are accepted', () => {
    expect(step('the proposal’s thread', () => 'use bigint').reason).toBe('edit-requested');
    expect(step('the conversation', () => '@countersign mind the tests').reason).toBe('note-queued');
  });
});
