import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandName, SaidIntent } from '../../src/command/intent.ts';
import { type Interpretation, interpret } from '../../src/command/interpret.ts';
import { type CommandRow, commandTable } from '../../src/command/table.ts';
import { decide } from '../../src/run/decide.ts';
import { needs } from '../../src/run/needs.ts';
import type { Permission, Proposal } from '../../src/run/proposal.ts';
import type { Reason } from '../../src/run/reason.ts';
import type { Step } from '../../src/run/step.ts';
import { issueComment, type Payload, review, reviewComment } from '../command/payloads.ts';
import { fittingLine } from '../command/phrases.ts';
import { ANA, BEN, TableGame } from './table-game.ts';

const SELF = { slug: 'countersign', botId: 999 };

/** Two changes wait; the first is what thread and quote are about. */
function twoWait(): { game: TableGame; first: Proposal } {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'do it' });
  const call = (id: string, line: number) => ({ id, name: 'edit_file', arguments: `edit ${line} other` });
  game.modelReplies([call('one', 1), call('two', 9)]);
  game.toolsAnswer();
  game.reviewIsPosted();
  const [first] = game.pull.proposals;
  if (first?.comment == null) throw new Error('nothing was posted');
  return { game, first };
}

function quote(of: Proposal): string {
  return `> Change 1 of 2 · \`${of.id}\` · digest \`${of.change.digest.slice(0, 12)}\` · head \`abcdef0\``;
}

type Heard = { readonly event: string; readonly payload: Payload };
type Surface = (line: string, of: Proposal, fields: Payload, over: Payload) => Heard;

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
  'somebody else’s thread': (line, _of, fields, over) => ({
    event: 'pull_request_review_comment',
    payload: reviewComment(line, { ...fields, in_reply_to_id: 4242 }, over),
  }),
  'a quote reply': (line, of, fields, over) => ({
    event: 'issue_comment',
    payload: issueComment(`${quote(of)}\n\n${line}`, fields, over),
  }),
};

type Standing = 'writer' | 'author' | 'outsider' | 'unheard';
type Role = {
  readonly who: { readonly id: number; readonly login: string; readonly type: string } | null;
  readonly permission: Permission;
  readonly standing: Standing;
};

/** GitHub answers `write` for the maintain role, which the App tells by the role's name, and `read` for triage. */
const ROLES: Readonly<Record<string, Role>> = {
  admin: { who: ANA, permission: 'admin', standing: 'writer' },
  maintain: { who: ANA, permission: 'maintain', standing: 'writer' },
  write: { who: ANA, permission: 'write', standing: 'writer' },
  'the author with write': { who: BEN, permission: 'write', standing: 'writer' },
  'the author with read': { who: BEN, permission: 'read', standing: 'author' },
  'the author with none': { who: BEN, permission: 'none', standing: 'author' },
  read: { who: ANA, permission: 'read', standing: 'outsider' },
  none: { who: ANA, permission: 'none', standing: 'outsider' },
  'a bot': { who: { id: 77, login: 'ci[bot]', type: 'Bot' }, permission: 'admin', standing: 'unheard' },
  'the App itself': { who: { id: 999, login: 'x', type: 'User' }, permission: 'admin', standing: 'unheard' },
  'an organisation': { who: { id: 78, login: 'acme', type: 'Organization' }, permission: 'admin', standing: 'unheard' },
  'a ghost': { who: null, permission: 'none', standing: 'unheard' },
};

/** What each command comes to for somebody who may, while two changes wait; a run that is active needs no resuming. */
const DOES: Readonly<Record<CommandName, Reason>> = {
  task: 'task-queued',
  approve: 'approved',
  deny: 'denied',
  edit: 'instructed',
  ask: 'asked',
  show: 'informed',
  undo: 'already-settled',
  resume: 'not-resumable',
  continue: 'continued',
  stop: 'stopped',
  status: 'informed',
  help: 'informed',
};

function hear(surface: Surface, line: string, role: Role, { game, first }: ReturnType<typeof twoWait>): Interpretation {
  const { event, payload } = surface(line, first, { user: role.who, created_at: game.now() }, { sender: role.who });
  return interpret({ event, payload, self: SELF });
}

function said(meaning: Interpretation): SaidIntent {
  if (meaning.kind !== 'intent' || meaning.intent.kind !== 'said') throw new Error(JSON.stringify(meaning));
  return meaning.intent;
}

