import { describe, expect, it } from 'vitest';
import { COMMAND_GRAMMAR } from '../../../../src/core/commands/all-commands.ts';
import { parseComment } from '../../../../src/core/comments/parse-comment.ts';
import type { CommentIntent, CommentLocation } from '../../../../src/core/state/intent.ts';
import { isInstructed } from '../../../../src/core/state/proposal.ts';
import type { Step } from '../../../../src/core/step/step.ts';
import { ANA, BEN, posted, REF, type TableGame } from '../support/table-game.ts';

/** A game with `count` pending changes of one turn. */
function withPending(count: number): TableGame {
  return posted(...Array.from({ length: count }, (_, place) => 1 + 8 * place));
}

type CommentOptions = {
  readonly at?: CommentLocation;
  readonly state?: CommentIntent['reviewState'];
  readonly createdAt?: string;
};

function says(game: TableGame, actor: typeof ANA, body: string, options: CommentOptions = {}): Step {
  const content = parseComment(COMMAND_GRAMMAR, body, 'countersign');
  const location = options.at ?? { at: 'conversation', commentId: game.nextComment() };
  const createdAt = options.createdAt ?? game.now();
  const intent: CommentIntent = {
    kind: 'comment',
    pull: REF,
    actor,
    location,
    ...content,
    createdAt,
    bodyHash: game.posts(actor, body, location, createdAt),
    reviewState: options.state ?? null,
  };
  const deliveryId = `d${game.nextComment()}`;
  return game.signal(
    { type: 'intent', deliveryId, intent },
    { permission: 'write', pullRequest: game.github(), reviewComments: [] },
  );
}

function states(game: TableGame): readonly string[] {
  return game.pull.proposals.map((one) => one.state);
}

describe('a denial before a commit attempt overrides every approval (S77, B14)', () => {
  const nos = [
    ['/deny', {}],
    ['/deny this breaks the import', {}],
    ['/deny all', {}],
    ['/edit use bigint', {}],
    ['/edit all use bigint', {}],
    ['use bigint instead', { at: { at: 'review', reviewId: 7 }, state: 'changes_requested' }],
  ] as const;

  it.each(nos)('%s of an approved change', (body, saying) => {
    const game = withPending(1);
    says(game, ANA, '/approve');
    expect(states(game)).toEqual(['approved']);
    says(game, BEN, body, saying);
    expect(states(game)).toEqual(['rejected']);
    expect(game.commitBegins()?.ids).toEqual([]);
  });

  it.each(nos)('%s during an attempt: it can still succeed, but is not retried', (body, saying) => {
    const game = withPending(1);
    says(game, ANA, '/approve');
    expect(game.commitBegins()?.ids).toHaveLength(1);
    says(game, BEN, body, saying);
    expect(states(game)).toEqual(['executing']);
    game.commitBegins();
    expect(states(game)).toEqual(['rejected']);
  });

  it('the last of two late words counts, for the model and on the page', () => {
    const game = withPending(1);
    says(game, ANA, '/approve');
    game.commitBegins();
    says(game, ANA, '/edit use bigint');
    says(game, BEN, '/deny leave it');
    game.commitBegins();
    const [proposal] = game.pull.proposals;
    expect(proposal && [proposal.state, isInstructed(proposal)]).toEqual(['rejected', false]);
    const content = expect.stringMatching(/^Edit rejected by ben \(write access\): leave it\./);
    expect(game.transcript.at(-1)).toMatchObject({ role: 'tool', content });
  });

  it('/deny all denies approved and pending changes', () => {
    const game = withPending(2);
    says(game, ANA, `/approve ${game.pull.proposals[0]?.id}`);
    expect(says(game, BEN, '/deny all').reason).toBe('denied');
    expect(states(game)).toEqual(['rejected', 'rejected']);
  });

  it('the outcome of a committed change names its approver, and not the late denial', () => {
    const game = withPending(1);
    says(game, ANA, '/approve');
    const attempt = game.commitBegins();
    says(game, BEN, '/deny all');
    if (attempt !== null) game.commitLands(attempt);
    expect(told(says(game, ANA, `/approve ${game.pull.proposals[0]?.id}`))).toEqual([
      expect.stringContaining(`was already applied by ${ANA.login}`),
    ]);
  });

  it('also if it was written before the approval and arrives after it', () => {
    const game = withPending(1);
    const createdAt = game.now();
    says(game, ANA, '/approve');
    says(game, BEN, '/deny all', { createdAt });
    expect(states(game)).toEqual(['rejected']);
  });

  it('a bare /deny is ambiguous with one approved and one pending change', () => {
    const game = withPending(2);
    says(game, ANA, `/approve ${game.pull.proposals[0]?.id}`);
    expect(says(game, BEN, '/deny').reason).toBe('ambiguous');
    expect(states(game)).toEqual(['approved', 'proposed']);
  });

  it('dismissing the review of an approved change denies it (S52)', () => {
    const game = withPending(1);
    const run = game.pull.run;
    if (run === null) throw new Error('There is no run.');
    game.pull = {
      ...game.pull,
      run: { ...run, reviews: [{ id: 9, turn: 1, url: 'u', status: 'changes-requested' }] },
    };
    says(game, ANA, '/approve');
    const intent = { kind: 'dismissed', pull: REF, actor: BEN, reviewId: 9 } as const;
    game.signal({ type: 'intent', deliveryId: 'x', intent }, { permission: 'write' });
    expect(states(game)).toEqual(['rejected']);
  });
});

