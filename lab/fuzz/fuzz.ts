import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random } from '../simulation/world/random.ts';
import { jsonOf, mutateBytes, mutateJson, mutateText, repack, unpack } from './mutate.ts';
import type { Reader } from './readers.ts';

const CORPUS = join(import.meta.dirname, 'corpus');

/** Inputs that once broke a promise, by the name of their file. They are read again by every test run. */
export function readCorpus({ name }: Reader): readonly (readonly [file: string, input: Buffer])[] {
  const folder = join(CORPUS, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))] as const);
}

/** Adds an input to the corpus, and returns the path of its file. */
export function addToCorpus({ name }: Reader, input: Buffer): string {
  const folder = join(CORPUS, name);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 12));
  writeFileSync(path, input);
  return path;
}

/** The result of a reader for one input: `ms` is the time, `problem` the broken promise or null. */
export type Trial = { readonly input: Buffer; readonly ms: number; readonly problem: string | null };

export async function tryInput({ check }: Reader, input: Buffer): Promise<Trial> {
  const start = performance.now();
  let problem: string | null = null;
  try {
    await check(input);
  } catch (error) {
    problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  return { input, ms: performance.now() - start, problem };
}

/** Endless trials of changed inputs. The same seed gives the same trials. */
export async function* fuzz(reader: Reader, seed: number): AsyncGenerator<Trial> {
  const random = createRandom(seed);
  const starts = [
    ...(await reader.seeds()).map((one) => Buffer.from(one)),
    ...readCorpus(reader).map(([, input]) => input),
  ];
  for (;;) yield await tryInput(reader, mutate(random, reader.form, starts));
}

function mutate(random: Random, form: Reader['form'], starts: readonly Buffer[]): Buffer {
  const start = random.pick(starts);
  if (form === 'gzip') {
    const inner = random.chance(0.2) ? null : unpack(start);
    return inner === null ? mutateBytes(random, start) : repack(mutateBytes(random, inner));
  }
  if (random.chance(0.05)) return mutateBytes(random, start);
  const text = start.toString('utf8');
  const value = form === 'json' && random.chance(0.7) ? jsonOf(text) : undefined;
  if (value !== undefined) return Buffer.from(JSON.stringify(mutateJson(random, value)));
  return Buffer.from(
    mutateText(
      random,
      text,
      starts.map((one) => one.toString('utf8')),
    ),
  );
}

/** A smaller input with the same problem: removes ever smaller parts as long as the problem stays. */
export async function shrink(reader: Reader, { input, problem }: Trial): Promise<Buffer> {
  let smallest = input;
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < smallest.length; ) {
      const candidate = Buffer.concat([smallest.subarray(0, start), smallest.subarray(start + size)]);
      const trial = await tryInput(reader, candidate);
      if (trial.problem === problem) smallest = candidate;
      else start += size;
    }
  }
  return smallest;
}
