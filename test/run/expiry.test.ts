import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/policy/settings.ts';
import { delayOf } from '../../src/run/effect.ts';
import { needs } from '../../src/run/needs.ts';
import type { Proposal } from '../../src/run/proposal.ts';
import { ANA, BEN, TableGame } from './table-game.ts';

const HOUR_MS = 3_600_000;

/** Changes of these lines wait on the page, for ten hours each. */
function waiting(...lines: readonly number[]): TableGame {
  const game = new TableGame();
  game.settings = { kind: 'settings', settings: { ...DEFAULT_SETTINGS, expiryHours: 10 } };
  game.commands(ANA, { name: 'task', text: 'change the lines' });
  game.modelReplies(
    lines.map((line) => ({ id: `call-${line}`, name: 'edit_file', arguments: `edit ${line} new${line}` })),
  );
  game.toolsAnswer();
  game.reviewIsPosted();
  return game;
}

function later(proposal: Proposal | undefined, hours: number): string {
  return new Date(Date.parse(proposal?.proposedAt ?? '') + hours * HOUR_MS).toISOString();
}

/** The look that is wanted next comes so many hours after the first change was posted. */
function look(game: TableGame, hours: number) {
  return game.signal({ type: 'deadline-reached' }, { now: later(game.pull.proposals[0], hours) });
}

function expire(game: TableGame, hours: number) {
  return game.signal({ type: 'expiring' }, { now: later(game.pull.proposals[0], hours) });
}

const states = (game: TableGame) => game.pull.proposals.map(({ state }) => state);

