import { describe, expect, it } from 'vitest';
import { fuzz, readCorpus, shrink, type Trial, tryInput } from '../../../lab/fuzz/fuzz.ts';
import { READER_MUTANTS } from '../../../lab/fuzz/mutants.ts';
import { READERS, type Reader } from '../../../lab/fuzz/readers.ts';

/** A few of the inputs that `npm run fuzz` tries. */
const INPUTS = 150;

/** The valid inputs, those that once broke a promise, and changed ones. */
async function* trialsOf(reader: Reader): AsyncGenerator<Trial> {
  for (const seed of await reader.seeds()) yield await tryInput(reader, Buffer.from(seed));
  for (const [, input] of readCorpus(reader)) yield await tryInput(reader, input);
  let count = 0;
  for await (const trial of fuzz(reader, 1)) {
    yield trial;
    count += 1;
    if (count === INPUTS) return;
  }
}

describe.each(READERS.map((reader) => [reader.name, reader] as const))(
  'the reader of strangers’ bytes: %s',
  (_, reader) => {
    it('keeps its promise for valid inputs', async () => {
      for (const seed of await reader.seeds())
        expect(await tryInput(reader, Buffer.from(seed))).toMatchObject({ problem: null });
    });

    it('keeps its promise for every input that once broke it', async () => {
      for (const [file, input] of readCorpus(reader))
        expect(await tryInput(reader, input), file).toMatchObject({ problem: null });
    });

    it('keeps its promise for changed inputs', async () => {
      let count = 0;
      for await (const { input, problem } of fuzz(reader, 1)) {
        expect(problem, input.toString('base64').slice(0, 4_000)).toBeNull();
        count += 1;
        if (count === INPUTS) break;
      }
    });

    it.each(READER_MUTANTS[reader.name] ?? [])('notices the mistake: $name', async ({ check }) => {
      for await (const { problem } of trialsOf({ ...reader, check })) if (problem !== null) return;
      expect.fail('every input keeps the promise');
    });
  },
);

describe('fuzzing', () => {
  it('has a known mistake for each reader', () => {
    expect(Object.keys(READER_MUTANTS).toSorted()).toEqual(READERS.map(({ name }) => name).toSorted());
  });

  /** A reader that breaks on two letters. */
  const broken: Reader = {
    name: 'broken',
    form: 'text',
    seeds: () => ['a valid text\n'],
    check: (input) => {
      if (/x.*y/s.test(input.toString())) throw new Error('x before y');
    },
  };

  it('notices a broken promise, and makes its input small', async () => {
    const trial = await tryInput(broken, Buffer.from('some text, x, more text, y and the end'));
    expect(trial.problem).toBe('Error: x before y');
    expect((await shrink(broken, trial)).toString()).toBe('xy');
  });

  it('gives the same inputs for the same seed, and others for another', async () => {
    const [first] = READERS;
    if (first === undefined) throw new Error('no reader');
    const inputsOf = async (seed: number): Promise<readonly string[]> => {
      const inputs: string[] = [];
      for await (const { input } of fuzz(first, seed)) if (inputs.push(input.toString('base64')) === 5) break;
      return inputs;
    };
    expect(await inputsOf(7)).toEqual(await inputsOf(7));
    expect(await inputsOf(7)).not.toEqual(await inputsOf(8));
  });
});