/** What the words do, after nothing was asked of GitHub for them but whether the person may. */
function judged(intent: SaidIntent, role: Role, allowed: boolean, { game }: ReturnType<typeof twoWait>): Step {
  const signal = { type: 'intent', deliveryId: 'd', intent } as const;
  const { now, self, served, ...known } = game.facts({ permission: role.permission });
  const before = { now, self, served };
  expect(needs(game.pull, signal, before).map(({ kind }) => kind)).toEqual(['permission']);
  if (!allowed) expect(needs(game.pull, signal, { ...before, permission: role.permission })).toEqual([]);
  return decide(game.pull, signal, { ...before, ...known });
}

function may(standing: Standing, row: CommandRow): boolean {
  return standing === 'writer' || (standing === 'author' && row.who === 'writer-or-author');
}

function expectRefused(step: Step, before: TableGame): void {
  expect(step.reason).toBe('not-allowed');
  expect(step.effects).toMatchObject([{ type: 'answer', answer: { kind: 'not-allowed' } }]);
  expect(step.votes).toEqual([]);
  expect(step.messages).toEqual([]);
  expect(step.pull.proposals).toEqual(before.pull.proposals);
  expect(step.pull.run).toEqual(before.pull.run);
  expect(step.pull.queue).toEqual(before.pull.queue);
}

/** S64: whatever was accepted shows a reaction, whatever was not is answered. */
function expectDone(step: Step, name: CommandName): void {
  expect(step.reason).toBe(DOES[name]);
  const expected = name === 'resume' || name === 'undo' ? 'answer' : 'react';
  expect(step.effects.map(({ type }) => type)).toContain(expected);
}

const CASES = Object.entries(SURFACES).flatMap(([at, surface]) =>
  Object.entries(ROLES).map(([who, role]) => ({ at, surface, who, role })),
);

describe('A1, A3, A8, S64, S66–S68: every command, on every surface, by everybody', () => {
  it.each(CASES)('in $at, by $who', ({ surface, role }) => {
    for (const row of commandTable) {
      const scene = twoWait();
      for (const word of row.words) {
        const meaning = hear(surface, fittingLine(row, scene.first.id, word), role, scene);
        if (role.standing === 'unheard') {
          expect(meaning.kind, word).toBe('nothing');
          continue;
        }
        const allowed = may(role.standing, row);
        const step = judged(said(meaning), role, allowed, scene);
        if (!allowed) expectRefused(step, scene.game);
        else expectDone(step, row.name);
      }
    }
  });

  it('S71: a vote names its person, surface and digest', () => {
    for (const surface of Object.values(SURFACES)) {
      const scene = twoWait();
      const role = { who: ANA, permission: 'write', standing: 'writer' } as const;
      const step = judged(said(hear(surface, `/approve ${scene.first.id}`, role, scene)), role, true, scene);
      const by = { id: ANA.id, login: ANA.login };
      const vote = { proposalId: scene.first.id, action: 'approve', by, digest: scene.first.change.digest };
      expect(step.votes).toMatchObject([vote]);
    }
  });
});

describe('S39, S40, S44, S59: what a command without an id is about', () => {
  const role = { who: ANA, permission: 'write', standing: 'writer' } as const;
  const outcome = (at: string, line: string): readonly unknown[] => {
    const scene = twoWait();
    const surface = SURFACES[at];
    if (surface === undefined) throw new Error(at);
    const step = judged(said(hear(surface, line, role, scene)), role, true, scene);
    return [step.reason, step.votes.map(({ proposalId }) => (proposalId === scene.first.id ? 'first' : 'second'))];
  };

  it.each([
    ['the conversation', '/approve', 'ambiguous', []],
    ['the conversation', '/deny', 'ambiguous', []],
    ['the conversation', '/deny all because I say so', 'ambiguous', []],
    ['the conversation', '/edit shorter', 'instructed', ['first', 'second']],
    ['the conversation', '/approve all', 'approved', ['first', 'second']],
    ['the conversation', '/deny all', 'denied', ['first', 'second']],
    ['the conversation', '/approve k7q2', 'unknown-ids', []],
    ['the conversation', '/deny utf8 breaks', 'unknown-ids', []],
    ['the conversation', '/edit utf8 first', 'unknown-ids', []],
    ['a review’s body', '/approve', 'ambiguous', []],
    ['a review’s body', '/edit utf8 first', 'unknown-ids', []],
    ['the proposal’s thread', '/approve', 'approved', ['first']],
    ['the proposal’s thread', '/deny all of it is wrong', 'denied', ['first']],
    ['the proposal’s thread', '/deny all', 'denied', ['first', 'second']],
    ['the proposal’s thread', '/deny utf8 breaks', 'denied', ['first']],
    ['the proposal’s thread', '/edit utf8 first', 'instructed', ['first']],
    ['the proposal’s thread', '/approve k7q2', 'unknown-ids', []],
    ['somebody else’s thread', '/approve', 'ambiguous', []],
    ['somebody else’s thread', '/deny', 'ambiguous', []],
    ['somebody else’s thread', '/edit utf8 first', 'unknown-ids', []],
    ['a quote reply', '/approve', 'approved', ['first']],
    ['a quote reply', '/deny utf8 breaks', 'denied', ['first']],
    ['a quote reply', 'use bigint', 'instructed', ['first']],
  ])('in %s, %s: %s', (at, line, reason, votes) => {
    expect(outcome(at, line)).toEqual([reason, votes]);
  });
});

