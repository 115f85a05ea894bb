import { describe, expect, it } from 'vitest';
import type { Place, SaidIntent } from '../../src/command/intent.ts';
import { readComment } from '../../src/command/read-comment.ts';
import type { Step } from '../../src/run/step.ts';
import { ANA, BEN, REF, TableGame } from './table-game.ts';

/** So many changes of one turn wait on the page. */
function waiting(count: number): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'do it' });
  const calls = Array.from({ length: count }, (_, place) => ({
    id: `c${place}`,
    name: 'edit_file',
    arguments: `edit ${1 + 8 * place} other`,
  }));
  game.modelReplies(calls);
  game.toolsAnswer();
  game.reviewIsPosted();
  return game;
}

type Saying = { readonly at?: Place; readonly state?: SaidIntent['reviewState']; readonly createdAt?: string };

function says(game: TableGame, actor: typeof ANA, body: string, saying: Saying = {}): Step {
  const { utterance, quotedIds } = readComment(body, 'countersign');
  const intent: SaidIntent = {
    kind: 'said',
    pull: REF,
    actor,
    place: saying.at ?? { at: 'conversation', commentId: game.nextComment() },
    utterance,
    quotedIds,
    createdAt: saying.createdAt ?? game.now(),
    bodyHash: '0'.repeat(64),
    reviewState: saying.state ?? null,
  };
  const deliveryId = `d${game.nextComment()}`;
  return game.signal(
    { type: 'intent', deliveryId, intent },
    { permission: 'write', pull: game.github(), reviewComments: [] },
  );
}

function states(game: TableGame): readonly string[] {
  return game.pull.proposals.map((one) => one.state);
}

describe('S77, B14: a no that comes before an attempt to commit has begun wins over any approval', () => {
  const nos = [
    ['/deny', {}],
    ['/deny this breaks the import', {}],
    ['/deny all', {}],
    ['/edit use bigint', {}],
    ['/edit all use bigint', {}],
    ['use bigint instead', { at: { at: 'review', reviewId: 7 }, state: 'changes_requested' }],
  ] as const;

  it.each(nos)('%s of what is approved', (body, saying) => {
    const game = waiting(1);
    says(game, ANA, '/approve');
    expect(states(game)).toEqual(['approved']);
    says(game, BEN, body, saying);
    expect(states(game)).toEqual(['rejected']);
    expect(game.commitBegins()?.ids).toEqual([]);
  });

  it.each(nos)('%s between two attempts: the one under way may land, none follows it', (body, saying) => {
    const game = waiting(1);
    says(game, ANA, '/approve');
    expect(game.commitBegins()?.ids).toHaveLength(1);
    says(game, BEN, body, saying);
    expect(states(game)).toEqual(['executing']);
    game.commitBegins();
    expect(states(game)).toEqual(['rejected']);
  });

  it('/deny all takes what is approved as well as what waits, and says nothing less', () => {
    const game = waiting(2);
    says(game, ANA, `/approve ${game.pull.proposals[0]?.id}`);
    expect(says(game, BEN, '/deny all').reason).toBe('denied');
    expect(states(game)).toEqual(['rejected', 'rejected']);
  });

  it('of a change that landed all the same it is told who approved it, not who came too late', () => {
    const game = waiting(1);
    says(game, ANA, '/approve');
    const attempt = game.commitBegins();
    says(game, BEN, '/deny all');
    if (attempt !== null) game.commitLands(attempt);
    const { effects } = says(game, ANA, `/approve ${game.pull.proposals[0]?.id}`);
    const told = effects.flatMap((effect) => (effect.type === 'answer' ? [effect.answer] : []));
    expect(told).toMatchObject([{ kind: 'settled', proposals: [{ state: 'completed', by: { id: ANA.id } }] }]);
  });

  it('written before the approval and heard after it, too', () => {
    const game = waiting(1);
    const createdAt = game.now();
    says(game, ANA, '/approve');
    says(game, BEN, '/deny all', { createdAt });
    expect(states(game)).toEqual(['rejected']);
  });

  it('a bare /deny asks which where one is approved and another waits', () => {
    const game = waiting(2);
    says(game, ANA, `/approve ${game.pull.proposals[0]?.id}`);
    expect(says(game, BEN, '/deny').reason).toBe('ambiguous');
    expect(states(game)).toEqual(['approved', 'proposed']);
  });

  it('S52: dismissing the review of what is approved denies it', () => {
    const game = waiting(1);
    const run = game.pull.run;
    if (run === null) throw new Error('There is no run.');
    game.pull = { ...game.pull, run: { ...run, reviews: [{ id: 9, turn: 1, url: 'u', body: 'b', stands: 'blocks' }] } };
    says(game, ANA, '/approve');
    const intent = { kind: 'dismissed', pull: REF, actor: BEN, reviewId: 9 } as const;
    game.signal({ type: 'intent', deliveryId: 'x', intent }, { permission: 'write' });
    expect(states(game)).toEqual(['rejected']);
  });
});