describe('deadlines', () => {
  it('S85: the first look is at 80 % of the time, the next at its end, both by GitHub’s times', () => {
    const game = waiting(5, 10);
    const first = game.take('see-deadline');
    expect(first?.at).toBe(later(game.pull.proposals[0], 8));
    expect(first === null ? 0 : delayOf(first)).toBe(Date.parse(first?.at ?? '') - Date.parse(first?.wantedAt ?? ''));
    look(game, 8);
    expect(game.take('see-deadline')?.at).toBe(later(game.pull.proposals[0], 10));
  });

  it('S85, S89a: the reminder names what waits and whoever asked for it, once', () => {
    const game = waiting(5, 10);
    game.commands(BEN, {
      name: 'deny',
      targets: { by: 'ids', ids: [game.pull.proposals[1]?.id ?? ''] },
      reason: 'no',
      line: '',
    });
    const { reason, effects } = look(game, 8);
    expect(reason).toBe('reminded');
    const waits = [expect.objectContaining({ id: game.pull.proposals[0]?.id })];
    const people = [{ id: ANA.id, login: ANA.login }];
    const expiresAt = later(game.pull.proposals[0], 10);
    expect(effects).toContainEqual(
      expect.objectContaining({ type: 'answer', answer: { kind: 'reminder', people, proposals: waits, expiresAt } }),
    );
    expect(look(game, 9).effects.filter(({ type }) => type === 'answer')).toEqual([]);
  });

  it('S85: one whose approval counts no more right before the commit waits its whole time again, however long it was approved', () => {
    const game = waiting(5);
    game.take('see-deadline');
    game.commands(ANA, { name: 'approve', targets: { by: 'all' }, note: '' });
    expect(look(game, 8).reason).toBe('outdated-outcome');
    expect(look(game, 10).reason).toBe('outdated-outcome');
    game.later(11);
    game.commitBegins('read');
    expect(states(game)).toEqual(['proposed']);
    const again = Date.parse(game.take('see-deadline')?.at ?? '');
    expect(again).toBeGreaterThan(Date.parse(later(game.pull.proposals[0], 11)));
    expect(look(game, 12).reason).toBe('outdated-outcome');
    expect(look(game, 20).reason).toBe('reminded');
    expect(look(game, 22).reason).toBe('deadline-reached');
    expect(expire(game, 22).reason).toBe('expired');
  });

  it('S85: at its end it expires, the run ends, and the model is neither asked nor told anything', () => {
    const game = waiting(5, 10);
    const told = game.transcript.length;
    const since = game.pull.proposals[0]?.proposedAt;
    expect(look(game, 10).effects).toContainEqual({ type: 'catch-up', since, expiring: true });
    const caughtUp = game.signal({ type: 'caught-up', read: true, expiring: true });
    expect(caughtUp.effects).toContainEqual({ type: 'expire' });
    expect(states(game)).toEqual(['proposed', 'proposed']);
    const { effects, reason } = expire(game, 10);
    expect(reason).toBe('expired');
    expect(states(game)).toEqual(['expired', 'expired']);
    expect(game.pull.run?.phase).toMatchObject({ kind: 'ended', how: 'expired' });
    expect(effects.map(({ type }) => type)).toEqual(['show-proposal', 'show-proposal', 'show-run', 'answer']);
    expect(game.transcript).toHaveLength(told);
    expect(game.problems).toEqual([]);
  });

  it('S90b: a pull request that was closed unheard is over, and then nothing expires', () => {
    const game = waiting(5);
    const signal = { type: 'caught-up', read: true, expiring: true } as const;
    const { reason, effects } = game.signal(signal, { pull: game.github({ state: 'merged' }) });
    expect(reason).toBe('pull-closed');
    expect(effects).not.toContainEqual({ type: 'expire' });
    expect(states(game)).toEqual(['cancelled']);
    expect(game.pull.run?.phase).toMatchObject({ kind: 'ended', how: 'merged', by: null });
  });

  it('S85: where GitHub shows nothing of the pull request any more, it expires none the less', () => {
    const game = waiting(5);
    const signal = { type: 'caught-up', read: false, expiring: true } as const;
    expect(game.signal(signal, {}).effects).toContainEqual({ type: 'expire' });
    expect(needs(game.pull, signal, { now: game.now(), self: { slug: 'x', botId: 1 }, served: true })).toEqual([]);
  });

  it('S85: what was decided meanwhile does not expire, and a second look changes nothing', () => {
    const game = waiting(5);
    game.commands(BEN, { name: 'approve', targets: { by: 'all' }, note: '' });
    expect(expire(game, 10).reason).toBe('outdated-outcome');
    expect(states(game)).toEqual(['approved']);
    const other = waiting(5);
    expire(other, 10);
    expect(expire(other, 10).reason).toBe('outdated-outcome');
  });

  it('S85: one minute before its end it can still be approved, and at once', () => {
    const game = waiting(5);
    expect(expire(game, 10 - 1 / 60).reason).toBe('outdated-outcome');
    expect(game.commands(BEN, { name: 'approve', targets: { by: 'all' }, note: '' }).reason).toBe('approved');
  });

  it('S85, S88: while another change of the response is being applied the run goes on, and ends after it', () => {
    const game = waiting(5, 10);
    const [first] = game.pull.proposals;
    game.commands(BEN, { name: 'approve', targets: { by: 'ids', ids: [first?.id ?? ''] }, note: '' });
    const attempt = game.commitBegins();
    expire(game, 10);
    expect(states(game)).toEqual(['executing', 'expired']);
    expect(game.pull.run?.phase.kind).toBe('waiting');
    if (attempt !== null) game.commitLands(attempt);
    expect(states(game)).toEqual(['completed', 'expired']);
    expect(game.pull.run?.phase).toMatchObject({ kind: 'ended', how: 'expired' });
  });

  it('S85, S102: /resume works the calls out anew, and the model hears each outcome once', () => {
    const game = waiting(5, 10);
    const [first] = game.pull.proposals;
    game.commands(BEN, { name: 'deny', targets: { by: 'ids', ids: [first?.id ?? ''] }, reason: 'not this', line: '' });
    expire(game, 10);
    const { reason, effects } = game.commands(BEN, { name: 'resume' }, { createdAt: later(first, 20) });
    expect(reason).toBe('resumed');
    expect(effects).toContainEqual(
      expect.objectContaining({ type: 'use-tools', calls: [expect.objectContaining({ id: 'call-10' })] }),
    );
    expect(effects.map(({ type }) => type)).not.toContain('ask-model');
    game.toolsAnswer();
    game.reviewIsPosted();
    expect(states(game)).toEqual(['rejected', 'expired', 'proposed']);
    expect(game.pull.proposals[1]?.replacedBy).toBe(game.pull.proposals[2]?.id);
    game.commands(BEN, { name: 'deny', targets: { by: 'all' }, reason: 'nor this', line: '' });
    const answers = game.transcript.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(answers).toEqual([expect.stringContaining('not this'), expect.stringContaining('nor this')]);
  });

  it('S103: /continue goes on without what expired before', () => {
    const game = waiting(5, 10);
    const [, second] = game.pull.proposals;
    // Posted again a day later, because somebody had deleted its comment.
    const proposals = game.pull.proposals.map((one) => (one === second ? { ...one, expiresAt: later(one, 40) } : one));
    game.pull = { ...game.pull, proposals };
    expire(game, 10);
    expect(states(game)).toEqual(['expired', 'proposed']);
    expect(game.commands(BEN, { name: 'continue' }, { createdAt: later(second, 11) }).reason).toBe('continued');
    expect(game.transcript.filter(({ role }) => role === 'tool')).toHaveLength(2);
    expect(game.pull.run?.phase.kind).toBe('thinking');
  });
});
