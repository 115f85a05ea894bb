/** Somebody who does one piece of work after the other, such as a thread. */
export type Hand<Piece, Answer> = {
  /** Rejects where the hand itself broke: it does nothing any more. */
  readonly does: (piece: Piece) => Promise<Answer>;
  readonly ends: () => Promise<void>;
};

/** What came of a piece: its answer, or what the hand broke on. */
export type Result<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'broke'; readonly error: unknown };

export type HandOut<Piece, Answer> = {
  readonly pieces: Iterable<Piece>;
  /** How many pieces are under way at once. */
  readonly hands: number;
  readonly hire: () => Hand<Piece, Answer>;
  /** Called once for each piece, as soon as it is known what came of it. */
  readonly heard: (piece: Piece, result: Result<Answer>) => void;
};

/** Gives each hand the next piece as soon as it is done with one; for a hand that broke another one goes on. */
export async function handOut<Piece, Answer>({ pieces, hands, hire, heard }: HandOut<Piece, Answer>): Promise<void> {
  const waiting = pieces[Symbol.iterator]();
  const work = async (): Promise<void> => {
    let hand: Hand<Piece, Answer> | null = null;
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      hand ??= hire();
      const result = await resultOf(hand, next.value);
      heard(next.value, result);
      if (result.kind === 'broke') hand = null;
    }
    await hand?.ends();
  };
  await Promise.all(Array.from({ length: hands }, work));
}

async function resultOf<Piece, Answer>(hand: Hand<Piece, Answer>, piece: Piece): Promise<Result<Answer>> {
  try {
    return { kind: 'done', answer: await hand.does(piece) };
  } catch (error) {
    return { kind: 'broke', error };
  }
}