describe('V4, G8: what could not be read for a fault of ours may have been a no', () => {
  const putAside = (game: TableGame): Step => game.signal({ type: 'put-aside', fault: 'f00d' }, {});

  it('so approvals given before it count no more, and can be given again', () => {
    const game = waiting(2);
    says(game, ANA, `/approve ${game.pull.proposals[0]?.id}`);
    const { reason, effects } = putAside(game);
    expect(reason).toBe('approvals-withdrawn');
    const told = effects.flatMap((effect) => (effect.type === 'answer' ? [effect.answer] : []));
    const first = game.pull.proposals[0]?.id;
    expect(told).toMatchObject([{ kind: 'approvals-withdrawn', fault: 'f00d', proposals: [{ id: first }] }]);
    expect(states(game)).toEqual(['proposed', 'proposed']);
    expect(game.commitBegins()?.ids ?? []).toEqual([]);
    says(game, ANA, `/approve ${first}`);
    expect(game.commitBegins()?.ids).toEqual([first]);
  });

  const told = ({ effects }: Pick<Step, 'effects'>): readonly object[] =>
    effects.flatMap((effect) => (effect.type === 'answer' ? [effect.answer] : []));
  const withdrawn = [{ kind: 'approvals-withdrawn', fault: 'f00d' }];

  /** One change of which an attempt is under way, and words were put aside. */
  function doubted(): { game: TableGame; id: string; runId: string } {
    const game = waiting(1);
    says(game, ANA, '/approve');
    game.commitBegins();
    expect(told(putAside(game))).toEqual([]);
    expect(states(game)).toEqual(['executing']);
    const { id = '', runId = '' } = game.pull.proposals[0] ?? {};
    return { game, id, runId };
  }

  it('so an attempt that was under way is not repeated where the branch had moved', () => {
    const { game, id, runId } = doubted();
    const missed = game.signal({ type: 'commit-missed', runId, proposalIds: [id] });
    expect(told(missed)).toMatchObject(withdrawn);
    expect(states(game)).toEqual(['proposed']);
    expect(game.commitBegins()?.ids).toEqual([]);
    says(game, BEN, '/approve');
    expect(game.commitBegins()?.ids).toEqual([id]);
  });

  it('nor where its answer was lost', () => {
    const { game } = doubted();
    expect(game.commitBegins()?.ids).toEqual([]);
    expect(told(game.steps.at(-1) ?? never())).toMatchObject(withdrawn);
    expect(states(game)).toEqual(['proposed']);
  });

  it('and where it had landed, it has, by those who had approved it', () => {
    const { game, id, runId } = doubted();
    game.commitLands({ runId, ids: [id] });
    expect(states(game)).toEqual(['completed']);
    expect(game.steps.at(-1)?.writes).toMatchObject([{ proposalId: id, approvers: [{ id: ANA.id }] }]);
  });

  it('and nobody hears of it where nothing was approved', () => {
    const game = waiting(1);
    const { reason, effects } = putAside(game);
    expect(reason).toBe('outdated-outcome');
    expect(effects).toEqual([]);
  });
});

describe('S47, S59: /edit is about what it points at', () => {
  const quote = (id: string | undefined, digest: string | undefined): string =>
    `> Change 1 of 3 · \`${id}\` · digest \`${digest?.slice(0, 12)}\` · head \`abcdef0\``;

  it('and about nothing where it quotes two, a text that is outdated, or stands in somebody else’s thread', () => {
    const game = waiting(3);
    const [one, two] = game.pull.proposals;
    const foreign = { ...game.threadOf(game.pull.proposals[0] ?? never()), rootId: 4_242 } as const;
    const [first, second] = [quote(one?.id, one?.change.digest), quote(two?.id, two?.change.digest)];
    for (const step of [
      says(game, ANA, `${first}\n\n${second}\n\n/edit use bigint`),
      says(game, ANA, `${quote(one?.id, 'f'.repeat(64))}\n\n/edit use bigint`),
      says(game, ANA, '/edit use bigint', { at: foreign }),
    ])
      expect(step.reason).toBe('ambiguous');
    expect(states(game)).toEqual(['proposed', 'proposed', 'proposed']);
  });

  it('S41a: without one it leaves alone, and lists, what came in the same second', () => {
    const game = waiting(1);
    const createdAt = game.pull.proposals[0]?.comment?.createdAt ?? '';
    expect(says(game, ANA, '/edit use bigint', { createdAt }).reason).toBe('posted-later');
    expect(states(game)).toEqual(['proposed']);
  });
});

function never(): never {
  throw new Error('Nothing waits.');
}