describe('S65: nothing ambiguous ever changes a file', () => {
  const piece = fc.constantFrom(
    ...['/approve', '/approve all', 'approve', '/countersign', '@countersign', 'k7q2', 'all', 'lgtm', 'yes', '👍', '1'],
    ...[
      '\n',
      '\n\n',
      '\r\n',
      ' ',
      '    ',
      '\t',
      '> ',
      '- ',
      '# ',
      '```',
      '`',
      '<!--',
      '-->',
      '<pre>',
      '\u200B',
      '\uFF0F',
    ],
  );

  /** Some line begins with the command, told without the code under test. */
  function isAnchored(text: string): boolean {
    return text.split(/\r\n|\r|\n/).some((line) => /^ {0,3}\/(?:countersign[ \t]+\/)?approve(?:[ \t]|$)/i.test(line));
  }

  it('S65: without a line that begins with /approve, no random body of anybody approves or commits anything', () => {
    const role = { who: ANA, permission: 'admin', standing: 'writer' } as const;
    let heard = 0;
    const bodies = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(bodies, fc.constantFrom(...Object.values(SURFACES)), (body, surface) => {
        fc.pre(!isAnchored(body));
        const scene = twoWait();
        const meaning = hear(surface, body, role, scene);
        if (meaning.kind !== 'intent') return;
        heard += 1;
        const facts = scene.game.facts({ permission: 'admin' });
        const { votes, effects } = decide(scene.game.pull, { type: 'intent', deliveryId: 'd', ...meaning }, facts);
        expect(votes.filter(({ action }) => action === 'approve')).toEqual([]);
        expect(effects.filter(({ type }) => type === 'commit')).toEqual([]);
      }),
      { numRuns: 1500 },
    );
    expect(heard).toBeGreaterThan(200);
  });
});

describe('commands: prefixed', () => {
  const role = { who: ANA, permission: 'write', standing: 'writer' } as const;

  function prefixed(): ReturnType<typeof twoWait> {
    const scene = twoWait();
    const { run } = scene.game.pull;
    if (run === null) throw new Error('no run');
    scene.game.pull = { ...scene.game.pull, run: { ...run, settings: { ...run.settings, commands: 'prefixed' } } };
    return scene;
  }

  function step(at: string, line: (id: string) => string): Step {
    const scene = prefixed();
    const surface = SURFACES[at];
    if (surface === undefined) throw new Error(at);
    const intent = said(hear(surface, line(scene.first.id), role, scene));
    return decide(
      scene.game.pull,
      { type: 'intent', deliveryId: 'd', intent },
      scene.game.facts({ permission: 'write' }),
    );
  }

  it.each(Object.keys(SURFACES))('in %s what stands behind /countersign is read as ever', (at) => {
    for (const row of commandTable) {
      const line = (id: string) => (row.name === 'task' ? '' : '/countersign ') + fittingLine(row, id);
      expectDone(step(at, line), row.name);
    }
  });

  it.each(['the proposal’s thread', 'a quote reply'])('in %s a short command gets a hint and decides nothing', (at) => {
    const short = commandTable.filter(({ name }) => name !== 'task').map((row) => (id: string) => fittingLine(row, id));
    for (const line of [...short, () => '/approve but', () => '/undo k7q2']) {
      const { reason, effects, votes } = step(at, line);
      expect([reason, votes]).toEqual(['not-a-command', []]);
      expect(effects).toMatchObject([{ type: 'answer', answer: { kind: 'misfit' } }]);
      expect(JSON.stringify(effects)).toContain('stands behind `/countersign`');
    }
  });

  it.each(['the conversation', 'a review’s body', 'somebody else’s thread'])('in %s a short one is silence', (at) => {
    for (const line of [...commandTable.map((row) => (id: string) => fittingLine(row, id)), () => '/aprove']) {
      if (line('x').startsWith('/countersign')) continue;
      const { effects, votes } = step(at, line);
      expect([effects, votes]).toEqual([[], []]);
    }
  });

  it('replies and mentions are read as ever', () => {
    expect(step('the proposal’s thread', () => 'use bigint').reason).toBe('instructed');
    expect(step('the conversation', () => '@countersign mind the tests').reason).toBe('kept-for-agent');
  });
});