describe('a dead letter could have been a denial (V4, G8)', () => {
  const putAside = (game: TableGame): Step => game.signal({ type: 'dead-lettered', errorId: 'f00d' }, {});

  it('clears earlier approvals, which can be given again', () => {
    const game = withPending(2);
    says(game, ANA, `/approve ${game.pull.proposals[0]?.id}`);
    const step = putAside(game);
    expect(step.reason).toBe('approvals-suspended');
    const first = game.pull.proposals[0]?.id;
    expect(told(step)).toEqual([expect.stringMatching(new RegExp(`internal error \\(\`f00d\`\\)[^]*${first}`))]);
    expect(states(game)).toEqual(['proposed', 'proposed']);
    expect(game.commitBegins()?.ids ?? []).toEqual([]);
    says(game, ANA, `/approve ${first}`);
    expect(game.commitBegins()?.ids).toEqual([first]);
  });

  /** One change in a commit attempt, and a dead letter. */
  function doubted(): { game: TableGame; id: string; runId: string } {
    const game = withPending(1);
    says(game, ANA, '/approve');
    game.commitBegins();
    expect(told(putAside(game))).toEqual([]);
    expect(states(game)).toEqual(['executing']);
    const { id = '', runId = '' } = game.pull.proposals[0] ?? {};
    return { game, id, runId };
  }

  it('prevents the retry of an attempt, until people approve again', () => {
    const { game, id } = doubted();
    expect(game.commitBegins()?.ids).toEqual([]);
    expect(told(game.steps.at(-1) ?? never())).toEqual([expect.stringContaining('could be a denial was not read')]);
    expect(states(game)).toEqual(['proposed']);
    says(game, BEN, '/approve');
    expect(game.commitBegins()?.ids).toEqual([id]);
  });

  it('keeps a commit that succeeded, with its approvers', () => {
    const { game, id, runId } = doubted();
    game.commitLands({ runId, ids: [id] });
    expect(states(game)).toEqual(['completed']);
    expect(game.steps.at(-1)?.ledgerCommits).toMatchObject([{ proposalId: id, approvers: [{ id: ANA.id }] }]);
  });

  it('gets no reply if nothing was approved', () => {
    const game = withPending(1);
    const { reason, effects } = putAside(game);
    expect(reason).toBe('outdated-result');
    expect(effects).toEqual([]);
  });
});

describe('/edit is about the proposals that it refers to (S47, S59)', () => {
  const quote = (id: string | undefined): string => `> **Edit** \`a.txt\` (line 2) · \`${id}\``;

  it('it is ambiguous with two quotes, or in another thread', () => {
    const game = withPending(3);
    const [one, two] = game.pull.proposals;
    const foreign = { ...game.threadOf(game.pull.proposals[0] ?? never()), rootId: 4_242 } as const;
    const [first, second] = [quote(one?.id), quote(two?.id)];
    for (const step of [
      says(game, ANA, `${first}\n\n${second}\n\n/edit use bigint`),
      says(game, ANA, '/edit use bigint', { at: foreign }),
    ])
      expect(step.reason).toBe('ambiguous');
    expect(states(game)).toEqual(['proposed', 'proposed', 'proposed']);
  });

  it('without one it skips and lists changes posted in the same second (S41a)', () => {
    const game = withPending(1);
    const createdAt = game.pull.proposals[0]?.comment?.createdAt ?? '';
    expect(says(game, ANA, '/edit use bigint', { createdAt }).reason).toBe('posted-later');
    expect(states(game)).toEqual(['proposed']);
  });
});

function told({ effects }: Pick<Step, 'effects'>): readonly string[] {
  return effects.flatMap((effect) => (effect.type === 'reply' ? [effect.reply] : []));
}

function never(): never {
  throw new Error('Nothing waits.');
}
