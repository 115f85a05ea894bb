import { describe, expect, it } from 'vitest';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/state/settings.ts';
import { delayOf } from '../../../../src/core/step/effects.ts';
import { ANA, BEN, TableGame } from '../support/table-game.ts';

const HOUR_MS = 3_600_000;

/** A game with pending changes of these lines, which expire after ten hours. */
function waiting(...lines: readonly number[]): TableGame {
  const game = proposing(...lines);
  game.reviewIsPosted();
  return game;
}

function proposing(...lines: readonly number[]): TableGame {
  const game = new TableGame();
  game.settings = { kind: 'settings', settings: { ...DEFAULT_SETTINGS, expiryHours: 10 } };
  game.commands(ANA, { name: 'task', text: 'change the lines' });
  game.modelReplies(
    lines.map((line) => ({ id: `call-${line}`, name: 'edit_file', arguments: `edit ${line} new${line}` })),
  );
  game.toolsAnswer();
  return game;
}

function later(proposal: Proposal | undefined, hours: number): string {
  return new Date(Date.parse(proposal?.proposedAt ?? '') + hours * HOUR_MS).toISOString();
}

/** What a check of the deadlines does, these hours after the first posting. */
function look(game: TableGame, hours: number) {
  return game.signal({ type: 'deadline-reached' }, { now: later(game.pull.proposals[0], hours) });
}

const states = (game: TableGame) => game.pull.proposals.map(({ state }) => state);

describe('deadlines', () => {
  it('the first check is after 80 % of the time, the next at its end, both by GitHub’s times (S85)', () => {
    const game = waiting(5, 10);
    const first = game.take('check-deadlines');
    expect(first?.at).toBe(later(game.pull.proposals[0], 8));
    expect(first === null ? 0 : delayOf(first)).toBe(
      Date.parse(first?.at ?? '') - Date.parse(first?.requestedAt ?? ''),
    );
    look(game, 8);
    expect(game.take('check-deadlines')?.at).toBe(later(game.pull.proposals[0], 10));
  });

  it('a change whose posting becomes known after its deadline is checked immediately, and expires (S85, F16)', () => {
    const game = proposing(5);
    game.reviewIsPosted(11);
    const check = game.take('check-deadlines');
    expect(check === null ? null : delayOf(check)).toBe(0);
    expect(look(game, 11).reason).toBe('expired');
  });

  it('a change whose approval lapses before the commit keeps its deadline (S85)', () => {
    const game = waiting(5);
    game.take('check-deadlines');
    game.commands(ANA, { name: 'approve', targets: { by: 'all' }, note: '' });
    expect(look(game, 8).reason).toBe('outdated-result');
    game.later(9);
    game.commitBegins('read');
    expect(states(game)).toEqual(['proposed']);
    expect(game.take('check-deadlines')?.at).toBe(later(game.pull.proposals[0], 10));
    expect(look(game, 10).reason).toBe('expired');
  });

  it('a decided change does not expire, and a second check changes nothing (S85)', () => {
    const game = waiting(5);
    game.commands(BEN, { name: 'approve', targets: { by: 'all' }, note: '' });
    expect(look(game, 10).reason).toBe('outdated-result');
    expect(states(game)).toEqual(['approved']);
    const other = waiting(5);
    look(other, 10);
    expect(look(other, 10).reason).toBe('outdated-result');
  });

  it('one minute before its deadline a change can still be approved (S85)', () => {
    const game = waiting(5);
    expect(look(game, 10 - 1 / 60).reason).toBe('reminded');
    expect(game.commands(BEN, { name: 'approve', targets: { by: 'all' }, note: '' }).reason).toBe('approved');
  });

  it('the run ends only after another change of the turn is applied (S85, S88)', () => {
    const game = waiting(5, 10);
    const [first] = game.pull.proposals;
    game.commands(BEN, { name: 'approve', targets: { by: 'ids', ids: [first?.id ?? ''] }, note: '' });
    const attempt = game.commitBegins();
    look(game, 10);
    expect(states(game)).toEqual(['executing', 'expired']);
    expect(game.pull.run?.phase.kind).toBe('awaiting-decisions');
    if (attempt !== null) game.commitLands(attempt);
    expect(states(game)).toEqual(['completed', 'expired']);
    expect(game.pull.run?.phase).toMatchObject({ kind: 'ended', reason: 'expired' });
  });

  it('/continue withdraws changes that expired before (S103)', () => {
    const game = waiting(5, 10);
    const [, second] = game.pull.proposals;
    // Posted again a day later, after its comment was deleted.
    const proposals = game.pull.proposals.map((one) => (one === second ? { ...one, proposedAt: later(one, 30) } : one));
    game.pull = { ...game.pull, proposals };
    look(game, 10);
    expect(states(game)).toEqual(['expired', 'proposed']);
    expect(game.commands(BEN, { name: 'continue', text: '' }, { createdAt: later(second, 11) }).reason).toBe(
      'continued',
    );
    expect(game.transcript.filter(({ role }) => role === 'tool')).toHaveLength(2);
    expect(game.pull.run?.phase.kind).toBe('awaiting-model');
  });
});
